# SPDX-License-Identifier: Apache-2.0
"""conoscope.run(), plan() and Store."""

import pathlib
import sys

import numpy as np
import pytest

import conoscope
from conoscope import _toml

ROOT = pathlib.Path(__file__).resolve().parents[3]
DIGITS = ROOT / "datasets/precomputed/digits/digits.npz"


def digits_run(**more):
    return {
        "name": "mine",
        "seeds": [0, 1],
        "metrics": ["surf_mae", "surf_emd"],
        "dataset": [{"id": "precomputed", "name": "digits", "params": {"archive": DIGITS}}],
        "model": [{"id": "precomputed"}],
        "explainer": [{"id": "svd"}, {"id": "kmeans", "params": {"k": np.int64(3)}}],
        **more,
    }


def rows(table):
    return table if isinstance(table, list) else table.to_dict("records")


def test_a_run_and_its_store(tmp_path):
    planned = rows(conoscope.plan(digits_run()))
    assert len(planned) == 4 and {cell["state"] for cell in planned} == {"to do"}
    assert not pathlib.Path("conoscope.db").exists()

    store = conoscope.run(digits_run())
    assert {cell["state"] for cell in rows(conoscope.plan(digits_run()))} == {"done"}
    assert not list(tmp_path.glob(".conoscope-*"))

    board = rows(store.board(metric="surf_emd"))
    assert {row["explainer"] for row in board} == {"svd", "kmeans(k=3)"}
    assert all(0 <= row["surf_emd"] <= 1 for row in board)
    assert rows(store.query("SELECT count(*) AS n FROM attempt")) == [{"n": 4}]
    assert rows(store.query("-- all\nSELECT count(*) AS n FROM attempt")) == [{"n": 4}]
    compared = rows(store.compare("svd", "kmeans(k=3)", metric=["surf_mae", "surf_emd"]))
    assert {row["metric"] for row in compared} == {"surf_mae", "surf_emd"}
    assert len(rows(store.history("surf_mae"))) == 4
    assert store.status()


def test_results_are_taken_from_another_store():
    first = conoscope.run(digits_run())
    second = conoscope.run(digits_run(), store="second.db", take_from=first)
    attempts = "SELECT id, started_at FROM attempt ORDER BY id"
    assert rows(second.query(attempts)) == rows(first.query(attempts))
    with pytest.raises(conoscope.ConoscopeError, match="no such file"):
        conoscope.run(digits_run(), store="third.db", take_from="none.db")
    assert not pathlib.Path("third.db").exists()


def test_the_results_that_ship():
    shipped = conoscope.Store("published")
    runs = rows(shipped.status()["runs"])
    assert runs and all(run["asked"] == run["good"] + run["failed"] for run in runs)
    assert rows(shipped.board(run=runs[-1]["run"]))


def test_a_board_as_a_picture(monkeypatch):
    store = conoscope.run(digits_run(controls=["none", "random_concepts"]))
    values = {row["explainer"]: row["surf_emd"] for row in rows(store.board(metric="surf_emd"))}
    cell = rows(store.query("SELECT key FROM cell WHERE control = 'none' LIMIT 1"))[0]["key"]
    assert "its twin: random_concepts" in store.show_sample(cell, 3).svg
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "altair", None)
        assert "kmeans(k=3)" in store.plot("surf_emd").svg
    altair = pytest.importorskip("altair")
    chart = store.plot("surf_emd")
    assert isinstance(chart, altair.LayerChart)
    data = chart.to_dict()["data"]["values"]
    drawn = {row["name"]: row for row in data if row["series"] == "method"}
    assert {name: row["mean"] for name, row in drawn.items()} == pytest.approx(values)
    assert all(row["low"] <= row["mean"] <= row["high"] for row in data)
    assert {row["series"] for row in data} == {"method", "its twin: random_concepts"}


def test_without_pandas_answers_are_dicts(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert conoscope.plan(digits_run())[0]["dataset"] == "digits"


def test_a_bar_where_tqdm_is(bars):
    conoscope.run(digits_run())
    assert [(bar.n, bar.total) for bar in bars] == [(4, 4)]
    assert "digits" in bars[0].text


def test_mistakes_are_told_without_a_bar(bars):
    with pytest.raises(ValueError, match="nowhere.toml"):
        conoscope.run("nowhere.toml")
    assert bars == []


def test_what_the_store_does(tmp_path):
    store = conoscope.run(digits_run())
    exported = rows(store.export())
    assert len(exported) == 8 and {row["metric"] for row in exported} == {"surf_mae", "surf_emd"}
    assert rows(store.export("mine")) == exported

    page = store.report("mine", output="page.html")
    assert page == pathlib.Path("page.html") and "surf_mae" in page.read_text()

    cell = rows(store.query("SELECT key FROM cell ORDER BY key"))[0]["key"]
    shown = {name: rows(table) for name, table in store.show(cell[:8]).items()}
    assert shown.keys() == {"cell", "attempts", "scores", "parts"}
    assert len(shown["attempts"]) == 1 and len(shown["scores"]) == 2

    checked = {name: rows(table) for name, table in store.verify(sample=1, seed=3).items()}
    assert [row["verdict"] for row in checked["cells"]] == ["same"] and not checked["environments"]

    said = conoscope.Store("all.db").merge(store, jobs=2)
    assert "4 new attempts" in said and len(rows(conoscope.Store("all.db").export())) == 8

    said = store.retract(cell[:8], "trained on the test split")
    assert said.startswith("retracted: attempt")
    assert rows(store.query("SELECT count(*) AS n FROM current_score")) == [{"n": 6}]
    with pytest.raises(ValueError, match="--reason TEXT is missing"):
        store.retract(cell[:8], " ")
    with pytest.raises(ValueError, match="no cell here has a summary"):
        store.export(summaries="pictures.npz")


def test_mistakes(tmp_path):
    with pytest.raises(ValueError, match="no explainer svdd .did you mean svd"):
        conoscope.run(digits_run(explainer=[{"id": "svdd"}]))
    with pytest.raises(TypeError, match="explainer.params.k: a run file has no set"):
        conoscope.run(digits_run(explainer=[{"id": "kmeans", "params": {"k": {1, 2}}}]))
    with pytest.raises(conoscope.ConoscopeError, match="none.db: no such file"):
        conoscope.Store("none.db").history("surf_mae")
    (tmp_path / "w.npy").write_bytes(b"no array")
    with pytest.raises(conoscope.ConoscopeError) as caught:
        conoscope.run(
            digits_run(
                dataset=[{"id": "precomputed", "params": {"archive": DIGITS, "head_weight": "w.npy"}}]
            )
        )
    assert caught.value.code == 4
    assert rows(caught.value.store.query("SELECT DISTINCT status FROM attempt")) == [{"status": "failed"}]


def test_toml():
    text = _toml.dumps(
        {
            "name": 'a "b"\\\n',
            "limits": {"seconds": 1.5},
            "flag": True,
            "range": range(2),
            "model": [{"id": "x", "params": {"k": [1, 2], "a b": "c"}}],
        }
    )
    wanted = (
        'name = "a \\"b\\"\\\\\\u000a"\nflag = true\nrange = [0, 1]\n\n[limits]\nseconds = 1.5\n\n'
        '[[model]]\nid = "x"\nparams = { k = [1, 2], "a b" = "c" }\n'
    )
    assert text == wanted
    with pytest.raises(TypeError, match="seed: nan has no place"):
        _toml.dumps({"seed": float("nan")})
