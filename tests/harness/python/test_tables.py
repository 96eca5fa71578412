# SPDX-License-Identifier: Apache-2.0
"""Tables of the docs are what their commands print from the results that ship."""

import importlib.util
import os

from conftest import ROOT

_spec = importlib.util.spec_from_file_location("tables", ROOT / "harness/packages/site/tables.py")
tables = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(tables)


def test_tables_are_what_is_printed(capsys):
    assert tables.main(os.environ["CONOSCOPE"]) == 0, capsys.readouterr().err


def test_a_changed_digit_is_found(tmp_path, monkeypatch, capsys):
    text = (ROOT / "README.md").read_text()
    body = tables.TABLE.search(text)[3]
    digit = next(c for c in body if c.isdigit())
    stale = text.replace(body, body.replace(digit, str((int(digit) + 1) % 10), 1))
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text(stale)
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    assert tables.main(os.environ["CONOSCOPE"]) == 1
    assert "README.md:" in capsys.readouterr().err
    assert tables.main(os.environ["CONOSCOPE"], write=True) == 0
    assert (tmp_path / "README.md").read_text() == text
