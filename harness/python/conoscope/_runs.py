"""Runs, and the store that keeps what came out of them."""

import contextlib
import json
import os
import pathlib
import re
import tempfile

from conoscope import _command, _toml
from conoscope._tables import frame


class Store:
    """The results in an SQLite file. Answers are pandas data frames where pandas is installed, else
    lists of dicts.

        store = conoscope.Store("conoscope.db")
        store.board(metric=["surf_mae", "surf_emd"])
        store.query("SELECT metric, avg(value) FROM score GROUP BY metric")
    """

    def __init__(self, path="conoscope.db"):
        self.path = pathlib.Path(path)

    def __repr__(self):
        return f"conoscope.Store({str(self.path)!r})"

    def board(self, kind="ranking", run=None, *, metric=(), **options):
        """A board: ranking, across, sanity, select-k, curve, correlation or budget.

        run      its name or the start of its key; None: the newest
        metric   a name or several
        options  those of `conoscope board`: dataset=, model=, explainer=, all=True, k_param=, ...
        """
        words = ["board", kind] + ([run] if run else [])
        return self._answer(words, metric=metric, **options)

    def compare(self, a, b, *, metric=(), **options):
        """Is there a difference between a and b (explainers, runs, stores, models, datasets or
        metrics), and is it significant? options: those of `conoscope compare`, as pooled=True."""
        return self._answer(["compare", a, b], good=(0, 6), metric=metric, **options)

    def history(self, metric, **options):
        """Every recorded score of a metric, oldest first."""
        return self._answer(["history", metric], **options)

    def query(self, sql):
        """Read-only SQL; docs/store.md has the tables."""
        # A statement that begins with a comment, "-- ...", is no option.
        return self._answer(["query", " " + sql])

    def status(self, run=None):
        """How far a run is, every failed cell with its reason: {name: table}."""
        answer = self._json(["status"] + ([run] if run else []), (0,), {})
        return {name: frame(rows) for name, rows in answer.items()}

    def _answer(self, words, good=(0,), **options):
        return frame(self._json(words, good, options))

    def _json(self, words, good, options):
        arguments = words + _options(options) + ["--store", self.path, "--format", "json"]
        return json.loads(_command.call(arguments, good=good)[1])


def run(
    toml_or_dict,
    store="conoscope.db",
    *,
    jobs=1,
    profile=None,
    only=(),
    retry=0,
    plugin_path=(),
    progress=True,
):
    """Does what a run file asks for and is not done yet, and returns the Store. It may be stopped
    and called again at any time.

    toml_or_dict  the path of a run file, the name of one that ships ("quick"), or its content as a
                  dict; of a dict, relative paths start in the current folder
    jobs          workers at a time
    progress      with tqdm installed, a bar

    Raises ValueError: what is wrong with the run file; ConoscopeError: cells failed (code 4; the
    store has the others, and Store.status() the reasons), or nothing could be saved.
    """
    with _run_file(toml_or_dict) as file:
        arguments = ["run", file, "--no-board", "--store", store, "--jobs", jobs, "--retry", retry]
        arguments += _options({"profile": profile, "only": only, "plugin_path": plugin_path})
        with _bar(progress) as on_line:
            _command.call(arguments, rename=_renamed(file, toml_or_dict), on_line=on_line)
    return Store(store)


def plan(toml_or_dict, store="conoscope.db", *, profile=None, plugin_path=()):
    """The cells of a run, each with its state: done, to do or left out.

    Arguments and errors are those of run().
    """
    with _run_file(toml_or_dict) as file:
        arguments = ["plan", file, "--cells", "--store", store, "--format", "json"]
        arguments += _options({"profile": profile, "plugin_path": plugin_path})
        answer = _command.call(arguments, rename=_renamed(file, toml_or_dict))[1]
    return frame(json.loads(answer))


@contextlib.contextmanager
def _run_file(toml_or_dict):
    if not isinstance(toml_or_dict, dict):
        yield os.fspath(toml_or_dict)
        return
    # In the current folder, because that is where relative paths in a run file start.
    handle, file = tempfile.mkstemp(prefix=".conoscope-", suffix=".toml", dir=".", text=True)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(_toml.dumps({"name": "run", **toml_or_dict}))
        yield file
    finally:
        os.unlink(file)


def _renamed(file, toml_or_dict):
    return {file: "the run"} if isinstance(toml_or_dict, dict) else {}


def _options(options):
    """metric=["a", "b"], pooled=True as --metric a --metric b --pooled."""
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


@contextlib.contextmanager
def _bar(wanted):
    """A function that is shown each line of progress ("3/12 ok ..."), or None."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        wanted = False
    if not wanted:
        yield None
        return
    with tqdm(unit="cell", leave=False) as bar:

        def show(line):
            counted = re.match(r"(\d+)/(\d+) (.*)", line)
            if counted:
                bar.total = int(counted[2])
                bar.set_postfix_str(counted[3], refresh=False)
                bar.update(int(counted[1]) - bar.n)

        yield show
