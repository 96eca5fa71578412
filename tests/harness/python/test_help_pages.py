# SPDX-License-Identifier: Apache-2.0
"""Man pages and shell completion, which harness/packages makes from the help texts."""

import os
import pathlib
import pty
import runpy
import select
import shutil
import subprocess
import sys
import time

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
    path = f"{pathlib.Path(conoscope._command.command()).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script], check=True, capture_output=True, text=True, env={**os.environ, "PATH": path}
    )
    return done.stdout.split()


def test_every_command_and_option_is_completed(pages):
    assert "retract" in completed(pages, "conoscope", "re")
    assert completed(pages, "conoscope", "board", "--expl") == ["--explainer"]
    assert completed(pages, "conoscope", "plugin", "li") == ["list"]
    assert "--profile" in completed(pages, "conoscope", "plan", "--pro")
    assert completed(pages, "conoscope", "dataset", "info", "--par") == ["--param"]
    assert completed(pages, "conoscope", "status", "--format", "nd") == ["ndjson"]
    # The longest option of its list, with one space before what it does.
    assert completed(pages, "conoscope", "run", "--conf") == ["--confine"]
    assert completed(pages, "conoscope", "report", "--out") == ["--output"]


def test_runs_of_a_store_are_completed(pages):
    assert "published" in completed(pages, "conoscope", "board", "--store", "publ")
    assert "sanity" in completed(pages, "conoscope", "board", "--store", "published", "sani")


def test_options_are_not_lost_where_help_is_worded_otherwise():
    options_of = runpy.run_path(str(SCRIPT))["options_of"]
    assert [o.long for o in options_of(["  -h [ --help ] show this help", "  --quiet       say nothing"])] == ["help", "quiet"]
    with pytest.raises(StopIteration):
        options_of(["  -h [ --help ] print this", "  --quiet       say nothing"])


@pytest.mark.skipif(not shutil.which("fish"), reason="needs fish")
def test_fish_completes_commands_and_options(pages):
    def offered(line):
        script = f"source {pages}/conoscope.fish; complete -C '{line}'"
        done = subprocess.run(["fish", "--no-config", "-c", script], check=True, capture_output=True, text=True)
        assert done.stderr == ""
        return [row.split("\t")[0] for row in done.stdout.splitlines()]

    assert offered("conoscope retr") == ["retract"]
    assert offered("conoscope plugin li") == ["list"]
    assert offered("conoscope board --expl") == ["--explainer"]
    assert offered("conoscope dataset info --par") == ["--param"]
    assert offered("conoscope run --conf") == ["--confine"]
    assert offered("conoscope status --format nd") == ["ndjson"]


@pytest.mark.skipif(not shutil.which("zsh"), reason="needs zsh")
def test_zsh_completes_commands_and_options(pages, tmp_path):
    # As in a terminal: a key that completes, and one that writes down what the line has become.
    (tmp_path / ".zshrc").write_text(
        f"fpath=({pages} $fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' expand-or-complete\n"
        f"keep() {{ print -r -- $BUFFER > {tmp_path}/line; exit }}; zle -N keep; bindkey '^X' keep\n"
        "zle-line-init() { print -n rea''dy }; zle -N zle-line-init\n"
    )

    def completed_line(line):
        terminal, end = pty.openpty()
        shell = subprocess.Popen(
            ["zsh", "-i"],
            stdin=end,
            stdout=end,
            stderr=end,
            start_new_session=True,
            env={**os.environ, "ZDOTDIR": str(tmp_path), "HOME": str(tmp_path), "TERM": "xterm"},
        )
        os.close(end)
        seen, asked, limit = b"", False, time.monotonic() + 60
        while shell.poll() is None and time.monotonic() < limit:
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    seen += os.read(terminal, 4096)
                except OSError:  # the other end is closed
                    break
            if b"ready" in seen and not asked:
                asked = True
                os.write(terminal, line.encode() + b"\t\x18")
        try:
            assert shell.wait(timeout=10) == 0, seen
        finally:
            shell.kill()
            os.close(terminal)
        return (tmp_path / "line").read_text().strip()

    assert completed_line("conoscope retr") == "conoscope retract"
    assert completed_line("conoscope plugin li") == "conoscope plugin list"
    assert completed_line("conoscope board --expl") == "conoscope board --explainer"
    assert completed_line("conoscope run --conf") == "conoscope run --confine"
    assert completed_line("conoscope status --format nd") == "conoscope status --format ndjson"


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
