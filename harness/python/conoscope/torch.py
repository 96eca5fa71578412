"""Networks of PyTorch, handed over: head_view(), concept_view(), export()."""

import dataclasses
import pathlib
import shutil
import tempfile
import weakref
from typing import Any

import numpy as np
import torch

from conoscope._arrays import as_numpy
from conoscope._explain import HeadView

#: How far the network's output may be from the head's, by its largest value (at least 1).
TOLERANCE = 1e-4


def head_view(
    model, layer, loader, test_loader=None, *, head=None, output="softmax", device=None, folder=None
):
    """Runs a network over data and keeps what its layer gives: a HeadView for measure(), explain().

    model        a torch.nn.Module; it is put into evaluation mode and left there
    layer        a submodule or its dotted name, as "layer4": what it gives is explained
    loader       batches: inputs, or (inputs, labels, ...) with whole numbers as labels (n) or 0 and
                 1 as attributes (n x C)
    test_loader  batches that are judged, where loader's are fitted on. None: see measure(split=)
    head         the torch.nn.Linear that reads the layer, or its name. None: the last one that runs
                 after the layer
    output       what the outputs mean: "softmax", "sigmoid" or "regression"
    device       where inputs go. None: where the model's parameters are
    folder       where activations.npy goes, and stays. None: a folder that goes with the last of the
                 view, its arrays() and view.activations

    The layer may give n x D, n x D x height x width or n x P x D. Which pooling lies between it and
    the head follows from the shapes: "mean", "flatten" or "none". Activations go to the disk batch by
    batch.

    Raises ValueError: head(pooling(layer)) is not what the network gives (within 1e-4 of its largest
    output, at least 1, in every batch), as with a ReLU after the layer or a softmax after the head;
    the layer does not run once in each batch; no head is found; batches of other shapes.
    """
    watch = _Watch(model, layer, head)
    own = folder is None
    folder = pathlib.Path(tempfile.mkdtemp(prefix="conoscope-") if own else folder)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        told, counts = [], []
        with _Growing(folder / "activations.npy") as file:
            for batches in (loader, test_loader):
                before = file.rows
                for inputs, known in _batches(batches, model, device):
                    file.add(watch.run(inputs))
                    told.append(known)
                counts.append(file.rows - before)
        if file.rows == 0:
            raise ValueError("loader: it gives no batch")
        view = HeadView(
            activations=_OwnPath(file.path) if own else str(file.path),
            head_weight=watch.weight(),
            head_bias=watch.bias(),
            output=output,
            pooling=watch.pooling,
            **_known(told, output),
        )
        if test_loader is not None:
            view.train_index = np.arange(counts[0])
            view.test_index = np.arange(counts[0], sum(counts))
    except BaseException:
        if own:
            shutil.rmtree(folder)
        raise
    if own:
        weakref.finalize(view.activations, shutil.rmtree, folder, True)
    return view


@dataclasses.dataclass
class ConceptView:
    """What a concept bottleneck makes of data: measure("leakage", "purity", **view.arrays())."""

    concept_scores: Any  #: n x k, as the head reads them
    task_outputs: Any  #: n x C
    concepts: Any  #: n x k: annotations
    labels: Any  #: n
    concept_probabilities: Any = None  #: n x k
    concept_head_weight: Any = None  #: C x k, of a linear head: it answers interventions
    concept_head_bias: Any = None  #: C

    def arrays(self):
        """The arrays, by the names of measure()'s arguments."""
        return {k: v for k, v in vars(self).items() if v is not None}


def concept_view(model, bottleneck, loader, *, head=None, logits=False, device=None):
    """Runs a concept bottleneck model over data: a ConceptView for measure().

    bottleneck  the submodule that gives the concepts' scores (n x k), or its dotted name
    loader      batches of (inputs, concepts, labels): concepts 0 and 1 (n x k), labels from 0 (n)
    head        the torch.nn.Linear that reads them, or its name; None: the last one that runs after
                the bottleneck. Where the network's output is not head(scores), as with a head of
                several layers, the view has no head, and metrics of interventions say what they lack
    logits      the scores are logits: their sigmoids are the concepts' probabilities

    Raises ValueError: the bottleneck does not run once in each batch, or does not give n x k;
    batches are not three tensors.
    """
    watch = _Watch(model, bottleneck, head, must_be_linear=False)
    scores, outputs, concepts, labels = [], [], [], []
    for inputs, known in _batches(loader, model, device):
        if len(known) != 2:
            raise ValueError("loader: a batch is not (inputs, concepts, labels)")
        given = watch.run(inputs)
        if given.ndim != 2:
            raise ValueError(f"{watch.name}: it gives {_shape(given)}, expected n x k")
        scores.append(given)
        outputs.append(as_numpy("outputs", watch.outputs))
        concepts.append(as_numpy("concepts", known[0]))
        labels.append(as_numpy("labels", known[1]))
    if not scores:
        raise ValueError("loader: it gives no batch")
    view = ConceptView(*(np.concatenate(part) for part in (scores, outputs, concepts, labels)))
    if logits:
        view.concept_probabilities = 1 / (1 + np.exp(-view.concept_scores.astype(np.float64)))
    if watch.head is not None:
        view.concept_head_weight, view.concept_head_bias = watch.weight(), watch.bias()
    return view


def export(model, layer, example, file, *, head=None):
    """Traces a network and saves it for the model `torchscript`, after the checks of head_view().

    example  inputs of a batch, of two samples or more
    Returns the entry of a run: {"id": "torchscript", "params": {...}}, for conoscope.run().

    Raises ValueError: as head_view(), and where the traced network gives something else.
    """
    watch = _Watch(model, layer, head)
    device = next((p.device for p in model.parameters()), "cpu")
    example = example.to(device)
    watch.run(example)
    with torch.no_grad():
        traced = torch.jit.trace(model, example)
        other = torch.flip(example, [0])
        if not torch.allclose(traced(other), model(other), rtol=0, atol=TOLERANCE):
            raise ValueError(
                "the traced network gives something else for other inputs: it has branches that "
                "depend on them; save torch.jit.script(model) instead"
            )
    traced.save(str(file))
    return {
        "id": "torchscript",
        "params": {"file": str(file), "layer": watch.name, "head": watch.head_name},
    }


class _Watch:
    """A network whose layer is listened to."""

    def __init__(self, model, layer, head, must_be_linear=True):
        self._model = model.eval()
        self._names = {module: name for name, module in model.named_modules()}
        self.name, self._layer = self._find("layer", layer)
        self.head_name, self.head = None, None
        self._head_is_given = head is not None
        if head is not None:
            self.head_name, self.head = self._find("head", head)
            if not isinstance(self.head, torch.nn.Linear):
                raise ValueError(f"{self.head_name}: it is no torch.nn.Linear")
        self._must_be_linear = must_be_linear
        self._looked = False
        self.pooling, self.outputs, self._positions = "none", None, None

    def _find(self, role, wanted):
        if isinstance(wanted, str):
            for module, name in self._names.items():
                if name == wanted:
                    return name, module
            raise ValueError(f"{role}: there is no {wanted}; there are {self._list()}")
        if wanted not in self._names:
            raise ValueError(f"{role}: it is no part of the model; its parts are {self._list()}")
        return self._names[wanted], wanted

    def _list(self):
        return ", ".join(name for name in self._names.values() if name)

    def run(self, inputs):
        """Returns the layer's output as an array of n x D, n x P x D or n x height x width x D."""
        given, ran = [], []
        hooks = [self._layer.register_forward_hook(lambda m, i, out: given.append(out))]

        def note(module, *_):
            ran.append((module, len(given)))

        for module in self._names:
            if isinstance(module, torch.nn.Linear) and module is not self._layer:
                hooks.append(module.register_forward_hook(note))
        try:
            with torch.no_grad():
                self.outputs = self._model(inputs)
        finally:
            for hook in hooks:
                hook.remove()
        if len(given) != 1:
            raise ValueError(f"{self.name}: it runs {len(given)} times in a batch, expected once")
        if not torch.is_tensor(given[0]) or not torch.is_tensor(self.outputs):
            raise ValueError(f"{self.name}: it, or the network, does not give one tensor")
        if not self._looked and not self._head_is_given:
            after = [module for module, seen in ran if seen]
            self.head = after[-1] if after else None
            self.head_name = self._names.get(self.head)
        return self._checked(given[0])

    def _checked(self, given):
        if self.head is None:
            if self._must_be_linear:
                raise ValueError(f"no torch.nn.Linear runs after {self.name}; name the head")
            self._looked = True
            return as_numpy(self.name, given)
        pooled = self._pooled(given)
        if pooled is not None:
            with torch.no_grad():
                expected = self.head(pooled)
            outputs = self.outputs
            if expected.shape == outputs.shape:
                off = float((expected - outputs).abs().max())
                allowed = TOLERANCE * max(1.0, float(outputs.abs().max()))
                if off <= allowed:
                    self._looked = True
                    return self._positions_first(given)
                why = f"is off by {off:.3g} (allowed: {allowed:.3g})"
            else:
                why = f"is {_shape(expected)}, and the network gives {_shape(outputs)}"
        else:
            why = (
                f"cannot be: the layer gives {_shape(given)}, and the head reads "
                f"{self.head.in_features}"
            )
        if not self._must_be_linear and not self._looked:
            self.head = None
            return self._checked(given)
        raise ValueError(
            f"{self.head_name}({self.pooling}({self.name})) is not the network's output: it {why}. "
            "Usual causes: a ReLU, a norm or another pooling after the layer, or a softmax after the "
            "head"
        )

    def _pooled(self, given):
        """What the head reads; None: nothing fits its width."""
        wide = self.head.in_features
        if given.ndim == 2:
            self.pooling = "none"
            return given if given.shape[1] == wide else None
        if given.ndim not in (3, 4):
            return None
        channels_first = given.ndim == 4
        width = given.shape[1] if channels_first else given.shape[2]
        if width == wide:
            self.pooling = "mean"
            return given.mean(dim=(2, 3) if channels_first else 1)
        self.pooling = "flatten"
        flat = given.flatten(1)
        return flat if flat.shape[1] == wide else None

    def _positions_first(self, given):
        if given.ndim == 4:
            self._positions = given.shape[2] * given.shape[3]
            given = given.permute(0, 2, 3, 1)
        return as_numpy(self.name, given.contiguous())

    def weight(self):
        """C x D; of a flattened layer C x P*D, in the order in which activations are kept."""
        weight = as_numpy("head_weight", self.head.weight)
        if self.pooling == "flatten" and self._positions is not None:
            by_channel = weight.reshape(len(weight), -1, self._positions)
            weight = np.ascontiguousarray(by_channel.transpose(0, 2, 1)).reshape(len(weight), -1)
        return weight

    def bias(self):
        if self.head.bias is None:
            return np.zeros(self.head.out_features, dtype=np.float32)
        return as_numpy("head_bias", self.head.bias)


class _Growing:
    """A .npy file that is written batch by batch: its header is put right at the end."""

    _HEADER = 128

    def __init__(self, path):
        self.path, self.rows, self._shape, self._dtype = path, 0, None, None

    def __enter__(self):
        self._file = open(self.path, "wb")
        self._file.write(b"\0" * self._HEADER)
        return self

    def add(self, array):
        if self._shape is None:
            self._shape, self._dtype = array.shape[1:], array.dtype
        if array.shape[1:] != self._shape:
            raise ValueError(f"a batch gives {array.shape[1:]}, the first one {self._shape}")
        self._file.write(np.ascontiguousarray(array, dtype=self._dtype).tobytes())
        self.rows += len(array)

    def __exit__(self, kind, *_):
        if kind is None and self._shape is not None:
            text = repr(
                {
                    "descr": np.lib.format.dtype_to_descr(self._dtype),
                    "fortran_order": False,
                    "shape": (self.rows, *self._shape),
                }
            )
            room = self._HEADER - 10
            self._file.seek(0)
            self._file.write(b"\x93NUMPY\x01\x00" + room.to_bytes(2, "little"))
            self._file.write(text.ljust(room - 1).encode("ascii") + b"\n")
        self._file.close()


def _batches(loader, model, device):
    if loader is None:
        return
    if device is None:
        device = next((p.device for p in model.parameters()), "cpu")
    for batch in loader:
        inputs, *known = batch if isinstance(batch, (tuple, list)) else (batch,)
        yield inputs.to(device), known


class _OwnPath(str):
    """A file in a folder that goes when nobody has its path any more: a str cannot be watched."""


def _known(told, output):
    """labels or targets, where the batches have them."""
    having = sum(1 for known in told if known)
    if having == 0:
        return {}
    if having < len(told):
        raise ValueError(
            f"labels: {having} of {len(told)} batches have them, of loader and test_loader together; "
            "all must, or none"
        )
    values = np.concatenate([as_numpy("labels", known[0]) for known in told])
    if output == "softmax" and values.ndim == 1:
        return {"labels": values}
    return {"targets": values}


def _shape(tensor):
    return " x ".join(str(size) for size in tensor.shape)
