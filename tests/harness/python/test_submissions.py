# SPDX-License-Identifier: Apache-2.0
"""Submissions to the shared leaderboard, from a plugin on a disk to a row: `submit board`, .ci/submission, `board`."""

import csv
import gzip
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest
from conftest import ROOT
from plugin_command import conoscope

FOLDER = pathlib.Path("results/submissions")
PLUGIN = '''\
# /// conoscope
# kind = "explainer"
# id = "mine"
# version = "0.1.0"
# licence = "MIT"
# citation = "Lovelace, 1843"
# needs = ["head_view"]
# offers = ["explanation"]
# parameters.k = {{ type = "integer", default = 2, min = 1, role = "concept_count" }}
# ///
import pathlib
import time

import numpy as np

import conoscope.plugin as cp


class Mine(cp.Explainer):
    def fit(self, head, context):
        weight = np.asarray(head.head_weight, dtype=float)
        cavs = np.linalg.svd(weight, full_matrices=False)[2][: self.params.k]
        importance = weight @ cavs.T
        {extra}
        return cp.Explanation(cavs=cavs, importance=importance)


cp.main(Mine)
'''
RUN = f"""\
name = "study"
seeds = [0, 1]
controls = ["none", "random_concepts"]
metrics = ["surf_mae", "surf_emd"]

[[dataset]]
id = "precomputed"
name = "digits"
params = {{ archive = "{ROOT}/datasets/precomputed/digits/digits.npz" }}

[[model]]
id = "precomputed"

[[explainer]]
file = "mine.py"
params = {{ k = [2, 3] }}

[[explainer]]
id = "svd"
"""


def git(*words):
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    subprocess.run(["git", *who, *words], check=True, capture_output=True)


def commit(text="submissions: mine"):
    git("add", "-A", FOLDER)
    git("commit", "-qm", text)


def check(name, *options, code=0):
    """Standard output and standard error of the check, without this test's own way to the plugin."""
    done = subprocess.run(
        ["/usr/bin/python3", ROOT / ".ci/submission", name, *options],
        capture_output=True,
        text=True,
        check=False,
        env={"CONOSCOPE_PYTHON": "/usr/bin/python3", **os.environ},
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout, done.stderr


def repository():
    git("init", "-q", "-b", "main", ".")
    FOLDER.mkdir(parents=True)
    (FOLDER / "README.md").write_text("Submissions.\n")
    commit("the board")


def begin(extra="pass", *, run=RUN, more=()):
    """A repository, and beside it a run of the plugin and of svd."""
    repository()
    git("checkout", "-qb", "mine")
    pathlib.Path("work").mkdir()
    pathlib.Path("work/mine.py").write_text(PLUGIN.format(extra=extra))
    pathlib.Path("work/run.toml").write_text(run)
    conoscope("run", "work/run.toml", "--no-board", "--store", "mine.db", "-j", "2", *more,
              CONOSCOPE_PYTHON="/usr/bin/python3")


def submit(name="mine"):
    """The folder, filled in and committed."""
    conoscope("submit", "board", name, "--store", "mine.db")
    fill_in(name)
    commit()


def fill_in(name="mine", **values):
    file = FOLDER / name / "submission.toml"
    lines = file.read_text().splitlines()
    for key, value in {"authors": '["Ada Lovelace"]', **values}.items():
        lines = [f"{key} = {value}" if line.startswith(f"{key} = ") else line for line in lines]
    file.write_text("\n".join(lines) + "\n")


def board(*options):
    out, _ = conoscope("board", "--store", FOLDER, "--all", "-m", "surf_mae", "--format", "csv", *options)
    return {row["explainer"]: row for row in csv.DictReader(io.StringIO(out))}


class Scores:
    """The text of a submission's scores, to be changed past everything that makes it."""

    def __init__(self, file):
        self.file = file
        with gzip.open(file, "rt", newline="\n") as lines:
            self.lines = lines.read().split("\n")

    def rows(self, table):
        """Of each row its place and its fields by column."""
        columns = None
        for place, line in enumerate(self.lines):
            fields = line.split("\t")
            if line.startswith("="):
                columns = fields[1:] if fields[0] == f"={table}" else None
            elif columns:
                yield place, dict(zip(columns, fields))

    def put(self, place, row):
        self.lines[place] = "\t".join(row.values())

    def write(self):
        with gzip.open(self.file, "wt", newline="\n") as out:
            out.write("\n".join(self.lines))


def swap(scores, table, column, chosen=lambda row: True):
    """The column of two rows that differ in it."""
    rows = [(place, row) for place, row in scores.rows(table) if chosen(row)]
    place, one = rows[0]
    other_place, other = next((at, row) for at, row in rows if row[column] != one[column])
    scores.put(place, {**one, column: other[column]})
    scores.put(other_place, {**other, column: one[column]})


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    """The repository of an honest submission."""
    folder = tmp_path_factory.mktemp("honest")
    kept = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith(("CONOSCOPE_", "XDG_"))}
    os.environ["CONOSCOPE_CACHE"], before = str(folder / "cache"), os.getcwd()
    os.chdir(folder)
    begin()
    submit()
    os.chdir(before)
    del os.environ["CONOSCOPE_CACHE"]
    os.environ.update(kept)
    return folder


@pytest.fixture
def mine(honest, tmp_path):
    """A copy of it, on the submission's branch, in which the test is."""
    shutil.copytree(honest, tmp_path / "copy")
    os.chdir(tmp_path / "copy")


def test_an_honest_submission():
    begin()
    out, _ = conoscope("submit", "board", "mine", "--store", "mine.db")
    assert "the scores of mine in the run study" in out and ".ci/submission mine" in out
    assert (FOLDER / "mine/mine.py").read_text() == pathlib.Path("work/mine.py").read_text()
    assert "not as committed" in check("mine", code=2)[1]
    commit()
    assert "submission.toml:2: authors: not filled in" in check("mine", code=2)[1]
    fill_in()
    commit()
    out, err = check("mine")
    assert "8 cells: 8 the same bit for bit" in err
    assert [line.split("  ")[0] for line in out.splitlines()[1:]] == ["recomputed here"] * 2
    # A submission cannot say it of itself.
    assert {row["origin"] for row in board("--explainer", "mine").values()} == {"self-reported"}
    (FOLDER / "checked.tsv").write_text("")
    commit()
    assert "results/submissions/checked.tsv: outside results/submissions/mine" in check("mine", code=2)[1]
    git("reset", "-q", "--hard", "HEAD~")

    git("checkout", "-q", "main")
    git("merge", "-q", "mine")
    check("mine", "--write", "--sample", "1")
    rows = board()
    assert {name: row["origin"] for name, row in rows.items() if row["origin"]} == {
        "mine": "recomputed here", "mine(k=3)": "recomputed here"}
    assert rows["mine"]["coverage_n"] == "2" and rows["svd"]["coverage_n"] == "0"
    conoscope("report", "--store", str(FOLDER), "-o", "report.html")
    assert "recomputed here" in pathlib.Path("report.html").read_text()
    # Other scores are not those that were checked.
    scores = Scores(FOLDER / "mine/scores.gz")
    place, row = next(scores.rows("score"))
    scores.put(place, {**row, "value": "0.5"})
    scores.write()
    assert {row["origin"] for row in board("--explainer", "mine").values()} == {"self-reported"}


def test_the_page_as_it_is_written():
    repository()
    pathlib.Path(".ci").symlink_to(ROOT / ".ci")
    path = f"{pathlib.Path(os.environ['CONOSCOPE']).parent}:/usr/bin:/bin"
    who = {f"GIT_{role}_{what}": "ada@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    blocks = re.findall(r"^```sh\n(.*?)^```$", (ROOT / "docs/joining.md").read_text(), re.M | re.S)
    for block in blocks:
        if "conoscope board" in block:
            git("checkout", "-q", "main")
            git("merge", "-q", "my_method")
            check("my_method", "--write", "--sample", "1")
        elif "git commit" in block:
            fill_in("my_method", citation='"Lovelace, 1843"')
        done = subprocess.run(["/bin/bash", "-euc", block], capture_output=True, text=True, check=False,
                              env={**os.environ, **who, "PATH": path})
        assert done.returncode == 0, block + done.stdout + done.stderr
    assert re.search(r"my_method .*recomputed here", done.stdout), done.stdout


def test_a_score_that_was_changed(mine):
    scores = Scores(FOLDER / "mine/scores.gz")
    place, row = next((at, row) for at, row in scores.rows("score") if row["metric"] == "surf_mae")
    scores.put(place, {**row, "value": "0.125"})
    scores.write()
    commit()
    # Checksums are not in the text: they follow from it.
    conoscope("export", "--store", FOLDER / "mine/scores.gz", "--verify", code=None)
    out, err = check("mine", code=6)
    assert "surf_mae 0.125, and here " in out
    assert "results/submissions/mine: scores do not come out as they are submitted" in err
    assert not (FOLDER / "checked.tsv").exists()


def test_a_submission_from_another_machine(mine):
    scores = Scores(FOLDER / "mine/scores.gz")
    keys = {}
    for place, row in scores.rows("environment"):
        text = row["text"].replace("\\n", "\n").replace("features: ", "features: another ", 1)
        fields = "".join(f"{len(field.encode())}:{field}" for field in ("environment", text))
        keys[row["key"]] = hashlib.sha256(fields.encode()).hexdigest()[:32]
        scores.put(place, {"key": keys[row["key"]], "text": text.replace("\n", "\\n")})
    for place, row in scores.rows("attempt"):
        scores.put(place, {**row, "environment": keys[row["environment"]]})
    scores.write()
    commit()
    assert {line.split("  ")[0] for line in check("mine")[0].splitlines()[1:]} == {"recomputed here"}
    for place, row in scores.rows("score"):
        scores.put(place, {**row, "value": repr(float(row["value"]) + 1e-7)})
    scores.write()
    commit()
    out, err = check("mine")
    assert "within 1e-6: digits x precomputed x mine" in out and "8 within 1e-6" in err
    assert out.count("\nrecomputed elsewhere") == 2


def test_a_plugin_that_asks_the_clock():
    begin("importance = importance * (1 + 1e-3 * (time.time_ns() % 997))")
    submit()
    out, _ = check("mine", "--write", code=6)
    assert "differs: digits x precomputed x mine" in out
    assert not (FOLDER / "checked.tsv").exists()


def test_a_plugin_that_needs_what_is_not_here():
    # Where it was run, it read the answer.
    pathlib.Path("answer").write_text("1e-3")
    place = pathlib.Path("answer").resolve()
    begin(f"importance = importance * float(pathlib.Path('{place}').read_text())", more=["--confine", "off"])
    submit()
    out, _ = check("mine", "--write", code=4)
    assert "not run: digits x precomputed x mine #0" in out and "PermissionError" in out
    assert out.count("\nself-reported") == 2


def test_arrays_with_a_licence_and_arrays_that_are_not_there(digits):
    repository()
    git("checkout", "-qb", "mine")
    pathlib.Path("work").mkdir()
    np.savez("work/own.npz", **digits)
    text = RUN.replace(f"{ROOT}/datasets/precomputed/digits/digits.npz", "own.npz")
    pathlib.Path("work/run.toml").write_text(text[: text.index("[[explainer]]")] + '[[explainer]]\nid = "svd"\n')
    conoscope("run", "work/run.toml", "--no-board", "--store", "mine.db")
    out, _ = conoscope("submit", "board", "mine", "--store", "mine.db", "--data", "work/own.npz")
    assert "all scores of the run study" in out
    fill_in(citation='"Lovelace, 1843"')
    commit()
    assert "submission.toml:4: data_licence: not filled in" in check("mine", code=2)[1]
    fill_in(data_licence='"CC-BY-4.0"')
    commit()
    assert "recomputed here" in check("mine")[0]

    shutil.rmtree(FOLDER / "mine/data")
    file = FOLDER / "mine/submission.toml"
    file.write_text("".join(line for line in file.read_text().splitlines(True) if "data_licence" not in line))
    commit()
    out, _ = check("mine", code=4)
    assert "self-reported" in out and "own.npz: no such file" in out


def test_self_reported_rows_rank_behind(mine):
    git("checkout", "-q", "main")
    git("merge", "-q", "mine")
    check("mine", "--write", "--sample", "1")
    rows = board("--explainer", "mine")
    best, other = sorted(("mine", "mine(k=3)"), key=lambda name: int(rows[name]["rank"]))
    file = FOLDER / "checked.tsv"
    lines = file.read_text().splitlines()
    with gzip.open(FOLDER / "mine/scores.gz", "rt") as text:
        key = next(line.split("\t")[0] for line in text if line.rstrip("\n").endswith(f"\t{best}")
                   and "\texplainer\t" in line)
    file.write_text("\n".join(lines[:1] + [line.replace("recomputed here", "self-reported") if key in line else line
                                           for line in lines[1:]]) + "\n")
    rows = board()
    assert (rows[best]["origin"], rows[best]["rank"]) == ("self-reported", "2")
    assert (rows[other]["origin"], rows[other]["rank"]) == ("recomputed here", "1")
    file.write_text(file.read_text().replace("self-reported", "checked by me"))
    _, err = conoscope("board", "--store", FOLDER, "--all", "-m", "surf_mae", code=5)
    assert 'checked.tsv:' in err and 'no origin "checked by me"' in err


def test_what_is_not_asked_for(mine):

    def refused(change, message, code=2):
        change()
        commit()
        assert message in "".join(check("mine", code=code))
        git("reset", "-q", "--hard", "HEAD~")

    folder, text = FOLDER / "mine", (FOLDER / "mine/submission.toml").read_text()
    for line, message in {
        "rank = 1": "submission.toml:8: rank: no such key; there are authors, ",
        "authors = 1": "submission.toml: Cannot overwrite a value",
        'data_licence = "MIT"': "submission.toml:8: data_licence: it is that of the files in data/",
    }.items():
        refused(lambda: (folder / "submission.toml").write_text(f"{text}{line}\n"), message)
    refused(lambda: fill_in(licence='"mine alone"'), "licence: 'mine alone' is none of the SPDX identifiers")
    refused(lambda: fill_in(studies='["other"]'), "studies: ['other'], and scores.gz is of ['study']")
    refused(lambda: fill_in(environment='["cpu: abacus"]'), "scores.gz was not made with 'cpu: abacus'")
    refused(lambda: (folder / "notes.txt").write_text("x"), "notes.txt: submission.toml does not name it")
    refused(lambda: (folder / "data").symlink_to("/etc"), "results/submissions/mine/data: a link")
    refused(lambda: (folder / "mine.py").write_text("#" * (1 << 20) + "\n" + PLUGIN.format(extra="pass")),
            "sources: 1.0 MiB, and 1 are allowed")
    refused(lambda: (folder / "mine.py").write_text(PLUGIN.format(extra="pass").replace('"mine"', '"svd"')),
            "explainer svd ships with conoscope")
    refused(lambda: shutil.copytree(folder, FOLDER / "theirs"), "theirs/mine.py: outside results/submissions/mine")
    # All scores of the run, and what takes away those of others.
    refused(lambda: conoscope("export", "study", "--format", "store", "--without-parts", "--store", "mine.db", "-o",
                              folder / "scores.gz"),
            "scores.gz: attempts at digits x precomputed x svd, which is not of mine.py")
    scores = Scores(folder / "scores.gz")
    scores.lines[-1:] = ["=retraction\tattempt\treason\tat", ""]
    refused(scores.write, ": a table retraction, which no run's export has")
    git("checkout", "-q", "main")
    git("merge", "-q", "mine")
    git("checkout", "-qb", "theirs")
    shutil.copytree(folder, FOLDER / "theirs")
    commit()
    assert "explainer mine is that of results/submissions/mine" in check("theirs", code=2)[1]


def of_mine(row):
    return row["plugin_id"] == "mine"


def other_explainers(scores):
    mine = {row["key"] for _, row in scores.rows("component") if of_mine(row)}
    swap(scores, "cell", "explainer", lambda row: row["explainer"] in mine and row["control"] == "none")


def later(scores):
    for place, row in scores.rows("attempt"):
        scores.put(place, {**row, "started_at": "9999-12-31T00:00:00.000Z"})


def other_names(scores):
    swap(scores, "component", "name", of_mine)
    names = {row["key"]: row["name"] for _, row in scores.rows("component")}
    for place, row in scores.rows("run_component"):
        scores.put(place, {**row, "name": names[row["component"]]})


def fewer_scores(scores):
    gone = [place for place, row in scores.rows("score") if row["metric"] == "surf_emd"]
    scores.lines = [line for place, line in enumerate(scores.lines) if place not in gone]


def other_machine(scores):
    for place, row in scores.rows("environment"):
        scores.put(place, {**row, "text": row["text"].replace("features: ", "features: another ")})


FORGERIES = {
    "explainers": (other_explainers, 5, "its key is not that of its components"),
    "controls": (lambda scores: swap(scores, "cell", "control"), 5, "its key is not that of its components"),
    "seeds": (lambda scores: swap(scores, "cell", "seed"), 5, "its key is not that of its components"),
    "parameters": (lambda scores: swap(scores, "component", "params", of_mine), 5, "its key is not that of its plugin"),
    "names": (other_names, 6, "(name of the explainer) mine"),
    "environment": (other_machine, 5, "environment "),
    "deleted": (fewer_scores, 6, "surf_emd no score, and here "),
    "dates": (later, 5, "the date 9999-12-31T00:00:00.000Z is not of the past"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forgeries(mine, name):
    forge, code, message = FORGERIES[name]
    scores = Scores(FOLDER / "mine/scores.gz")
    forge(scores)
    scores.write()
    commit()
    assert message in "".join(check("mine", code=code))
