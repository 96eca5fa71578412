"""Each broken plugin fails `plugin check` for what it is."""

import pathlib
import re
import sys

import pytest

from plugin_command import failed

TWINS = pathlib.Path(__file__).parent / "twins"


@pytest.mark.parametrize("file", sorted(TWINS.glob("*.py")), ids=lambda file: file.stem)
def test_every_twin_fails_for_what_it_is(file):
    """The first lines of each say which check must fail, and what is said."""
    expected = dict(re.findall(r"^# (check|says|since 3.12 says|options): (.*)$", file.read_text(), re.M))
    if sys.version_info >= (3, 12):
        expected["says"] = expected.get("since 3.12 says", expected["says"])
    name, why = failed(file, *expected.get("options", "").split())
    assert (name, expected["says"] in why) == (expected["check"], True), (name, why)
