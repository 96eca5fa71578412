# SPDX-License-Identifier: Apache-2.0
"""The golden values of the papers' own code, through arrays alone: every case that has the arrays of
a whole subject, by conoscope.measure(), which is the command."""

import json

import numpy as np
import pytest

import conoscope
from conftest import ROOT

GOLDEN = ROOT / "tests/golden"


def cases(family, kind):
    table = json.loads((GOLDEN / family / "cases.json").read_text())["cases"]
    return [case for case in table if case.get("kind", case.get("metric")) == kind]


def arrays(family, case):
    def file(entry):
        return entry["file"] if isinstance(entry, dict) else entry

    return {name: np.load(GOLDEN / family / file(of)) for name, of in case["inputs"].items()}


def number(expected):
    return expected["value"] if isinstance(expected, dict) else expected


def check(case, scores, names):
    """names: metric -> the case's own name of it."""
    tolerance = case["tolerance"]
    for metric, name in names.items():
        wanted = number(case["expected"][name])
        assert scores[metric].value is not None, f"{metric}: {scores[metric]}"
        assert scores[metric].value == pytest.approx(
            wanted, rel=tolerance["rel"], abs=tolerance["abs"]
        ), metric


def by_id(found):
    return pytest.mark.parametrize("case", found, ids=[case["id"] for case in found])


def head_view(given):
    """Golden explanations are C x K x D with importances C x K: each output has K rows of its own."""
    given["cavs"] = given["cavs"].reshape(-1, given["cavs"].shape[-1])
    outputs, concepts = given["alphas"].shape
    return {
        "activations": given["H"],
        "head_weight": given["W"],
        "head_bias": given["b"],
        "cavs": given["cavs"],
        "importance": given["alphas"].ravel(),
        "counts": np.full(outputs, concepts),
    }


@by_id(cases("faithfulness", "surf"))
def test_surf(case):
    given = head_view(arrays("faithfulness", case))
    names = {"surf_mae": "mae", "surf_emd": "emd", "surf_top1": "top1"}
    if len(given["head_bias"]) == 1:
        with pytest.raises(ValueError, match="one output has no softmax"):
            conoscope.measure("surf", **given)
        return
    check(case, conoscope.measure("surf", **given), names)


@by_id(cases("faithfulness", "surf_ragged"))
def test_surf_with_another_number_of_concepts_for_each_output(case):
    given = arrays("faithfulness", case)
    scores = conoscope.measure(
        "surf",
        activations=given["H"],
        head_weight=given["W"],
        head_bias=given["b"],
        cavs=given["cavs_concat"],
        importance=given["alphas_concat"],
        counts=given["counts"],
    )
    check(case, scores, {"surf_mae": "mae", "surf_emd": "emd", "surf_top1": "top1"})


@by_id(cases("faithfulness", "surf_regression"))
def test_surf_of_a_regressor(case):
    given = head_view(arrays("faithfulness", case))
    check(case, conoscope.measure("surf", output="regression", **given), {"surf_mae": "mae"})


@by_id(cases("faithfulness", "surf_multi_attribute"))
def test_surf_of_attributes(case):
    given = head_view(arrays("faithfulness", case))
    scores = conoscope.measure("surf", output="sigmoid", **given)
    names = {"surf_mae": "mae", "surf_attr_acc": "attr_acc", "surf_prob_mae": "mean_abs_prob_diff"}
    check(case, scores, names)


@by_id(cases("leakage", "leakage_scores"))
def test_leakage(case):
    given = arrays("leakage", case)
    scores = conoscope.measure(
        "ctl", "icl", concept_scores=given["c_hat"], concepts=given["c"], labels=given["y"]
    )
    check(case, scores, {"ctl": "CTL", "icl": "ICL"})


@by_id(cases("leakage", "accuracies"))
def test_accuracies(case):
    given = arrays("leakage", case)
    scores = conoscope.measure(
        "leakage",
        concept_scores=given["c_prob"],
        concepts=given["c"],
        labels=given["y"],
        task_outputs=given["y_prob"],
    )
    # Not concept_accuracy: at p = 0.5 exactly the reference says absent, we say present.
    check(case, scores, {"task_auc": "y_auc", "task_accuracy": "y_accuracy"})


IRS = [
    case
    for case in cases("disentanglement", "irs")
    if "paper.avg" in case["expected"] and "discretised" not in case["id"]
]


@by_id(IRS)
def test_irs(case):
    given = arrays("disentanglement", case)
    scores = conoscope.measure("irs", codes=given["Z"], factors=given["G"])
    check(case, scores, {"irs_score": "paper.avg"})


@by_id(cases("disentanglement", "mig_modularity"))
def test_mig(case):
    given = arrays("disentanglement", case)
    scores = conoscope.measure("mig", codes=given["Z_train"], factors=given["G_train"])
    check(case, scores, {"mig": "mig_dropping_one_valued_factor"})
