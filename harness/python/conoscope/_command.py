# SPDX-License-Identifier: Apache-2.0
"""The installed command: where it is, and what its answers mean."""

import functools
import os
import pathlib
import shutil
import subprocess
import sys

from conoscope._version import __version__


class ConoscopeError(RuntimeError):
    """The command could not do what was asked of it; the text is its own.

    code:  its exit code, see docs/command.md; negative: the signal that ended it
    store: of run(): the Store; else None
    """

    store = None

    def __init__(self, text, code):
        super().__init__(text)
        self.code = code


def command():
    """The path of the command: the environment variable CONOSCOPE, else beside this package (where
    `./dev install DIR` puts both, or where a source tree has its build), else on PATH.

    Raises ConoscopeError: none is there, or its version is not this package's.
    """
    path = _find(os.environ.get("CONOSCOPE", ""))
    _check_version(path)
    return path


def data(name):
    """The path of a file that ships with the command, as data("digits/digits.npz").

    Raises FileNotFoundError: there is none of that name; the text lists those that there are.
    """
    folder = pathlib.Path(command()).parent.parent / "share/conoscope/data"
    if not (folder / name).is_file():
        known = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
        raise FileNotFoundError(f"{name}: no such file ships; these do: {', '.join(known)}")
    return str(folder / name)


def main():
    """`conoscope` on the PATH of an environment that the wheel is installed in."""
    path = command()
    os.execv(path, [path, *sys.argv[1:]])


def _find(named):
    if named:
        if not (os.path.isfile(named) and os.access(named, os.X_OK)):
            raise ConoscopeError(f"CONOSCOPE={named}: no such program", 127)
        return os.path.abspath(named)
    here = pathlib.Path(__file__).resolve()
    for folder in here.parents:
        for place in ("bin/conoscope", "build/release/bin/conoscope"):
            if (folder / place).is_file() and os.access(folder / place, os.X_OK):
                return str(folder / place)
    found = shutil.which("conoscope")
    if found:
        return found
    raise ConoscopeError(
        "the command conoscope was not found: install it (./dev install DIR), then put DIR/bin on "
        "PATH or set CONOSCOPE to DIR/bin/conoscope",
        127,
    )


@functools.lru_cache(maxsize=None)
def _check_version(path):
    answer = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        raise ConoscopeError(f"{path} cannot run: {answer.stderr.strip()}", answer.returncode)
    words = answer.stdout.split()
    version = words[1] if words[:1] == ["conoscope:"] and len(words) > 1 else "unknown"
    if version != __version__:
        raise ConoscopeError(
            f"{path} is version {version}, but this package is {__version__}: install both from the "
            "same source",
            2,
        )


def options_of(options):
    """As the command has them: metric=["a", "b"], pooled=True as --metric a --metric b --pooled."""
    out = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            out.append(option)
        elif value is None or value is False:
            continue
        elif isinstance(value, (list, tuple)):
            for item in value:
                out += [option, item]
        else:
            out += [option, value]
    return out


def call(arguments, good=(0,), rename=None, on_line=None, environment=None):
    """Runs the command. Returns its exit code, standard output and standard error.

    good:    exit codes that are no error
    rename:  replaced in what it says, path -> words
    on_line: called with each line of standard error as it comes
    environment: variables beside those that there are
    Raises ValueError: exit code 2, which is the caller's mistake; ConoscopeError: any other.
    """
    process = subprocess.Popen(
        [command(), *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment} if environment else None,
    )
    try:
        if on_line is None:
            out, err = process.communicate()
        else:
            out, err = _follow(process, on_line)
    except BaseException:  # KeyboardInterrupt: nothing may go on behind the caller's back
        process.terminate()
        process.wait()
        raise
    for path, words in (rename or {}).items():
        err = err.replace(path, words)
    code = process.returncode
    if code in good:
        return code, out, err
    text = err.strip().removeprefix("conoscope: ")
    if code == 2:
        raise ValueError(text)
    if code < 0:
        text = f"conoscope was ended by signal {-code}. {text}"
    raise ConoscopeError(text or f"conoscope ended with exit code {code}", code)


def _follow(process, on_line):
    """Standard error line by line, while a thread takes standard output."""
    import threading

    out = []
    reader = threading.Thread(target=lambda: out.append(process.stdout.read()))
    reader.start()
    err = []
    for line in process.stderr:
        err.append(line)
        on_line(line.rstrip("\n"))
    reader.join()
    process.wait()
    return "".join(out), "".join(err)
