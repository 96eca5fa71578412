# SPDX-License-Identifier: Apache-2.0
"""Runs, and the store that keeps what came out of them."""

import contextlib
import json
import os
import pathlib
import tempfile

from conoscope import _command, _pictures, _toml
from conoscope._bar import bar
from conoscope._command import ConoscopeError, options_of


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

    def plot(self, metric, run=None, **options):
        """A leaderboard as a picture: means over seeds with 95 % intervals, beside the randomised twins.

        metric   one of them
        run      as for board()
        options  dataset=, model=, explainer=, as for board()

        Returns an Altair chart where Altair is installed, else the command's own Picture.
        """
        words = ["board"] + ([run] if run else [])
        rows = []
        for row in self._json(words, (0,), {"metric": metric, **options}):
            name = row["explainer"] or row["model"]
            for column in row:
                of = column[len(metric) + 1 :] if column.startswith(metric + "@") else None
                if column != metric and (of is None or column.endswith(("_half_width", "_n", "_message"))):
                    continue
                if row[column] is not None:
                    half = row.get(column + "_half_width") or 0.0
                    ends = {"low": row[column] - half, "high": row[column] + half}
                    series = f"its twin: {of}" if of else "method"
                    rows.append({"name": name, "series": series, "mean": row[column], **ends})
        drawn = _pictures.chart(rows, metric)
        if drawn is not None:
            return drawn
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "board.svg"
            self._call([*words, *options_of({"metric": metric, **options}), "--plot", file])
            return _pictures.Picture(file.read_text(encoding="utf-8"))

    def show_sample(self, cell, sample):
        """How the explanation of a cell, given by the start of its key, and its randomised twins make
        the answer for one test sample: a Picture."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "sample.svg"
            self._call(["show", cell, "--sample", sample, "--output", file])
            return _pictures.Picture(file.read_text(encoding="utf-8"))

    def history(self, metric, **options):
        """Every recorded score of a metric, oldest first."""
        return self._answer(["history", metric], **options)

    def query(self, sql):
        """Read-only SQL; docs/store.md has the tables."""
        # A statement that begins with a comment, "-- ...", is no option.
        return self._answer(["query", " " + sql])

    def status(self, run=None):
        """How far a run is, every failed cell with its reason: {name: table}."""
        return self._tables(["status"] + ([run] if run else []))

    def show(self, cell, **options):
        """What is known of a cell, given by the start of its key: {name: table} of the cell, its
        attempts, scores and parts."""
        return self._tables(["show", cell], **options)

    def export(self, run=None, *, summaries=None):
        """Every asked score of a run, sorted, without times, hosts and attempts.

        run        as for board()
        summaries  a path: instead, the tables that pictures are drawn from are written there, to
                   NAME.npz or to a folder of CSV files
        """
        words = ["export"] + ([run] if run else [])
        if summaries is None:
            return self._answer(words)
        return self._call([*words, "--summaries", "--output", summaries])

    def report(self, *runs, output="report.html", plugin_path=()):
        """Writes what the store knows of runs (the newest, if none is named) as one HTML file, and
        returns its path."""
        self._call(["report", *runs, "--output", output, *options_of({"plugin_path": plugin_path})])
        return pathlib.Path(output)

    def retract(self, key, reason):
        """From now on an attempt, or every attempt that counts at a cell, does not count; the next run
        does the cell again. Both are given by the start of their key. Returns what was retracted, in
        words."""
        return self._call(["retract", key, "--reason", reason])

    def verify(self, run=None, *, sample=None, **options):
        """Runs good cells of a run (of the whole store, if none is named) again and compares every
        score: {name: table} of the cells and of the environments that differ.

        sample   only so many cells, drawn at random
        options  those of `conoscope verify`, as jobs=2, seed=7
        """
        words = ["verify"] + ([run] if run else [])
        return self._tables(words, good=(0, 4, 6), sample=sample, **options)

    def merge(self, *stores, **options):
        """Adds the results of other stores, given by their paths. options: those of `conoscope merge`,
        as verify=2: only if so many cells of each come out the same when they are run again here.
        Returns what was added, in words."""
        files = [store.path if isinstance(store, Store) else store for store in stores]
        return self._call(["merge", *files, *options_of(options)])

    def _answer(self, words, good=(0,), **options):
        return _frame(self._json(words, good, options))

    def _tables(self, words, good=(0,), **options):
        return {name: _frame(rows) for name, rows in self._json(words, good, options).items()}

    def _call(self, words):
        return _command.call([*words, "--store", self.path])[2].strip()

    def _json(self, words, good, options):
        arguments = words + options_of(options) + ["--store", self.path, "--format", "json"]
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
    take_from=None,
    progress=True,
):
    """Does what a run file asks for and is not done yet, and returns the Store. It may be stopped
    and called again at any time.

    toml_or_dict  the path of a run file, the name of one that ships ("quick"), or its content as a
                  dict; of a dict, relative paths start in the current folder
    jobs          workers at a time
    take_from     results to take before anything is computed: a Store, its path, or "published"
    progress      with tqdm installed, a bar

    Raises ValueError: what is wrong with the run file; ConoscopeError: cells failed (code 4; its
    `store` has the others, and store.status() the reasons), or nothing could be saved.
    """
    with _run_file(toml_or_dict) as file:
        arguments = ["run", file, "--no-board", "--store", store, "--jobs", jobs, "--retry", retry]
        arguments += options_of({"profile": profile, "only": only, "plugin_path": plugin_path})
        if take_from is not None:
            arguments += ["--from", take_from.path if isinstance(take_from, Store) else take_from]
        with bar(progress, "cell") as on_line:
            try:
                _command.call(arguments, rename=_renamed(file, toml_or_dict), on_line=on_line)
            except ConoscopeError as error:
                error.store = Store(store)
                raise
    return Store(store)


def plan(toml_or_dict, store="conoscope.db", *, profile=None, plugin_path=()):
    """The cells of a run, each with its state: done, to do or left out.

    Arguments and errors are those of run().
    """
    with _run_file(toml_or_dict) as file:
        arguments = ["plan", file, "--cells", "--store", store, "--format", "json"]
        arguments += options_of({"profile": profile, "plugin_path": plugin_path})
        answer = _command.call(arguments, rename=_renamed(file, toml_or_dict))[1]
    return _frame(json.loads(answer))


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


def _frame(rows):
    """A pandas.DataFrame where pandas is installed, else the rows as they are, a dict each."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)
