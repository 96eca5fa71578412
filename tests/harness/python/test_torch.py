"""Networks of PyTorch, handed over. Needs Debian's python3-torch."""

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


class Bottleneck(torch.nn.Module):
    def __init__(self, head):
        super().__init__()
        self.concepts = torch.nn.Linear(6, 4)
        self.head = head

    def forward(self, x):
        return self.head(self.concepts(x))


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
    view = handed_over.concept_view(Bottleneck(deep), "concepts", annotated())
    assert view.concept_head_weight is None and view.concept_probabilities is None
    assert conoscope.measure("ctl", **view.arrays())["ctl"].value is not None
    with pytest.raises(ValueError, match=r"a batch is not \(inputs, concepts, labels\)"):
        handed_over.concept_view(Bottleneck(deep), "concepts", [(torch.randn(3, 6),)])


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

    x = torch.ones(2, 1, 8, 7)
    x[1] = -1
    with pytest.raises(ValueError, match="the traced network gives something else"):
        handed_over.export(Branches(), "features", x, tmp_path / "branches.pt")
