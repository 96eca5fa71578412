# SPDX-License-Identifier: Apache-2.0
"""Networks of PyTorch, handed over: head_view(), concept_view(), export()."""

import dataclasses
import pathlib
import shutil
import tempfile
import warnings
import weakref
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from conoscope._arrays import as_numpy, in_short
from conoscope._explain import HeadView
from conoscope._network import TOLERANCE, Network, shape_of


def head_view(
    model, layer, loader, test_loader=None, *, head=None, output="softmax", device=None, folder=None
):
    """Runs a network over data and keeps what its layer gives: a HeadView for measure(), explain().

    model        a torch.nn.Module; it is put into evaluation mode and left there
    layer        a submodule or its dotted name, as "layer4": what it gives is explained
    loader       batches: inputs, or (inputs, labels, ...) with whole numbers as labels (n) or 0 and
                 1 as attributes (n x C); or dicts, of which "labels" (or "label") are the labels, and
                 the rest goes to the network by name
    test_loader  batches that are judged, where loader's are fitted on. None: see measure(split=)
    head         the torch.nn.Linear that reads the layer, or its name. None: the last one that runs
                 after the layer
    output       what the outputs mean: "softmax", "sigmoid" or "regression"
    device       where inputs go. None: where the model's parameters are
    folder       where activations.npy goes, and stays. None: a folder that goes with the last of the
                 view, its arrays() and view.activations

    The layer may give n x D, n x D x height x width or n x P x D. Which pooling lies between it and
    the head is found out: "mean", "flatten" or "none". Where the head reads one position of P, as a
    class token, the view has that position alone (n x D). Activations go to the disk batch by batch.
    HuggingFace's networks may be given: of their outputs `logits` are taken, of a layer's
    `last_hidden_state`, or the first of a tuple.

    Raises ValueError: head(pooling(layer)) is not what the network gives (within 1e-4 of its largest
    output, at least 1, in every batch), as with a ReLU after the layer or a softmax after the head: it
    names the layers that fit; the layer does not run once in each batch; no head is found; batches of
    other shapes.
    """
    network = Network(model, layer, head)
    own = folder is None
    folder = pathlib.Path(tempfile.mkdtemp(prefix="conoscope-") if own else folder)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        told, counts = [], []
        with _Growing(folder / "activations.npy") as file:
            for batches in (loader, test_loader):
                before = file.rows
                for inputs, known in _batches(batches, model, device, ("labels",)):
                    file.add(network.kept(inputs))
                    told.append(known)
                counts.append(file.rows - before)
        if file.rows == 0:
            raise ValueError("loader: it gives no batch")
        view = HeadView(
            activations=_OwnPath(file.path) if own else str(file.path),
            head_weight=network.weight(),
            head_bias=network.bias(),
            output=output,
            pooling="none" if isinstance(network.reading, int) else network.reading,
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


@dataclasses.dataclass(repr=False)
class ConceptView:
    """What a concept bottleneck makes of data: measure("leakage", "purity", **view.arrays())."""

    concept_scores: Any  #: n x k, as the head reads them
    task_outputs: Any  #: n x C
    concepts: Any  #: n x k: annotations
    labels: Any  #: n
    concept_probabilities: Any = None  #: n x k
    concept_head_weight: Any = None  #: C x k, of a linear head: it answers interventions
    concept_head_bias: Any = None  #: C

    __repr__ = in_short

    def arrays(self):
        """The arrays, by the names of measure()'s arguments."""
        return {k: v for k, v in vars(self).items() if v is not None}


def concept_view(model, bottleneck, loader, *, head=None, logits=False, device=None):
    """Runs a concept bottleneck model over data: a ConceptView for measure().

    bottleneck  the submodule that gives the concepts' scores (n x k), or its dotted name
    loader      batches of (inputs, concepts, labels): concepts 0 and 1 (n x k), labels from 0 (n); or
                dicts of "concepts", "labels" and what goes to the network by name
    head        the torch.nn.Linear that reads them, or its name; None: the last one that runs after
                the bottleneck. Where the network's output is not head(scores), as with a head of
                several layers, the view has no head (a warning says why), and metrics of
                interventions say what they lack
    logits      the scores are logits: their sigmoids are the concepts' probabilities

    Between the bottleneck and the head there may be functions of single concepts, as torch.sigmoid:
    then concept_scores are what the head reads.

    Raises ValueError: the bottleneck does not run once in each batch, or does not give n x k, a score
    for each annotated concept (it names the layers that do); the head that you name is none; batches
    are not three tensors.
    """
    network = Network(model, bottleneck, head)
    given, read, outputs, concepts, labels = [], [], [], [], []
    no_head = None
    for inputs, known in _batches(loader, model, device, ("concepts", "labels")):
        if len(known) != 2:
            raise ValueError("loader: a batch is not (inputs, concepts, labels)")
        heard = network.run(inputs)
        concepts.append(as_numpy("concepts", known[0]))
        labels.append(as_numpy("labels", known[1]))
        _check_concepts(network, inputs, heard.given, concepts[-1])
        if not given:
            no_head = network.fault_of_concepts(inputs, heard)
        elif no_head is None:
            no_head = network.fault_of_head(heard.read, heard)
        if no_head is not None and (head is not None or read):
            raise ValueError(f"head: {no_head}")
        given.append(as_numpy(network.name, heard.given))
        if no_head is None:
            read.append(as_numpy(network.name, heard.read))
        outputs.append(as_numpy("outputs", heard.outputs))
    if not given:
        raise ValueError("loader: it gives no batch")
    view = ConceptView(
        *(np.concatenate(part) for part in (read or given, outputs, concepts, labels))
    )
    if logits:
        view.concept_probabilities = 1 / (1 + np.exp(-np.concatenate(given).astype(np.float64)))
    if no_head is None:
        view.concept_head_weight, view.concept_head_bias = network.weight(), network.bias()
    else:
        warnings.warn(
            f"the view has no head, and answers no interventions: {no_head}", stacklevel=2
        )
    return view


def _check_concepts(network, inputs, given, concepts):
    if concepts.ndim != 2:
        raise ValueError(
            f"loader: the concepts of a batch are {shape_of(concepts)}, expected n x k"
        )
    if given.shape == concepts.shape:
        return
    fitting = network.layers(inputs, lambda layer: layer.shape == concepts.shape)
    raise ValueError(
        f"{network.name}: it gives {shape_of(given)}, expected {shape_of(concepts)}, a score for each "
        "annotated concept; "
        + (f"layers that give that: {', '.join(fitting)}" if fitting else "no layer gives that")
    )


def export(model, layer, example, file, *, head=None, above="linear"):
    """Traces a network and saves it for the model `torchscript`, after the checks of head_view().

    example  inputs of a batch, of two samples or more
    above    "linear": pooling and the head, as head_view() has it; "network": more of the network lies
             above the layer, which may be any
    Returns the entry of a run: {"id": "torchscript", "params": {...}}, for conoscope.run().

    Raises ValueError: as head_view(); the network takes or gives something else than one tensor; the
    traced network gives something else; the head reads one position of the layer, such as a class
    token, which is for head_view() alone.
    """
    if above not in ("linear", "network"):
        raise ValueError(f'above: it is {above!r}, expected "linear" or "network"')
    network = Network(model, layer, head)
    if not torch.is_tensor(example):
        raise ValueError(f"example: it is a {type(example).__name__}, expected a tensor")
    example = example.to(_device_of(model))
    params = {"file": str(file), "layer": network.name}
    if above == "network":
        network.run(example)
        params["above"] = above
    else:
        network.kept(example)
        params["head"] = network.head_name
    if isinstance(network.reading, int):
        raise ValueError(
            f"{network.head_name} reads position {network.reading} of {network.name} alone, which a run "
            'does not know as pooling: hand it over by head_view(), or give above="network"'
        )
    with torch.no_grad():
        if not torch.is_tensor(model(example)):
            raise ValueError(
                "the network gives no plain tensor: put it into a torch.nn.Module that returns its logits"
            )
        traced = torch.jit.trace(model, example)
        other = torch.flip(example, [0])
        if not torch.allclose(traced(other), model(other), rtol=0, atol=TOLERANCE):
            raise ValueError(
                "the traced network gives something else for other inputs: it has branches that "
                "depend on them; save torch.jit.script(model) instead"
            )
    traced.save(str(file))
    return {"id": "torchscript", "params": params}


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


def _device_of(model):
    return next((p.device for p in model.parameters()), "cpu")


def _batches(loader, model, device, names):
    """(inputs, what is known of them) of each batch. `names`: what a dict calls the latter."""
    if loader is None:
        return
    device = _device_of(model) if device is None else device
    for batch in loader:
        if isinstance(batch, Mapping):
            inputs = dict(batch)
            if "labels" not in inputs and "label" in inputs:
                inputs["labels"] = inputs.pop("label")
            known = [inputs.pop(name) for name in names if name in inputs]
        else:
            inputs, *known = batch if isinstance(batch, (tuple, list)) else (batch,)
        yield _moved(inputs, device), known


def _moved(inputs, device):
    if torch.is_tensor(inputs):
        return inputs.to(device)
    if not isinstance(inputs, Mapping) or not inputs:
        raise ValueError(
            f"loader: the inputs of a batch are a {type(inputs).__name__}, expected a tensor, or a dict "
            "of tensors by the names of the network's arguments"
        )
    for name, value in inputs.items():
        if not torch.is_tensor(value):
            raise ValueError(
                f"loader: {name} of a batch is a {type(value).__name__}, expected a tensor: leave out "
                "what is no input of the network"
            )
    return {name: value.to(device) for name, value in inputs.items()}


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
