# SPDX-License-Identifier: Apache-2.0
"""Finding the installed command, and installing the package."""

import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

import conoscope
from conoscope import _command

ROOT = pathlib.Path(__file__).resolve().parents[3]


def test_the_version_is_the_commands():
    cmake = (ROOT / "CMakeLists.txt").read_text()
    assert re.search(r"project\(conoscope VERSION (\S+)", cmake)[1] == conoscope.__version__
    assert _command.command()


def program(path, text):
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_another_version_is_refused(tmp_path, monkeypatch):
    old = program(tmp_path / "conoscope", "echo 'conoscope: 0.0.1 (old)'")
    monkeypatch.setenv("CONOSCOPE", str(old))
    with pytest.raises(conoscope.ConoscopeError, match="is version 0.0.1, but this package is"):
        _command.command()


def test_where_it_is_looked_for(tmp_path, monkeypatch):
    answer = f"echo 'conoscope: {conoscope.__version__} (x)'"
    named = program(tmp_path / "named", answer)
    on_path = program(tmp_path / "path/conoscope", answer)
    monkeypatch.setenv("CONOSCOPE", str(named))
    assert _command.command() == str(named)
    monkeypatch.setenv("CONOSCOPE", str(tmp_path / "nowhere"))
    with pytest.raises(conoscope.ConoscopeError, match="no such program"):
        _command.command()
    # A copy of the package beside an installed command, and one beside none.
    monkeypatch.delenv("CONOSCOPE")
    beside = program(tmp_path / "there/bin/conoscope", answer)
    for folder in "there/lib/conoscope/python", "alone":
        shutil.copytree(ROOT / "harness/python/conoscope", tmp_path / folder / "conoscope")

    def found(folder, path):
        ask = "from conoscope import _command; print(_command.command())"
        return subprocess.run(
            [sys.executable, "-c", ask],
            env={"PYTHONPATH": str(tmp_path / folder), "PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    path = f"{on_path.parent}:/usr/bin:/bin"
    assert found("there/lib/conoscope/python", path).stdout.strip() == str(beside)
    assert found("alone", path).stdout.strip() == str(on_path)
    assert "the command conoscope was not found" in found("alone", "/usr/bin:/bin").stderr


def test_a_crash_is_an_exception(tmp_path, monkeypatch):
    crash = f'[ "$1" = --version ] && echo "conoscope: {conoscope.__version__} (x)" && exit\nkill -9 $$'
    monkeypatch.setenv("CONOSCOPE", str(program(tmp_path / "c", crash)))
    with pytest.raises(conoscope.ConoscopeError, match="was ended by signal 9") as caught:
        _command.call(["plan"])
    assert caught.value.code == -9


def test_the_wheel_is_the_package(tmp_path):
    """As pip builds it: from the source folder alone, with nothing downloaded."""
    source = tmp_path / "source"
    shutil.copytree(ROOT / "harness/python", source, ignore=shutil.ignore_patterns("__pycache__"))
    build = f"import build_wheel; print(build_wheel.build_wheel({str(tmp_path)!r}))"
    name = subprocess.run(
        [sys.executable, "-c", build], cwd=source, stdout=subprocess.PIPE, text=True, check=True
    ).stdout.strip()
    with zipfile.ZipFile(tmp_path / name) as wheel:
        wheel.extractall(tmp_path / "site")
    for path in (source / "conoscope").rglob("*.py"):
        assert (tmp_path / "site" / path.relative_to(source)).read_bytes() == path.read_bytes()
    info = tmp_path / f"site/conoscope-{conoscope.__version__}.dist-info"
    assert {"METADATA", "WHEEL", "RECORD"} <= {path.name for path in info.iterdir()}


def test_pip_installs_it_without_a_network(tmp_path):
    pytest.importorskip("pip")
    install = [sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "-q"]
    done = subprocess.run(
        [*install, "--target", str(tmp_path / "site"), str(ROOT / "harness/python")],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "site/conoscope/_measure.py").is_file()
