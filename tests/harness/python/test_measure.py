# SPDX-License-Identifier: Apache-2.0
"""conoscope.measure(): arrays in, scores out."""

import json
import math
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import conoscope
from conoscope import _command


def test_the_perfect_explanation_is_perfect(explained):
    scores = conoscope.measure("surf", **explained)
    assert scores["surf_mae"].value == pytest.approx(0, abs=1e-9)
    assert scores["surf_top1"].value == 1
    assert scores["surf_mae"].better == "lower"
    assert scores.judged == ["files"]
    # Every row was judged, and the number is the mean of its parts.
    assert np.array_equal(scores.rows, np.arange(899))
    assert scores["surf_mae"].parts.shape == (899,)
    assert scores["surf_mae"].parts.mean() == pytest.approx(scores["surf_mae"].value, abs=1e-12)


def test_the_help_names_parameters_that_there_are():
    examples = re.findall(r'"(\w+)\((\w+)=', conoscope.measure.__doc__)
    assert examples
    for explainer, parameter in examples:
        _, told, _ = _command.call(["plugin", "info", explainer])
        assert re.search(rf"^ *{parameter} ", told, re.M), told


def test_numpy_says_the_same(explained):
    """SURF's MAE by hand: the surrogate's logits against the head's, with importances halved."""
    explained["importance"] = np.full(10, 0.5)
    pooled = explained["activations"].astype(float).reshape(899, 16, 64).mean(axis=1)
    linear = pooled @ explained["head_weight"].astype(float).T
    logits = linear + explained["head_bias"]
    surrogate = 0.5 * linear + explained["head_bias"]
    found = conoscope.measure("surf_mae", **explained)["surf_mae"].value
    assert found == pytest.approx(np.abs(logits - surrogate).mean(), rel=1e-6)


def test_the_command_says_the_same(explained, tmp_path):
    np.savez(tmp_path / "explained.npz", **explained)
    answer = subprocess.run(
        [_command.command(), "measure", "surf", "explained.npz", "--format", "json"],
        check=True,
        stdout=subprocess.PIPE,
    )
    by_command = {row["metric"]: row["value"] for row in json.loads(answer.stdout)}
    by_python = {score.metric: score.value for score in conoscope.measure("surf", **explained).all()}
    assert by_python == by_command


@pytest.mark.parametrize(
    "kind", ["float16", ">f4", "<f8", "fortran", "list", "labels uint8", "file", "strided"]
)
def test_whatever_holds_the_numbers(explained, kind, tmp_path):
    # Numbers that float16 holds, so that every kind holds the same ones.
    small = {**explained, "activations": explained["activations"].astype("f2").astype("f4")}
    wanted = conoscope.measure("surf_emd", **small)["surf_emd"].value
    h = small["activations"]
    if kind == "fortran":
        small["activations"] = np.asfortranarray(h)
    elif kind == "list":
        small["head_bias"] = list(small["head_bias"])
    elif kind == "labels uint8":
        small["labels"] = small["labels"].astype("u1")
    elif kind == "file":
        np.save(tmp_path / "h.npy", h)
        small["activations"] = tmp_path / "h.npy"
    elif kind == "strided":
        small["activations"] = np.repeat(h, 2, axis=0)[::2]
    else:
        small["activations"] = h.astype(kind)
    assert conoscope.measure("surf_emd", **small)["surf_emd"].value == wanted


def test_what_has_array_or_dlpack(explained):
    class HasArray:
        def __init__(self, array):
            self.array = array

        def __array__(self, dtype=None, copy=None):
            return self.array

    class HasDlpack:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    wanted = conoscope.measure("surf_emd", **explained)["surf_emd"].value
    for kind in HasArray, HasDlpack:
        other = {**explained, "activations": kind(explained["activations"])}
        assert conoscope.measure("surf_emd", **other)["surf_emd"].value == wanted


def test_explainers_and_repeats(digits):
    call = dict(explain=["svd", "kmeans(k=3)"], splits=3, seed=7, **digits)
    scores = conoscope.measure("surf_mae", "surf_emd", **call)
    assert scores.judged == ["svd", "kmeans(k=3)"]
    with pytest.raises(KeyError, match="of which"):
        scores["surf_mae"]
    score = scores.of("svd")["surf_mae"]
    low, high = score.interval
    assert low < score.value < high and score.value == pytest.approx((low + high) / 2)
    assert score.splits == (3, 3) and "splits" not in str(score)
    assert conoscope.measure("surf_mae", "surf_emd", **call).all() == scores.all()
    assert conoscope.measure("surf_mae", **{**call, "seed": 8}).of("svd")["surf_mae"] != score


def test_metrics_over_seeds_compare_the_splits(digits):
    found = conoscope.measure("stability", explain="svd(k=1)", splits=2, seed=3, **digits)
    first, second = (
        conoscope.explain("svd", conoscope.HeadView(**digits), seed=seed, k=1).cavs.astype(float)
        for seed in (3, 4)
    )
    norms = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    wanted = np.mean(np.abs((first * second).sum(axis=1)) / norms)
    assert 0 < wanted < 1
    assert found["stability"].value == pytest.approx(wanted, rel=1e-6)
    assert found["stability"].parts.tolist() == pytest.approx([wanted], rel=1e-6)
    once = conoscope.measure("stability", explain="svd(k=1)", **digits)["stability"]
    assert once.splits is None
    assert once.value is None and "several splits (--splits)" in once.message


def test_concepts_and_codes():
    random = np.random.default_rng(0)
    truth = random.integers(0, 2, (300, 3))
    scores = conoscope.measure(
        concept_scores=0.9 * truth + 0.1 * random.random((300, 3)),
        concepts=truth,
        codes=truth + 0.01 * random.standard_normal((300, 3)),
        factors=truth,
        split=0.5,
    )
    assert scores["concept_accuracy"].value == 1
    assert scores["concept_accuracy"].parts.tolist() == [1, 1, 1]
    assert len(set(scores["concept_accuracy"].part_names)) == 3
    assert scores["dci_disentanglement"].value > 0.99
    # What is missing is there, with the array that would bring it.
    assert scores["task_accuracy"].reason == "not_applicable"
    assert scores["task_accuracy"].message == "needs labels"
    assert math.isnan(float(scores["surf_mae"]))


def test_a_head_over_the_concepts_answers_interventions():
    random = np.random.default_rng(0)
    truth = random.integers(0, 2, (300, 4))
    weight, bias = random.standard_normal((3, 4)), random.standard_normal(3)
    concepts = np.clip(truth + 0.6 * random.standard_normal((300, 4)), 0, 1)
    given = {
        "concept_scores": concepts,
        "concepts": truth,
        "labels": (truth @ weight.T + bias).argmax(axis=1),
        "task_outputs": concepts @ weight.T + bias,
    }
    without = conoscope.measure("intervention_random", **given)["intervention_random"]
    assert without.value is None and without.message == "the model answers no interventions"
    score = conoscope.measure(
        "intervention_random", concept_head_weight=weight, concept_head_bias=bias, **given
    )["intervention_random"]
    accuracy = (given["task_outputs"].argmax(axis=1) == given["labels"]).mean()
    # A part for each number of corrected concepts: from none to all, of which the head is right.
    assert len(score.parts) == 5
    assert score.parts[0] == pytest.approx(accuracy) and score.parts[-1] == 1
    # Two pairs of concepts, each told at once.
    score = conoscope.measure(
        "intervention_oracle",
        concept_head_weight=weight,
        concept_head_bias=bias,
        concept_groups=np.array([0, 0, 1, 1]),
        **given,
    )["intervention_oracle"]
    assert len(score.parts) == 3 and score.parts[-1] == 1
    assert score.message == "concepts were told in 2 groups"


def test_the_arrays_are_those_of_the_command():
    from conoscope._measure import ARRAYS

    text = _command.call(["measure", "--help"])[1]
    for name in ARRAYS:
        assert f"--{name.replace('_', '-')} FILE" in text
        assert name in conoscope.measure.__doc__, name
    # All that take a FILE are arrays, but for the store.
    assert text.count(" FILE ") - text.count("--store FILE") == len(ARRAYS)


def test_how_scores_are_shown(explained):
    scores = conoscope.measure("surf", **explained)
    assert repr(scores).splitlines()[0].split() == ["metric", "value"]
    assert "surf_top1" in repr(scores) and "surf_attr_acc" in repr(scores)
    assert "<td>surf_top1</td><td>1</td>" in scores._repr_html_()
    assert len(scores) == len(list(scores)) == len(scores.all())
    with pytest.raises(KeyError, match="no score surf_mea"):
        scores["surf_mea"]
    assert "parts=899 float64" in repr(scores["surf_mae"])
    pytest.importorskip("pandas")
    frame = scores.to_dataframe()
    assert list(frame.columns)[:3] == ["judged", "metric", "value"]
    assert frame.set_index("metric").loc["surf_top1", "value"] == 1


def shown(judged, **values):
    """Scores by metric: a number, or why there is none."""
    return [
        conoscope.Score(metric, judged, *((value,) if isinstance(value, float) else (None, "lower", "error", value)))
        for metric, value in values.items()
    ]


def test_data_frames_need_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    for asked_by in ("table", "to_dataframe"):
        with pytest.raises(ImportError, match=f"{asked_by}.*pip install pandas"):
            getattr(conoscope.Scores(shown("svd", surf_mae=0.5)), asked_by)()


def test_methods_are_shown_by_metrics():
    scores = conoscope.Scores(
        shown("model", concept_auc=0.5)
        + shown("svd", surf_mae=0.123456, surf_emd=2.0, surf_attr_acc="softmax outputs")
        + shown("craft(k=5)", surf_mae="fit: < 0", surf_emd="fit: < 0", surf_attr_acc="fit: < 0")
        + shown("pca", surf_mae=3.0, surf_emd=1.0, surf_attr_acc="softmax outputs")
        + shown("", purity="needs concepts")
    )
    assert repr(scores) == """\
model        value
concept_auc  0.5

            surf_mae  surf_emd  surf_attr_acc
svd         0.1235    2         -
craft(k=5)  -         -         -
pca         3         1         -

svd, pca: surf_attr_acc: softmax outputs
craft(k=5): fit: < 0"""
    assert repr(scores.of("craft(k=5)")).count("fit: < 0") == 1
    html = scores._repr_html_()
    assert "<tr><th></th><th>surf_mae</th><th>surf_emd</th><th>surf_attr_acc</th></tr>" in html
    assert "<tr><td>svd</td><td>0.1235</td><td>2</td><td>-</td></tr>" in html
    assert html.count("fit: &lt; 0") == 1
    pytest.importorskip("pandas")
    table = scores.table()
    assert list(table.index) == ["model", "svd", "craft(k=5)", "pca"]
    assert list(table.columns) == ["concept_auc", "surf_mae", "surf_emd", "surf_attr_acc"]
    assert table.loc["svd", "surf_mae"] == 0.123456 and math.isnan(table.loc["craft(k=5)", "surf_mae"])


def test_a_chart_where_altair_is(digits, monkeypatch):
    scores = conoscope.measure("surf_mae", explain=["svd"], controls=["random_concepts"], splits=3, **digits)
    with pytest.raises(KeyError, match="surf_emd"):
        scores.plot("surf_emd")
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "altair", None)
        with pytest.raises(ImportError, match="pip install altair"):
            scores.plot("surf_mae")
    pytest.importorskip("altair")
    data = scores.plot("surf_mae").to_dict()["data"]["values"]
    assert [row["series"] for row in data] == ["method", "its twin: random_concepts"]
    assert data[0]["mean"] == scores.of("svd")["surf_mae"].value
    assert (data[0]["low"], data[0]["high"]) == scores.of("svd")["surf_mae"].interval


def test_a_wide_table_goes_on_below():
    names = [f"metric_{i:02}" for i in range(12)]
    scores = conoscope.Scores([s for m in ("svd", "pca") for s in shown(m, **dict.fromkeys(names, 0.5))])
    first, second = repr(scores).split("\n\n")
    assert first.split() == names[:8] + ["svd"] + ["0.5"] * 8 + ["pca"] + ["0.5"] * 8
    assert second.split()[:4] == names[8:] and max(map(len, first.splitlines())) <= 100


def test_of_some_splits_it_says_of_how_many():
    score = conoscope.Score("surf_mae", "svd", 0.5, reason="", message="", interval=(0.4, 0.6), splits=(2, 3))
    assert str(score) == "0.5 ± 0.1 (2 of 3 splits)"
    assert repr(conoscope.Scores([score])).endswith("0.5 ± 0.1\n\n2 of 3 splits")


def test_a_bar_where_tqdm_is(digits, bars):
    call = dict(explain=["svd", "kmeans(k=3)"], splits=2, **digits)
    conoscope.measure("surf_mae", progress=False, **call)
    assert bars == []
    conoscope.measure("surf_mae", **call)
    assert [(bar.n, bar.total) for bar in bars] == [(4, 4)]
    assert "split 2 of 2" in bars[0].text
    with pytest.raises(ValueError, match="did you mean surf_mae"):
        conoscope.measure("surf_may", **call)
    assert len(bars) == 1


def test_scores_are_kept_under_a_name(explained):
    conoscope.measure("surf", **explained)
    assert not os.path.exists("conoscope.db")
    conoscope.measure("surf", name="ours", dataset_name="digits", store="kept.db", **explained)
    kept = conoscope.Store("kept.db").query(
        "SELECT DISTINCT dataset.name AS dataset, explainer.name AS explainer FROM current_score "
        "JOIN cell ON cell.key = current_score.cell "
        "JOIN component AS dataset ON dataset.key = cell.dataset "
        "JOIN component AS explainer ON explainer.key = cell.explainer"
    )
    kept = kept if isinstance(kept, list) else kept.to_dict("records")
    assert kept == [{"dataset": "digits", "explainer": "ours"}]


def test_controls_are_judged_beside(explained):
    scores = conoscope.measure("surf_mae", "surf_top1", controls=["random_concepts"], **explained)
    assert scores.judged == ["files", "files, random_concepts"]
    control = scores.of("files, random_concepts")
    assert control["surf_mae"].control == "random_concepts" and control["surf_mae"].judged == "files"
    assert control["surf_mae"].value > scores.of("files")["surf_mae"].value
    assert control["surf_mae"].parts.mean() == pytest.approx(control["surf_mae"].value, abs=1e-12)


MINE = '''
# /// conoscope
# kind = "explainer"
# id = "mine"
# version = "1"
# needs = ["head_view"]
# offers = ["explanation"]
# ///
import numpy as np
import conoscope.plugin as cp


class Mine(cp.Explainer):
    def fit(self, head, context):
        outputs = len(head.head_weight)
        return cp.Explanation(
            cavs=head.head_weight, importance=np.ones(outputs), counts=np.ones(outputs)
        )


cp.main(Mine)
'''


def test_explainers_of_ones_own(digits, tmp_path, monkeypatch):
    monkeypatch.setenv("CONOSCOPE_PYTHON", sys.executable)
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins/mine.py").write_text(MINE)
    with pytest.raises(ValueError, match="no explainer of that id"):
        conoscope.measure("surf_top1", explain="mine", **digits)
    scores = conoscope.measure("surf_top1", explain="mine", plugin_path="plugins", **digits)
    assert scores["surf_top1"].value == 1
    explanation = conoscope.explain("mine", conoscope.HeadView(**digits), plugin_path=["plugins"])
    assert np.array_equal(explanation.cavs, digits["head_weight"])


def refusal(**arrays):
    with pytest.raises(ValueError) as caught:
        conoscope.measure("surf", **arrays)
    return str(caught.value)


def test_mistakes_are_named_by_array_and_value(explained):
    def changed(name, array):
        return {**explained, name: array}

    h = explained["activations"].copy()
    h[3, 0, 1, 12] = np.nan
    assert "activations: the value at [3, 0, 1, 12] is nan" in refusal(**changed("activations", h))
    assert "labels: its dtype is object" in refusal(**changed("labels", np.array([None] * 899)))
    assert "labels: its dtype is <U1" in refusal(**changed("labels", ["a"] * 899))
    assert "head_weight: its dtype is complex" in refusal(
        **changed("head_weight", explained["head_weight"].astype(complex))
    )
    assert "activations: " in refusal(**changed("activations", [[1, 2], [3]]))
    assert "no metric, group, metric plugin or file surff (did you mean surf?)" in str(
        pytest.raises(ValueError, conoscope.measure, "surff", **explained).value
    )
    with pytest.raises(TypeError, match="takes no array 'lables'"):
        conoscope.measure(lables=explained["labels"])
    with pytest.raises(ValueError, match="no arrays"):
        conoscope.measure("surf")


def test_nothing_is_left_behind(explained, tmp_path):
    conoscope.measure("surf_mae", **explained)
    refusal(**{**explained, "labels": explained["labels"][:-1]})
    assert not list(pathlib.Path("/dev/shm").glob(f"conoscope-{os.getpid()}-*"))
    assert not list((tmp_path / "cache").glob("work/*"))
