# SPDX-License-Identifier: Apache-2.0
"""Networks of PyTorch, handed over. Needs Debian's python3-torch."""

import collections
import os

import numpy as np
import pytest

import conoscope

torch = pytest.importorskip("torch")

import conoscope.torch as handed_over  # noqa: E402


class Net(torch.nn.Module):
    """Two convolutions, a pooling of choice, a linear head."""

    def __init__(self, pooling="mean", outputs=3):
        super().__init__()
        self.features = torch.nn.Sequential(
            torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.Conv2d(4, 5, 3), torch.nn.ReLU()
        )
        self.pooling = pooling
        self.fc = torch.nn.Linear(5 if pooling == "mean" else 5 * 4 * 3, outputs)

    def forward(self, x):
        h = self.features(x)
        return self.fc(h.mean((2, 3)) if self.pooling == "mean" else h.flatten(1))


@pytest.fixture(autouse=True)
def same_weights():
    torch.manual_seed(0)


def batches(count=3, labels=True):
    out = []
    for i in range(count):
        x = torch.randn(4 if i < count - 1 else 2, 1, 8, 7)  # the last one is shorter
        y = torch.arange(len(x)) % 3
        out.append((x, y) if labels else x)
    return out


@pytest.mark.parametrize("pooling", ["mean", "flatten"])
def test_the_view_is_what_the_network_computes(pooling):
    net, data = Net(pooling), batches()
    view = handed_over.head_view(net, "features", data)
    H = np.load(view.activations)
    assert H.shape == (10, 4, 3, 5) and H.dtype == np.float32
    assert view.pooling == pooling and not net.training
    rows = H.mean((1, 2)) if pooling == "mean" else H.reshape(10, -1)
    with torch.no_grad():
        expected = torch.cat([net(x) for x, _ in data]).numpy()
    assert np.abs(rows @ view.head_weight.T + view.head_bias - expected).max() < 1e-5
    assert view.labels.tolist() == [0, 1, 2, 0, 0, 1, 2, 0, 0, 1]


def test_it_is_scored_and_explained():
    net = Net()
    view = handed_over.head_view(net, net.features, batches(8), batches(4), head="fc")
    assert view.train_index.tolist() == list(range(30))
    assert view.test_index.tolist() == list(range(30, 44))
    explanation = conoscope.explain("svd", view, k=2)
    assert explanation.cavs.shape[1] == 5
    scores = conoscope.measure("surf_mae", **view.arrays(), explain=["svd(k=5)"])
    assert scores["surf_mae"].value is not None


def test_activations_go_with_the_view_or_stay(tmp_path):
    view = handed_over.head_view(Net(), "features", batches(labels=False))
    kept = str(view.activations)
    assert view.labels is None and os.path.exists(kept)
    del view
    assert not os.path.exists(kept)
    view = handed_over.head_view(Net(), "features", batches(), folder=tmp_path / "mine")
    assert view.activations == str(tmp_path / "mine/activations.npy")
    del view
    assert np.load(tmp_path / "mine/activations.npy", mmap_mode="r").shape == (10, 4, 3, 5)


def test_arrays_keep_the_activations():
    net = Net()
    arrays = handed_over.head_view(net, net.features, batches(8), head="fc").arrays()
    assert os.path.exists(arrays["activations"])
    scores = conoscope.measure("surf_mae", explain="svd(k=2)", **arrays)
    assert scores["surf_mae"].value is not None
    kept = str(arrays["activations"])
    del arrays
    assert not os.path.exists(kept)


def test_half_precision_and_three_axes():
    class Tokens(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.block = torch.nn.Linear(6, 6)
            self.head = torch.nn.Linear(6, 2)

        def forward(self, x):
            return self.head(self.block(x).mean(1))

    net = Tokens().to(torch.bfloat16)
    data = [torch.randn(3, 4, 6).to(torch.bfloat16)] * 2
    view = handed_over.head_view(net, "block", data, head="head")
    H = np.load(view.activations)
    assert H.shape == (6, 4, 6) and H.dtype == np.float32 and view.pooling == "mean"


def refuses(what, *arguments, **named):
    with pytest.raises(ValueError, match=what):
        handed_over.head_view(*arguments, **named)


def test_what_is_refused():
    net = Net()
    refuses("there is no layer9; there are features, features.0", net, "layer9", batches())
    refuses("it is no torch.nn.Linear", net, "features", batches(), head="features.1")
    refuses("no part of the model", net, torch.nn.ReLU(), batches())
    refuses("it gives no batch", net, "features", [])
    some = "labels: 3 of 6 batches have them"
    refuses(some, net, "features", batches(), batches(labels=False), head="fc")
    refuses(some, net, "features", batches(labels=False), batches(), head="fc")
    # A ReLU lies between this layer and what the head reads.
    off = r"fc\(mean\(features.2\)\) is not the network's output: it is off by"
    refuses(off, net, "features.2", batches())
    softmax = torch.nn.Sequential(net, torch.nn.Softmax(1))
    refuses("a softmax after the head", softmax, "0.features", batches())
    refuses("no torch.nn.Linear runs after fc", net, "fc", batches())
    wide = "cannot be: the layer gives 4 x 4 x 6 x 5, and the head reads 5"
    refuses(wide, net, "features.0", batches())

    class Twice(Net):
        def forward(self, x):
            return self.fc((self.features(x) + self.features(x)).mean((2, 3)))

    refuses("features: it runs 2 times in a batch, expected once", Twice(), "features", batches())


class Transformer(torch.nn.Module):
    """Patches and a token in one of the positions, which alone the head reads after a norm."""

    def __init__(self, token=0, outputs=3):
        super().__init__()
        self.token, self.encoder = token, torch.nn.Linear(6, 6)
        self.block = torch.nn.TransformerEncoderLayer(6, 2, 8, batch_first=True)
        self.norm, self.head = torch.nn.LayerNorm(6), torch.nn.Linear(6, outputs)

    def forward(self, x):
        return self.head(self.norm(self.block(self.encoder(x)))[:, self.token])


def patches(n=4):
    return [(torch.randn(n, 5, 6), torch.arange(n) % 3) for _ in range(2)]


@pytest.mark.parametrize("token", [0, 2, -1])
def test_of_a_layer_of_which_the_head_reads_one_position_that_is_kept(token):
    net, data = Transformer(token), patches()
    view = handed_over.head_view(net, "norm", data)
    H = np.load(view.activations)
    assert H.shape == (8, 6) and view.pooling == "none"
    with torch.no_grad():
        expected = torch.cat([net(x) for x, _ in data]).numpy()
    assert np.abs(H @ view.head_weight.T + view.head_bias - expected).max() < 1e-5


def test_a_refusal_names_the_layers_that_fit():
    refuses(
        "The head reads norm: name that. For a layer further below, export",
        Transformer(),
        "block",
        patches(),
    )
    refuses("The head reads features or features.3: name that", Net(), "features.2", batches())

    class Functions(Net):
        def forward(self, x):
            return self.fc(torch.relu(self.features(x) - 0.1).mean((2, 3)))

    refuses(r"make it one \(self.relu = torch.nn.ReLU\(\)\)", Functions(), "features", batches())
    refuses("encoder: it does not run after norm", Transformer(), "norm", patches(), head="encoder")
    refuses("model: it is a function, expected a torch.nn.Module", lambda x: x, "norm", patches())


class Output(collections.OrderedDict):
    """As HuggingFace's ModelOutput: a dict whose entries are attributes, too."""

    __getattr__ = collections.OrderedDict.__getitem__


class OutputLayer(torch.nn.Module):
    def forward(self, x):
        return Output(logits=x)


class HuggingFace(torch.nn.Module):
    """Takes its inputs by name, and gives what `output` makes of the logits."""

    def __init__(self, output):
        super().__init__()
        self.inner, self.output = Transformer(), output
        self.inner.norm.register_forward_hook(lambda module, inputs, out: (out, None))
        self.classifier = torch.nn.Linear(6, 3)

    def forward(self, pixel_values, mask=None):
        tokens, _ = self.inner.norm(self.inner.block(pixel_values * mask))
        return self.output(self.classifier(tokens[:, 0]))


@pytest.mark.parametrize("labels", ["labels", "label"])
@pytest.mark.parametrize(
    "output",
    [lambda x: Output(logits=x, hidden_states=None), lambda x: (x,), lambda x: (x, ())],
    ids=["ModelOutput", "tuple", "tuple with more"],
)
def test_batches_and_outputs_as_huggingface_has_them(labels, output):
    net = HuggingFace(output)
    mask = torch.ones(4, 5, 1)
    data = [{"pixel_values": x, "mask": mask, labels: y} for x, y in patches()]
    view = handed_over.head_view(net, "inner.norm", data)
    assert np.load(view.activations).shape == (8, 6)
    assert view.labels.tolist() == [0, 1, 2, 0] * 2
    # The inputs by name, and the labels beside them.
    pairs = [({"pixel_values": x, "mask": mask}, y) for x, y in patches()]
    assert handed_over.head_view(net, "inner.norm", pairs).labels.tolist() == [0, 1, 2, 0] * 2


def test_batches_and_outputs_of_another_kind_are_refused_in_words():
    x, y = patches()[0]
    named = {"pixel_values": x, "mask": torch.ones(4, 5, 1)}
    net = HuggingFace(lambda x: x)
    paths = [{**named, "path": ["a.png"] * 4}]
    refuses(
        "loader: path of a batch is a list, expected a tensor: leave out", net, "inner.norm", paths
    )
    refuses(
        "the inputs of a batch are a ndarray, expected a tensor", net, "inner.norm", [x.numpy()]
    )
    refuses("the inputs of a batch are a dict, expected", net, "inner.norm", [{"labels": y}])
    two = "the network gives a tuple with 2 tensors, expected a tensor: hand over a torch.nn.Module that"
    refuses(two, HuggingFace(lambda x: (x, x)), "inner.norm", [named])
    refuses("gives a dict without logits", HuggingFace(lambda x: {"y": x}), "inner.norm", [named])
    refuses("gives a str without logits", HuggingFace(str), "inner.norm", [named])


def test_a_view_is_shown_by_its_shapes():
    view = handed_over.head_view(Net(), "features", batches(), folder="kept")
    assert repr(view) == (
        "HeadView(activations='kept/activations.npy', head_weight=3 x 5 float32, "
        "head_bias=3 float32, labels=10 int64, output='softmax', pooling='mean')"
    )
    concepts = handed_over.concept_view(Bottleneck(torch.nn.Linear(4, 2)), "concepts", annotated())
    assert repr(concepts).startswith("ConceptView(concept_scores=60 x 4 float32, ")


class Bottleneck(torch.nn.Module):
    """Between concepts and head is a function, no module."""

    def __init__(self, head, between=lambda c: c):
        super().__init__()
        self.hidden, self.concepts = torch.nn.Linear(6, 8), torch.nn.Linear(8, 4)
        self.head, self.between = head, between

    def forward(self, x):
        return self.head(self.between(self.concepts(self.hidden(x))))


def annotated(n=60):
    parts = torch.randn(n, 6).split(20)
    return [(x, (x[:, :4] > 0).long(), (x[:, 0] > 0).long()) for x in parts]


def test_a_concept_bottleneck():
    net = Bottleneck(torch.nn.Linear(4, 2))
    view = handed_over.concept_view(net, "concepts", annotated(), logits=True)
    assert view.concept_scores.shape == (60, 4)
    assert 0 <= view.concept_probabilities.min() and view.concept_probabilities.max() <= 1
    with torch.no_grad():
        again = net.head(torch.from_numpy(view.concept_scores)).numpy()
    assert np.allclose(again, view.task_outputs, atol=1e-5)
    assert np.array_equal(view.concept_head_weight, net.head.weight.detach().numpy())
    scores = conoscope.measure("ctl", "concept_accuracy", **view.arrays())
    assert scores["ctl"].value is not None and scores["concept_accuracy"].value is not None


def test_a_bottleneck_below_several_layers_has_no_head():
    deep = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    with pytest.warns(
        UserWarning, match=r"no head.*head\.2.* reads 20 x 8, and concepts gives 20 x 4"
    ):
        view = handed_over.concept_view(Bottleneck(deep), "concepts", annotated())
    assert view.concept_head_weight is None and view.concept_probabilities is None
    assert conoscope.measure("ctl", **view.arrays())["ctl"].value is not None
    with pytest.raises(ValueError, match=r"a batch is not \(inputs, concepts, labels\)"):
        handed_over.concept_view(Bottleneck(deep), "concepts", [(torch.randn(3, 6),)])


@pytest.mark.parametrize("rows", [60, 3])
@pytest.mark.parametrize("between", [torch.sigmoid, torch.relu, lambda c: (c > 0).float()])
def test_a_function_between_concepts_and_head_keeps_the_head(between, rows):
    net = Bottleneck(torch.nn.Linear(4, 2), between)
    data = annotated(rows)
    view = handed_over.concept_view(net, "concepts", data, logits=True)
    with torch.no_grad():
        logits = net.concepts(net.hidden(torch.cat([x for x, _, _ in data])))
    assert np.allclose(view.concept_scores, between(logits).numpy(), atol=1e-6)
    assert np.allclose(view.concept_probabilities, torch.sigmoid(logits).numpy(), atol=1e-6)
    again = view.concept_scores @ view.concept_head_weight.T + view.concept_head_bias
    assert np.allclose(again, view.task_outputs, atol=1e-5)


def test_it_answers_interventions():
    net = Bottleneck(torch.nn.Linear(4, 2), torch.sigmoid)
    view = handed_over.concept_view(net, "concepts", annotated())
    score = conoscope.measure("intervention_random", **view.arrays())["intervention_random"]
    assert score.value is not None and len(score.parts) == 5


@pytest.mark.parametrize("rows", [60, 3])
@pytest.mark.parametrize(
    "between",
    [
        lambda c: torch.softmax(c, 1),
        lambda c: c + c.roll(1, 1),
        lambda c: c * c.sum(1, keepdim=True),
    ],
)
def test_a_function_of_several_concepts_leaves_the_view_without_a_head(between, rows):
    net, why = (
        Bottleneck(torch.nn.Linear(4, 2), between),
        "depends on other concepts or on inputs",
    )
    with pytest.warns(UserWarning, match=f"no head, and answers no interventions: .*{why}"):
        view = handed_over.concept_view(net, "concepts", annotated(rows))
    assert view.concept_head_weight is None


def test_a_head_that_is_named_must_be_one():
    def refused(net, data=None, **named):
        with pytest.raises(ValueError) as caught:
            handed_over.concept_view(net, "concepts", data or annotated(), **named)
        return str(caught.value)

    softmax = torch.nn.Sequential(Bottleneck(torch.nn.Linear(4, 2)), torch.nn.Softmax(1))
    with pytest.raises(
        ValueError, match="head: the network's output is not that of 0.head: it is off"
    ):
        handed_over.concept_view(softmax, "0.concepts", annotated(), head="0.head")
    mixed = Bottleneck(torch.nn.Linear(4, 2), lambda c: c + c.roll(1, 1))
    assert "head: what head reads of a concept depends" in refused(mixed, head="head")
    single = [tuple(part[:1] for part in batch) for batch in annotated()]
    functional = Bottleneck(torch.nn.Linear(4, 2), torch.sigmoid)
    assert "the first batch has one sample, expected two" in refused(functional, single)


def test_a_bottleneck_gives_a_score_for_each_annotated_concept():
    def refused(layer, data):
        net = Bottleneck(torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Linear(4, 2)))
        with pytest.raises(ValueError) as caught:
            handed_over.concept_view(net, layer, data)
        return str(caught.value)

    data = annotated()
    assert refused("hidden", data) == (
        "hidden: it gives 20 x 8, expected 20 x 4, a score for each annotated concept; layers that give "
        "that: concepts, head.0"
    )
    assert "head: it gives 20 x 2, expected 20 x 4" in refused("head", data)
    six = [(x, torch.ones(len(x), 6), y) for x, _, y in data]
    assert "concepts: it gives 20 x 4, expected 20 x 6" in refused("concepts", six)
    assert refused("concepts", six).endswith("; no layer gives that")
    flat = [(x, y, y) for x, _, y in data]
    assert "the concepts of a batch are 20, expected n x k" in refused("concepts", flat)


def test_concepts_in_batches_that_are_dicts():
    class Named(Bottleneck):
        def forward(self, pixel_values):
            return Output(logits=super().forward(pixel_values))

    data = [dict(zip(("pixel_values", "concepts", "labels"), batch)) for batch in annotated()]
    view = handed_over.concept_view(Named(torch.nn.Linear(4, 2)), "concepts", data)
    assert view.concepts.shape == (60, 4) and view.labels.shape == (60,)
    assert view.task_outputs.shape == (60, 2) and view.concept_head_weight is not None


def test_export_is_the_entry_of_a_run(tmp_path):
    net = Net()
    entry = handed_over.export(net, "features", torch.randn(4, 1, 8, 7), tmp_path / "net.pt")
    assert entry == {
        "id": "torchscript",
        "params": {"file": str(tmp_path / "net.pt"), "layer": "features", "head": "fc"},
    }
    x = torch.randn(3, 1, 8, 7)
    assert torch.equal(torch.jit.load(str(tmp_path / "net.pt"))(x), net(x))

    class Branches(Net):
        def forward(self, x):
            return super().forward(x if x[0, 0, 0, 0] > 0 else -x)

    below = handed_over.export(net, "features.1", x, tmp_path / "below.pt", above="network")
    assert below["params"] == {
        "file": str(tmp_path / "below.pt"),
        "layer": "features.1",
        "above": "network",
    }
    with pytest.raises(ValueError, match="norm alone, which a run does not know as pooling"):
        handed_over.export(Transformer(), "norm", patches()[0][0], tmp_path / "token.pt")
    with pytest.raises(ValueError, match="the network gives no plain tensor"):
        wrapped = torch.nn.Sequential(Net(), OutputLayer())
        handed_over.export(wrapped, "0.features", x, tmp_path / "wrapped.pt")

    x = torch.ones(2, 1, 8, 7)
    x[1] = -1
    with pytest.raises(ValueError, match="the traced network gives something else"):
        handed_over.export(Branches(), "features", x, tmp_path / "branches.pt")
