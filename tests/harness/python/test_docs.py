"""docs/python.md runs as it is written, and prints what it says."""

import contextlib
import io
import re

from conftest import ROOT


def test_the_examples_run(tmp_path):
    text = (ROOT / "docs/python.md").read_text()
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)
    code = "\n".join(block for language, block in fenced if language == "python")
    shown = [block for language, block in fenced if not language]
    (tmp_path / "datasets").symlink_to(ROOT / "datasets")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "docs/python.md", "exec"), {})
    assert shown
    for block in shown:
        assert block in out.getvalue()
