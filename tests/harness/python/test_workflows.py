# SPDX-License-Identifier: Apache-2.0
"""What GitHub's workflows run: scripts of this tree, with arguments that these know, and nothing else."""

import os
import re
import shlex
import subprocess

import pytest
from conftest import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def runs(text):
    """The commands of `run:` lines; a block of several lines is none of ours."""
    return [line.strip() for line in re.findall(r"^\s*(?:- )?run:(.*)$", text, re.M)]


def words_of(script):
    """The first arguments that a script knows, from its text: ./dev's commands, the parts of .ci/release. None: any."""
    text = (ROOT / script).read_text()
    if script == "dev":
        cases = text[text.index("case ${1:-help} in") :]
        return {word for line in re.findall(r"^  ([a-z| -]+)\)", cases, re.M) for word in line.split(" | ")}
    if script == ".ci/release":
        return set(re.findall(r"\[(\w+)\]", text[: text.index("set -euo")]))
    return None


def fault_of(command):
    """Why a workflow may not run this command; none: it may."""
    words = shlex.split(re.sub(r"\$\{\{[^}]*\}\}", "VALUE", command))
    if not words:
        return "no command on the line"
    script = words[0].removeprefix("./")
    path = ROOT / script
    if not path.is_file() or not os.access(path, os.X_OK):
        return f"no script {words[0]} in the tree"
    usage = path.read_text()
    usage = usage[: usage.index("\nset -")]
    known = words_of(script)
    if known is not None:
        unknown = [word for word in (words[1:2] if script == "dev" else words[1:]) if word not in known]
        return f"{words[0]} knows no {unknown[0]}" if unknown else None
    of = re.search(rf"Usage: {re.escape(words[0])}((?: [A-Z.]+)*)", usage)
    wanted = of[1].split() if of else []
    given = len(words) - 1
    many = bool(wanted) and wanted[-1].endswith("...")
    if given != len(wanted) and not (many and given >= len(wanted)):
        return f"{words[0]} takes {' '.join(wanted) or 'no argument'}"
    return None


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_step_runs_a_script_of_the_tree(path):
    for command in runs(path.read_text()):
        assert fault_of(command) is None, f"{path.name}: {command}: {fault_of(command)}"


def test_there_is_something_to_run():
    assert [path.stem for path in WORKFLOWS] == ["ci", "release", "site"]
    assert runs((ROOT / ".github/workflows/ci.yml").read_text()) == [".ci/run"]
    assert ".ci/release packages wheel" in runs((ROOT / ".github/workflows/release.yml").read_text())
    assert "./dev docs" in runs((ROOT / ".github/workflows/site.yml").read_text())


@pytest.mark.parametrize(("command", "fault"), [
    (".ci/runn", "no script"), ("apt-get install git", "no script"), ("docs/style.md", "no script"),
    ("./dev doc", "knows no doc"), (".ci/release packages wheels", "knows no wheels"), (".ci/run all", "no argument"),
    (".ci/attach v1.0.0", "TAG FOLDER"), (".ci/install", "PACKAGE"), ("|", "no script"), ("", "no command")])
def test_what_a_workflow_may_not_run_is_found(command, fault):
    assert fault in fault_of(command)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_it_is_yaml_with_these_steps(path):
    yaml = pytest.importorskip("yaml")
    jobs = yaml.safe_load(path.read_text())["jobs"].values()
    steps = [step for job in jobs for step in job["steps"]]
    assert [step["run"] for step in steps if "run" in step] == runs(path.read_text())
    assert all(("run" in step) != ("uses" in step) for step in steps)
    assert all(re.fullmatch(r"actions/[a-z-]+@v\d+", step["uses"]) for step in steps if "uses" in step)


def test_a_release_is_refused_whose_tag_is_not_the_version(tmp_path):
    answer = subprocess.run([ROOT / ".ci/attach", "v0.0.0", tmp_path], capture_output=True, text=True, check=False)
    assert answer.returncode == 2
    assert "the tag is v0.0.0, but CMakeLists.txt says version" in answer.stderr
    tag = "v" + re.search(r"says version (\S+):", answer.stderr)[1]
    answer = subprocess.run([ROOT / ".ci/attach", tag, tmp_path], capture_output=True, text=True, check=False)
    assert answer.returncode == 2
    assert "no .deb and no .whl" in answer.stderr
