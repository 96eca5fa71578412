"""Each broken plugin fails `plugin check` for what it is."""

import pathlib
import re

import pytest

from plugin_command import failed

TWINS = pathlib.Path(__file__).parent / "twins"


@pytest.mark.parametrize("file", sorted(TWINS.glob("*.py")), ids=lambda file: file.stem)
def test_every_twin_fails_for_what_it_is(file):
    """The first lines of each say which check must fail, and what is said."""
    text = file.read_text()
    expected = dict(re.findall(r"^# (check|options): (.*)$", text, re.M))
    said = re.findall(r"^# says: (.*)$", text, re.M)  # more than one: it depends on Python's version
    name, why = failed(file, *expected.get("options", "").split())
    assert name == expected["check"] and any(one in why for one in said), (name, why)
