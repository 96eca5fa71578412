# SPDX-License-Identifier: Apache-2.0
"""A network of PyTorch that is listened to: what a layer gives, and what the head reads."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from conoscope._arrays import as_numpy

#: How far the network's output may be from the head's, by its largest value (at least 1).
TOLERANCE = 1e-4


@dataclasses.dataclass
class Heard:
    """Of one batch."""

    given: torch.Tensor  #: what the layer gives
    read: Any  #: what the head reads; None: there is no head
    outputs: torch.Tensor  #: what the network gives


class Network:
    """A network, one of its layers, and the linear head that reads it."""

    def __init__(self, model, layer, head=None):
        if not isinstance(model, torch.nn.Module):
            raise ValueError(f"model: it is a {type(model).__name__}, expected a torch.nn.Module")
        self._model = model.eval()
        self._names = {module: name for name, module in model.named_modules()}
        self.name, self._layer = self._find("layer", layer)
        self.head_name, self.head = None, None
        if head is not None:
            self.head_name, self.head = self._find("head", head)
            if not isinstance(self.head, torch.nn.Linear):
                raise ValueError(f"{self.head_name}: it is no torch.nn.Linear")
        #: How the head reads the layer: "none", "mean", "flatten", or the number of the one
        #: position that it reads, as a class token's (-1: the last). None: before the first batch.
        self.reading = None
        self._positions = None

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

    def run(self, inputs, instead=None):
        """Heard of a batch. Where no head was named, it is the last torch.nn.Linear that runs after
        the layer.

        instead  applied to what the layer gives: the rest of the network goes on with the result
        """
        given, ran = [], []

        def hear(module, arguments, out):
            given.append(out)
            if instead is None:
                return None
            return (instead(out[0]), *out[1:]) if isinstance(out, tuple) else instead(out)

        def note(module, arguments, out):
            if given:
                ran.append((module, arguments[0] if arguments else None))

        hooks = [self._layer.register_forward_hook(hear)]
        for module in self._names:
            if isinstance(module, torch.nn.Linear) and module is not self._layer:
                hooks.append(module.register_forward_hook(note))
        try:
            with torch.no_grad():
                outputs = self._call(inputs)
        finally:
            for hook in hooks:
                hook.remove()
        if len(given) != 1:
            raise ValueError(f"{self.name}: it runs {len(given)} times in a batch, expected once")
        layer = _tensor_of_layer(given[0])
        if layer is None:
            raise ValueError(
                f"{self.name}: it gives a {type(given[0]).__name__}, expected a tensor"
            )
        if self.head is None and ran:
            self.head, self.head_name = ran[-1][0], self._names[ran[-1][0]]
        read = [what for module, what in ran if module is self.head]
        if self.head is not None and not read:
            raise ValueError(f"{self.head_name}: it does not run after {self.name}")
        return Heard(layer, read[-1] if read else None, _outputs_of(outputs))

    def _call(self, inputs):
        return self._model(**inputs) if isinstance(inputs, Mapping) else self._model(inputs)

    def kept(self, inputs):
        """What is kept of the layer: n x D, n x P x D or n x height x width x D. Of a layer of which
        the head reads one position, n x D.

        Raises ValueError: head(reading(layer)) is not what the network gives.
        """
        heard = self.run(inputs)
        if self.head is None:
            raise ValueError(f"no torch.nn.Linear runs after {self.name}; name the head")
        readings = [self.reading] if self.reading is not None else self._readings(heard)
        wrong = [self._fault(heard, heard.given, reading) for reading in readings]
        if None not in wrong:
            raise ValueError(self._refusal(inputs, heard, dict(zip(readings, wrong))))
        self.reading = readings[wrong.index(None)]
        given = heard.given
        if isinstance(self.reading, int):
            given = given[:, self.reading]
        elif given.ndim == 4:
            self._positions = given.shape[2] * given.shape[3]
            given = given.permute(0, 2, 3, 1)
        return as_numpy(self.name, given.contiguous())

    def _readings(self, heard):
        """The ways in which a head of this width can read the layer."""
        given, read = heard.given, heard.read
        out = [way for way in ("none", "mean", "flatten") if self._pooled(given, way) is not None]
        if given.ndim == 3 and torch.is_tensor(read) and read.shape == given[:, 0].shape:
            same = (given == read[:, None]).all(dim=2).all(dim=0).nonzero().flatten().tolist()
            out += [-1 if at == given.shape[1] - 1 else at for at in same]
        return out

    def _pooled(self, given, reading):
        """What the head reads of the layer; None: nothing fits its width."""
        out = None
        if given.ndim == 2:
            out = given if reading == "none" else None
        elif isinstance(reading, int):
            out = given[:, reading]
        elif given.ndim in (3, 4) and reading == "mean":
            out = given.mean(dim=1 if given.ndim == 3 else (2, 3))
        elif given.ndim in (3, 4) and reading == "flatten":
            out = given.flatten(1)
        return out if out is not None and out.shape[1] == self.head.in_features else None

    def _fault(self, heard, given, reading):
        """Why the head on this is not the network's output; None: it is."""
        pooled = self._pooled(given, reading)
        if pooled is None:
            return (
                f"cannot be: the layer gives {shape_of(given)}, and the head reads "
                f"{self.head.in_features}"
            )
        return self.fault_of_head(pooled, heard)

    def fault_of_head(self, read, heard):
        """Why head(read) is not the network's output, "is off by 0.2 ..."; None: it is."""
        with torch.no_grad():
            return difference(self.head(read), heard.outputs)

    def _refusal(self, inputs, heard, wrong):
        """Why the layer is not what the head reads, and what to do."""
        reading, why = next(iter(wrong.items()), ("none", None))
        why = why or self._fault(heard, heard.given, reading)
        text = f"{self.head_name}({reading}({self.name})) is not the network's output: it {why}. "
        if heard.read is not None and self.fault_of_head(heard.read, heard) is not None:
            return text + (
                f"Nor is what {self.head_name} makes of what it reads: hand over a network whose output "
                "is that of its head, without a softmax after the head or whatever else comes there"
            )

        def fits(given):
            readings = self._readings(dataclasses.replace(heard, given=given))
            return any(self._fault(heard, given, reading) is None for reading in readings)

        fitting = self.layers(inputs, fits)
        if not fitting:
            return text + (
                "Between the two lies more than pooling, as a ReLU or a norm, and it is no module: make "
                "it one (self.relu = torch.nn.ReLU()), and name that"
            )
        return text + (
            f"The head reads {' or '.join(fitting[:5])}: name that. For a layer further below, "
            'export(..., above="network") makes the entry of a run'
        )

    def layers(self, inputs, fits):
        """The names of the layers, without the head, that run once in a batch and give what fits."""
        given = {}

        def hear(module, arguments, out):
            given.setdefault(module, []).append(out)

        hooks = [
            module.register_forward_hook(hear)
            for module, name in self._names.items()
            if name and module is not self.head
        ]
        try:
            with torch.no_grad():
                self._call(inputs)
        finally:
            for hook in hooks:
                hook.remove()
        once = {m: _tensor_of_layer(outs[0]) for m, outs in given.items() if len(outs) == 1}
        return [
            name for m, name in self._names.items() if once.get(m) is not None and fits(once[m])
        ]

    def weight(self):
        """C x D; of a flattened layer C x P*D, in the order in which activations are kept."""
        weight = as_numpy("head_weight", self.head.weight)
        if self.reading == "flatten" and self._positions is not None:
            by_channel = weight.reshape(len(weight), -1, self._positions)
            weight = np.ascontiguousarray(by_channel.transpose(0, 2, 1)).reshape(len(weight), -1)
        return weight

    def bias(self):
        if self.head.bias is None:
            return np.zeros(self.head.out_features, dtype=np.float32)
        return as_numpy("head_bias", self.head.bias)

    def fault_of_concepts(self, inputs, heard):
        """Why the head does not read the concepts that the layer gives, each by itself, and give the
        network's output; None: it does.

        Between the two there may be functions of single concepts, as a sigmoid. That is tried out: if
        the scores are dealt to the samples anew, those of each concept in an order of its own, what
        the head reads must be dealt alike.
        """
        if self.head is None:
            return f"no torch.nn.Linear runs after {self.name}"
        if not torch.is_tensor(heard.read) or heard.read.shape != heard.given.shape:
            read = shape_of(heard.read) if torch.is_tensor(heard.read) else "something else"
            return (
                f"{self.head_name}, the last torch.nn.Linear, reads {read}, and {self.name} gives "
                f"{shape_of(heard.given)}: the head has several layers, or reads more than the concepts"
            )
        if not torch.equal(heard.read, heard.given) and not self._reads_alone(inputs, heard):
            return f"what {self.head_name} reads of a concept depends on other concepts or on inputs"
        why = self.fault_of_head(heard.read, heard)
        return why and f"the network's output is not that of {self.head_name}: it {why}"

    def _reads_alone(self, inputs, heard):
        n, k = heard.given.shape
        if n < 2:
            raise ValueError("loader: the first batch has one sample, expected two or more")
        random = torch.Generator().manual_seed(0)
        for _ in range(1 if n > 8 else 20):  # of few samples, two orders are often the same
            order = torch.argsort(torch.rand(n, k, generator=random), dim=0).to(heard.given.device)
            dealt = self.run(inputs, instead=lambda out, order=order: out.gather(0, order))
            if difference(dealt.read, heard.read.gather(0, order)) is not None:
                return False
        return True


def difference(found, wanted):
    """In words, "is off by 0.2 (allowed: 0.0001)"; None: there is none."""
    if found.shape != wanted.shape:
        return f"is {shape_of(found)}, and the network gives {shape_of(wanted)}"
    off = float((found - wanted).abs().max())
    allowed = TOLERANCE * max(1.0, float(wanted.abs().max()))
    return None if off <= allowed else f"is off by {off:.3g} (allowed: {allowed:.3g})"


def _tensor_of_layer(value):
    """A layer's output: a tensor, of HuggingFace's outputs last_hidden_state or logits, of a tuple
    the first. None: there is none."""
    if isinstance(value, (tuple, list)):
        value = value[0] if value else None
    if isinstance(value, Mapping):
        value = value.get("last_hidden_state", value.get("logits"))
    return value if torch.is_tensor(value) else None


def _outputs_of(value):
    """A network's output: a tensor, or what HuggingFace's outputs call logits, or the one tensor of
    a tuple."""
    if torch.is_tensor(value):
        return value
    tensors = []
    if isinstance(value, (tuple, list)):
        tensors = [part for part in value if torch.is_tensor(part)]
    elif torch.is_tensor(_logits(value)):
        tensors = [_logits(value)]
    if len(tensors) == 1:
        return tensors[0]
    having = f" with {len(tensors)} tensors" if tensors else " without logits"
    raise ValueError(
        f"the network gives a {type(value).__name__}{having}, expected a tensor: hand over a "
        "torch.nn.Module that returns only the outputs that are to be explained"
    )


def _logits(value):
    return value.get("logits") if isinstance(value, Mapping) else getattr(value, "logits", None)


def shape_of(tensor):
    return " x ".join(str(size) for size in tensor.shape)
