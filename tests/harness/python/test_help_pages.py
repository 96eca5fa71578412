"""Man pages and shell completion, which harness/packages makes from the help texts."""

import pathlib
import shutil
import subprocess
import sys

import pytest

import conoscope._command

SCRIPT = pathlib.Path(__file__).parents[3] / "harness/packages/help_pages.py"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    subprocess.run([sys.executable, SCRIPT, conoscope._command.command(), folder], check=True)
    return folder


def completed(pages, *words):
    script = (
        f"source {pages}/conoscope.bash; COMP_WORDS=({' '.join(words)!s} '');"
        "COMP_CWORD=$((${#COMP_WORDS[@]} - 2)); _conoscope; echo ${COMPREPLY[@]}"
    )
    return subprocess.run(["bash", "-c", script], check=True, capture_output=True, text=True).stdout.split()


def test_every_command_and_option_is_completed(pages):
    assert "retract" in completed(pages, "conoscope", "re")
    assert completed(pages, "conoscope", "board", "--expl") == ["--explainer"]
    assert completed(pages, "conoscope", "plugin", "li") == ["list"]
    assert "--profile" in completed(pages, "conoscope", "plan", "--pro")
    assert completed(pages, "conoscope", "dataset", "info", "--par") == ["--param"]
    assert completed(pages, "conoscope", "status", "--format", "nd") == ["ndjson"]
    for shell, file in (("zsh", "_conoscope"), ("fish", "conoscope.fish")):
        if shutil.which(shell):
            subprocess.run([shell, "-n", pages / file], check=True)


def test_man_pages(pages):
    names = {page.name for page in (pages / "man1").iterdir()}
    assert {"conoscope.1", "conoscope-run.1", "conoscope-plugin-new.1"} <= names
    run = (pages / "man1/conoscope-run.1").read_text()
    for part in ("conoscope\\-run \\- do the work of a run file", "\\-\\-shard i/N", "conoscope run my.toml"):
        assert part in run
    if shutil.which("groff"):
        for page in (pages / "man1").iterdir():
            checked = subprocess.run(["groff", "-man", "-ww", "-z", page], capture_output=True, text=True)
            assert checked.returncode == 0 and checked.stderr == "", (page, checked.stderr)
