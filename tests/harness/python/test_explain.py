# SPDX-License-Identifier: Apache-2.0
"""conoscope.explain(): an explainer's arrays."""

import base64
import re

import numpy as np
import pytest

import conoscope


@pytest.fixture
def head(digits):
    return conoscope.HeadView(
        **digits, train_index=np.arange(600), test_index=np.arange(600, 899)
    )


def test_what_is_explained_is_judged_alike(digits, head):
    explanation = conoscope.explain("kmeans", head, k=3)
    assert explanation.method == "kmeans(k=3)"
    assert explanation.cavs.shape[1] == 64
    cavs, importance = explanation.of(9)
    assert len(cavs) == len(importance) == 3
    by_hand = conoscope.measure("surf", **head.arrays(), **explanation.arrays())
    at_once = conoscope.measure("surf", explain="kmeans(k=3)", **head.arrays())
    values = {score.metric: score.value for score in by_hand.all()}
    assert values == {score.metric: score.value for score in at_once.all()}


def test_what_the_head_makes_of_its_inputs_goes_with_the_arrays():
    rng = np.random.default_rng(0)
    view = conoscope.HeadView(
        rng.random((40, 2, 3)), rng.normal(size=(4, 6)), np.zeros(4), output="regression", pooling="flatten"
    )
    # Without: six columns for three features, and classes where there are none.
    assert conoscope.measure("surf_mae", **view.arrays(), explain="perfect").all() is not None
    assert (view.arrays()["output"], view.arrays()["pooling"]) == ("regression", "flatten")


def test_arrays_are_shown_by_their_shapes(head):
    assert repr(head) == (
        "HeadView(activations=899 x 4 x 4 x 64 float32, head_weight=10 x 64 float32, "
        "head_bias=10 float32, labels=899 int64, train_index=600 int64, test_index=299 int64, "
        "output='softmax', pooling='auto')"
    )
    shown = repr(conoscope.HeadView([[1, 2]], np.ones((3, 2)), [0, 0, 0]))
    assert "activations=list of 1, head_weight=3 x 2 float64" in shown
    explanation = conoscope.Explanation("svd", np.ones((4, 64)), np.ones((10, 4)))
    assert repr(explanation) == (
        "Explanation(method='svd', cavs=4 x 64 float64, importance=10 x 4 float64)"
    )


def test_an_explanation_shows_how_it_makes_an_answer(head, tmp_path):
    explanation = conoscope.explain("nmf", head, k=3)
    picture = explanation.show(17, controls=["random_importance"])
    assert "KiB" in repr(picture)
    shown = re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', picture._repr_html_())[1]
    assert base64.b64decode(shown).decode() == picture.svg
    bars = re.findall(r'<rect class="(\w+)" data-from="(\S+)" data-to="(\S+)"', picture.svg)
    own = bars[: len(bars) // 2]
    total = sum(float(to) - float(start) for kind, start, to in own if kind in ("bias", "term"))
    (said,) = [float(to) for kind, _, to in own if kind == "surrogate"]
    assert total == pytest.approx(said, abs=1e-9)
    logits = head.activations[617].mean((0, 1)) @ np.asarray(head.head_weight).T + head.head_bias
    (model,) = [float(to) for kind, _, to in own if kind == "model"]
    assert model == pytest.approx(logits.max(), abs=1e-4)
    picture.save(tmp_path / "sample.svg")
    assert (tmp_path / "sample.svg").read_text() == picture.svg
    with pytest.raises(ValueError, match="there is no test sample 299"):
        explanation.show(299)
    bare = conoscope.Explanation("mine", explanation.cavs, explanation.importance)
    with pytest.raises(ValueError, match="does not come from conoscope.explain"):
        bare.show(0)


def test_mistakes(head):
    with pytest.raises(ValueError, match="did you mean svd"):
        conoscope.explain("svdd", head)
    with pytest.raises(ValueError, match="kmeans: no parameter q"):
        conoscope.explain("kmeans", head, q=3)
    head.labels = head.labels[:-1]
    with pytest.raises(ValueError, match="labels: labels has 898 rows"):
        conoscope.explain("svd", head)
