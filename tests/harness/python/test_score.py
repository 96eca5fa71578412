# SPDX-License-Identifier: Apache-2.0
"""conoscope.score(): a dictionary object in, scores out. Small stand-ins have the interfaces of libraries."""

import pathlib
import re
import sys

import numpy as np
import pytest

import conoscope
from conftest import ROOT
from conoscope import _dictionary

LATENTS, WIDTH = 24, 64


class Tensor:
    """As much of PyTorch's as the stand-ins use."""

    def __init__(self, array, dtype=np.float32):
        self.array = np.asarray(array, dtype=dtype)
        self.dtype, self.shape = self.array.dtype, self.array.shape

    def new_tensor(self, data):
        assert type(data) is np.ndarray
        return Tensor(data, self.dtype)

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self.array

    def clip(self):
        return Tensor(np.maximum(self.array, 0), self.dtype)

    def __matmul__(self, other):
        assert type(other) is Tensor and other.dtype == self.dtype
        return Tensor(self.array @ other.array, self.dtype)

    def __add__(self, other):
        assert type(other) is Tensor
        return Tensor(self.array + other.array, self.dtype)

    def __sub__(self, other):
        assert type(other) is Tensor
        return Tensor(self.array - other.array, self.dtype)


def weights(seed=0, latents=LATENTS):
    """Encoder D x K, dictionary K x D with rows of several lengths, biases K and D."""
    random = np.random.default_rng(seed)
    dictionary = random.standard_normal((latents, WIDTH)) * random.uniform(0.5, 2, (latents, 1)) / 8
    return dictionary.T * 1.5, dictionary, random.normal(0, 0.1, latents), random.normal(0, 0.1, WIDTH)


class LikeSaeLens:
    def __init__(self, seed=0):
        self.W_enc, self.W_dec, self.b_enc, self.b_dec = map(Tensor, weights(seed))

    def encode(self, x):
        return ((x - self.b_dec) @ self.W_enc + self.b_enc).clip()

    def decode(self, feature_acts):
        return feature_acts @ self.W_dec + self.b_dec


class LikeOvercomplete:
    def __init__(self):
        self._encoder, self._dictionary, self._bias, _ = map(Tensor, weights())

    def parameters(self):
        yield self._encoder

    def encode(self, x):
        pre_codes = x @ self._encoder + self._bias
        return pre_codes, pre_codes.clip()

    def decode(self, z):
        return z @ self._dictionary

    def get_dictionary(self):
        return self._dictionary


class LikeInterpreto:
    def __init__(self):
        self.concept_model = LikeOvercomplete()

    def encode(self, activations):
        return self.concept_model.encode(activations)[1]

    def decode(self, concepts):
        return self.concept_model.decode(concepts)


class OnlyWraps:
    def __init__(self):
        self.concept_model = LikeOvercomplete()


class Plain:
    """No more than the two functions, of NumPy."""

    def __init__(self, seed=0, latents=LATENTS):
        self._encoder, self._dictionary, self._bias, self._mean = weights(seed, latents)

    def encode(self, x):
        assert type(x) is np.ndarray
        return np.maximum((x - self._mean) @ self._encoder + self._bias, 0)

    def decode(self, codes):
        return codes @ self._dictionary + self._mean


class Upside(Plain):
    """Its atoms are columns, and it has no decode()."""

    decode = None

    def __init__(self):
        super().__init__()
        self.W_dec, self.b_dec = self._dictionary.T, self._mean


OBJECTS = [LikeSaeLens, LikeOvercomplete, LikeInterpreto, OnlyWraps, Plain, Upside]


@pytest.fixture
def given(digits):
    """The digits with a split, so that NumPy can say which rows are judged."""
    test = np.arange(0, 899, 3)
    return {**digits, "train_index": np.setdiff1d(np.arange(899), test), "test_index": test}


def by_hand(given, bias):
    """(SURF's MAE, the pooled rows that are judged, and what is decoded of them), from the weights."""
    encoder, dictionary, b_enc, mean = weights()
    mean = mean if bias else np.zeros(WIDTH)
    rows = given["activations"][given["test_index"]].astype(float).reshape(-1, 16, WIDTH).mean(axis=1)
    decoded = np.maximum((rows - mean) @ encoder + b_enc, 0) @ dictionary + mean
    return np.abs((rows - decoded) @ given["head_weight"].T.astype(float)).mean(), rows, decoded


@pytest.mark.parametrize("kind", OBJECTS)
def test_numpy_says_the_same(kind, given):
    wanted, rows, decoded = by_hand(given, kind in (LikeSaeLens, Plain, Upside))
    activations = given.pop("activations")
    scores = conoscope.score(kind(), activations, "surf_mae", "sae_reconstruction_error", **given)
    assert scores.judged == [kind.__name__]
    assert scores["surf_mae"].value == pytest.approx(wanted, rel=1e-4)
    assert np.array_equal(scores.rows, given["test_index"])
    # What the explanation rebuilds is what the object does.
    lost = ((rows - decoded) ** 2).sum() / (rows**2).sum()
    assert scores["sae_reconstruction_error"].value == pytest.approx(lost, rel=1e-4)


def test_what_a_dictionary_is_read_as(given):
    rows = given["activations"].reshape(-1, WIDTH)
    found = _dictionary.read(Plain(), rows)
    _, dictionary, _, mean = weights()
    assert np.allclose(found.atoms * found.norms[:, None], dictionary)
    assert np.allclose(np.linalg.norm(found.atoms, axis=1), 1)
    assert np.allclose(found.bias, mean)
    assert np.array_equal(found.encode(rows[:5]), Plain().encode(rows[:5].astype(float)))
    assert found.encode(rows[:0]).shape == (0, LATENTS)

    class Silent(Plain):
        def __init__(self):
            super().__init__()
            self._dictionary = self._dictionary * (np.arange(LATENTS) != 3)[:, None]

    found = _dictionary.read(Silent(), rows)
    assert np.array_equal(found.atoms[3], np.zeros(WIDTH)) and found.norms[3] == 1


def test_a_square_dictionary_is_as_its_decoder_says(given):
    class Square(Plain):
        def __init__(self, turned):
            super().__init__(latents=WIDTH)
            self.W_dec = self._dictionary.T if turned else self._dictionary

    rows = given["activations"].reshape(-1, WIDTH)
    _dictionary.read(Square(False), rows)
    with pytest.raises(ValueError, match=r"Square.decode\(\): is off by .* from codes times atoms"):
        _dictionary.read(Square(True), rows)


def test_without_a_head_nothing_is_asked_of_one(given):
    """Whatever the head, the metrics that are asked without one say the same: none of them reads it."""
    random = np.random.default_rng(0)
    arrays = {
        "concepts": (given["labels"][:, None] == np.arange(3)).astype(float),
        "factors": np.stack([given["labels"] % 2, given["labels"] // 2], axis=1),
        **{name: given[name] for name in ("labels", "train_index", "test_index")},
    }
    without = conoscope.score(Plain(), given["activations"], name="mine", **arrays)
    asked = [score.metric for score in without.all() if score.judged]
    for name in ("sae_reconstruction_error", "dci_disentanglement", "nis", "ctl", "monosemanticity"):
        assert without[name].value is not None, name
    head = {"head_weight": random.standard_normal((10, WIDTH)), "head_bias": random.standard_normal(10)}
    other = conoscope.score(Plain(), given["activations"], *asked, name="mine", **head, **arrays)
    for score in without.all():
        if score.judged:
            assert other[score.metric] == score
        else:
            assert score.message.startswith("needs ")
    # As measure() does: every metric is there, with what it needs, but for those that want to be named.
    assert set(without) == set(conoscope.measure(codes=np.eye(4)))
    named = conoscope.score(Plain(), given["activations"], "surf_mae")
    assert named["surf_mae"].reason == "not_applicable"
    assert named["surf_mae"].message == "needs head_weight and head_bias"


def test_the_decoders_constant_is_a_concept_of_every_row(given):
    """With it an object that rebuilds every row explains the head; without it the logits would be off by
    the same number for all rows."""

    class Whole:
        W_dec = np.concatenate([np.eye(WIDTH), -np.eye(WIDTH)])
        b_dec = np.full(WIDTH, 0.25)

        def encode(self, x):
            return np.maximum((x - self.b_dec) @ self.W_dec.T, 0)

        def decode(self, codes):
            return codes @ self.W_dec + self.b_dec

    activations = given.pop("activations")
    scores = conoscope.score(Whole(), activations, "surf", "sae_reconstruction_error", **given)
    assert scores["surf_mae"].value == pytest.approx(0, abs=1e-6)
    assert scores["surf_top1"].value == 1
    assert scores["sae_reconstruction_error"].value == pytest.approx(0, abs=1e-6)
    alone = conoscope.score(Whole(), activations[:, 0, 0], "surf_mae", **given)
    assert alone["surf_mae"].value == pytest.approx(0, abs=1e-6)


def test_controls_splits_and_the_store(given, tmp_path):
    del given["train_index"], given["test_index"]
    activations = given.pop("activations")
    call = dict(controls=["random_concepts"], splits=2, store="kept.db", dataset_name="digits", **given)
    scores = conoscope.score(Plain(), activations, "surf_mae", name="my SAE", **call)
    assert scores.judged == ["my SAE", "my SAE, random_concepts"]
    assert scores.of("my SAE")["surf_mae"].splits == (2, 2)
    assert conoscope.score(Plain(), activations, "surf_mae", name="my SAE", **call).all() == scores.all()
    conoscope.score(Plain(1), activations, "surf_mae", name="my SAE", **call)
    kept = conoscope.Store("kept.db").query(
        "SELECT count(DISTINCT cell.key) AS cells, count(DISTINCT explainer.key) AS objects, "
        "min(explainer.name) AS name FROM current_score JOIN cell ON cell.key = current_score.cell "
        "JOIN component AS explainer ON explainer.key = cell.explainer"
    )
    (row,) = kept if isinstance(kept, list) else kept.to_dict("records")
    # The same object is the same explanation, whatever the call; another one is another.
    assert row == {"cells": 8, "objects": 2, "name": "served_dictionary(dictionary=my_SAE.npz)"}


def test_an_encoder_of_ones_own(given):
    plain = Plain()
    mine = conoscope.score(plain, given["activations"], "sae_reconstruction_error", encode=lambda x: 0.5 * plain.encode(x))
    theirs = conoscope.score(plain, given["activations"], "sae_reconstruction_error")
    assert mine["sae_reconstruction_error"].value != theirs["sae_reconstruction_error"].value


def test_what_pytorch_gives(given):
    torch = pytest.importorskip("torch")

    class Module(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.W_enc, self.W_dec, self.b_enc, self.b_dec = (
                torch.nn.Parameter(torch.tensor(w, dtype=torch.float32)) for w in weights()
            )

        def encode(self, x):
            assert not torch.is_grad_enabled()
            return torch.relu((x - self.b_dec) @ self.W_enc + self.b_enc)

        def decode(self, codes):
            return codes @ self.W_dec + self.b_dec

    wanted, _, _ = by_hand(given, True)
    activations = torch.from_numpy(given.pop("activations"))
    scores = conoscope.score(Module(), activations, "surf_mae", **given)
    assert scores["surf_mae"].value == pytest.approx(wanted, rel=1e-4)
    half = conoscope.score(Module().bfloat16(), activations, "surf_mae", **given)
    assert half["surf_mae"].value == pytest.approx(wanted, rel=0.05)


def changed(**members):
    """A Plain with other members."""
    made = type("Mine", (Plain,), {k: v for k, v in members.items() if callable(v)})()
    vars(made).update({k: v for k, v in members.items() if not callable(v)})
    return made


ROWS = np.random.default_rng(5).standard_normal((40, WIDTH))


@pytest.mark.parametrize(
    "obj, says",
    [
        (object(), "object: has no encode(), and what follows its weights cannot be guessed"),
        (type("Bare", (), {"encode": Plain().encode})(), "Bare: has neither W_dec nor get_dictionary() nor decode()"),
        (changed(W_dec=np.ones((7, WIDTH))), "Mine.W_dec: 7 x 64, expected 24 x 64 (latents x width)"),
        (changed(W_dec=np.full((24, WIDTH), np.inf)), "Mine.W_dec: a number is not finite"),
        (changed(W_dec=np.zeros((24, WIDTH))), "Mine.decode(): is off by"),
        (changed(decode=None, W_dec=np.eye(24, WIDTH), b_dec=np.ones(3)), "Mine.b_dec: 3, expected 64"),
        (changed(encode=lambda self, x: x.sum(axis=1)), "Mine.encode(): made 40 of 40 x 64, expected 40 x K"),
        (changed(encode=lambda self, x: x[:3]), "Mine.encode(): made 3 x 64 of 40 x 64, expected 40 x K"),
        (changed(encode=lambda self, x: x / 0 * 0), "Mine.encode(): a number that it made is not finite"),
        (changed(encode=lambda self, x: ["a"] * len(x)), "Mine.encode(): its dtype is <U1"),
        (changed(decode=lambda self, f: f[:, :5]), "Mine.decode(): made 1 x 5 of 1 x 24, expected 1 x 64"),
        (changed(decode=lambda self, f: (f @ self._dictionary) ** 2), "from codes times atoms plus a constant"),
        (
            changed(encode=lambda self, x: np.maximum(x - x.mean(axis=0), 0)[:, :24]),
            "a row's codes must not depend on the rows around it",
        ),
    ],
)
def test_what_is_no_dictionary(obj, says):
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=re.escape(says)):
        conoscope.score(obj, ROWS)


def test_what_is_no_call():
    for activations, says in (
        (ROWS[0], "activations: 64, expected n x D"),
        (ROWS[:0], "activations: 0 x 64, expected n x D"),
        (np.where(ROWS > 2, np.nan, ROWS), "activations: a number is not finite"),
    ):
        with pytest.raises(ValueError, match=re.escape(says)):
            conoscope.score(Plain(), activations)
    with pytest.raises(ValueError, match="head_weight and head_bias: expected both, or neither"):
        conoscope.score(Plain(), ROWS, head_weight=np.eye(3, WIDTH))
    with pytest.raises(ValueError, match="did you mean surf_mae"):
        conoscope.score(Plain(), ROWS, "surf_may")
    with pytest.raises(TypeError, match="takes no array 'cavs': the object is the explanation"):
        conoscope.score(Plain(), ROWS, cavs=ROWS)
    with pytest.raises(TypeError, match="takes no array 'lables'"):
        conoscope.score(Plain(), ROWS, lables=np.zeros(40))


def test_what_the_object_raises_is_raised(given, tmp_path):
    class Tired(Plain):
        left = 9  # it is tried 9 times before anything is judged

        def encode(self, x):
            self.left -= 1
            if self.left < 0:
                raise KeyError("no more")
            return super().encode(x)

    with pytest.raises(KeyError, match="no more"):
        conoscope.score(Tired(), given["activations"], "sae_reconstruction_error")
    assert not list(pathlib.Path("/dev/shm").glob("conoscope-*"))
    assert not list((tmp_path / "cache").glob("work/*"))


def section_of_the_docs():
    text = (ROOT / "docs/python.md").read_text()
    return text[text.index("## Scores of a dictionary object") :].split("\n## ")[0]


def test_the_docs_name_what_is_looked_for():
    for name in (*_dictionary._ENCODE, *_dictionary._DECODE, "W_dec", "get_dictionary", "concept_model"):
        assert name in section_of_the_docs(), name


def test_a_file_of_weights_comes_on_a_board(digits, tmp_path, monkeypatch):
    """The command's way says what score() says of the same rows."""
    monkeypatch.setenv("CONOSCOPE_PYTHON", sys.executable)
    for folder in ("datasets", "docs"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    names = ("W_enc", "W_dec", "b_enc", "b_dec")
    np.savez("sae.npz", **dict(zip(names, weights())))
    (run,) = re.findall(r"^```toml\n(.*?)^```$", section_of_the_docs(), re.M | re.S)
    pathlib.Path("sae.toml").write_text(run)
    conoscope.run("sae.toml")
    board = conoscope.Store("conoscope.db").board()
    rows = board if isinstance(board, list) else board.to_dict("records")
    by_name = {row["explainer"]: row for row in rows}
    assert set(by_name) == {"my SAE", "svd"}
    head = {name: digits[name] for name in ("head_weight", "head_bias")}
    split = {"train_index": np.arange(600), "test_index": np.arange(600, 899)}
    metrics = ("surf_mae", "sae_reconstruction_error")
    scores = conoscope.score(LikeSaeLens(), digits["activations"], *metrics, **head, **split)
    for metric in metrics:
        assert by_name["my SAE"][metric] == pytest.approx(scores[metric].value, rel=1e-5)
