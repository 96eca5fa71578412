# SPDX-License-Identifier: Apache-2.0
"""Methods in Python: a class, and main() as the file's last line.

    # /// conoscope
    # kind = "explainer"
    # id = "my_method"
    # version = "0.1.0"
    # needs = ["head_view"]
    # offers = ["explanation"]
    # parameters.k = { type = "integer", default = 5, min = 1, role = "concept_count" }
    # ///
    import conoscope.plugin as cp

    class MyMethod(cp.Explainer):
        def fit(self, head, context):
            ...
            return cp.Explanation(cavs=V, importance=a, counts=c)

    cp.main(MyMethod)

The host starts the file, calls the class in a process of its own and holds it to the rules that
`conoscope plugin check` tests. Rows are samples; which arrays make up which view is listed in
conoscope/sdk/abi.h. Raise ValueError where the caller broke the contract, Undefined where the result
does not exist, NotApplicable where the method is not made for such input; anything else is a fault.
"""

import inspect
import os
import sys
import traceback
import types

import numpy as np

from conoscope._arrays import as_numpy
from conoscope._run_plugin import FROM_HOST, INTERNAL, TO_HOST, describe, line

__all__ = [
    "Arrays",
    "Cancelled",
    "Context",
    "Dataset",
    "Explainer",
    "Explanation",
    "Metric",
    "Model",
    "NotApplicable",
    "Result",
    "Score",
    "Undefined",
    "main",
]

PROTOCOL = 1


class NotApplicable(Exception):
    """The method is not made for such input, by design: the cell is no failure."""


class Undefined(Exception):
    """The contract was kept, and the result does not exist."""


class Cancelled(Exception):
    """The host wants the call to end. Let it pass."""


class HostError(RuntimeError):
    """A call into the host failed; the host knows why. Let it pass."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class Arrays:
    """Arrays (NumPy, mapped, read-only) and texts by name, as attributes: head.activations,
    head.pooling. `"labels" in head` tells whether there are any."""

    def __init__(self, values):
        self._values = values

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(f"there is no {name}; there are {', '.join(self)}") from None

    def __contains__(self, name):
        return name in self._values

    def __iter__(self):
        return iter(sorted(self._values))

    def get(self, name, otherwise=None):
        return self._values.get(name, otherwise)


class Result:
    """What a fit or a load leaves: arrays, and texts where a value is a str. None is left out. Other
    names than those of the views are the plugin's own; it gets them back in later calls."""

    def __init__(self, **values):
        self.values = {name: value for name, value in values.items() if value is not None}


class Explanation(Result):
    """cavs        M x D: a vector for each concept
    importance  class-specific: M; class-agnostic: C x M
    counts      class-specific: C, how many of the rows of cavs each output owns, in order
    scope       class_specific, or class_agnostic where every output has all M concepts
    """

    def __init__(self, cavs, importance, counts=None, scope=None, **own):
        if scope is None:
            scope = "class_agnostic" if counts is None else "class_specific"
        if counts is not None:
            counts = np.asarray(counts, dtype=np.int64)
        super().__init__(cavs=cavs, importance=importance, counts=counts, scope=scope, **own)


class Score:
    """A score that is more than a number.

    value    the score; None: there is none, and `reason` says why
    reason   "undefined" or "not_applicable"
    message  the reason in words, or a caveat of the value
    parts    per-sample, per-concept or per-pair values
    """

    def __init__(self, value=None, reason="", message="", parts=None):
        self.value, self.reason, self.message, self.parts = value, reason, message, parts


class Context:
    """The host, during one call.

    seed     the only source of randomness; generator() is NumPy's, seeded with it
    threads  at most as many, and the same bits at any number of them
    scratch  a folder of the plugin's own; emptied afterwards
    """

    def __init__(self, host, request):
        self._host = host
        self.seed, self.threads = request.seed, request.threads
        self.scratch = request.scratch

    def generator(self):
        return np.random.Generator(np.random.PCG64(self.seed))

    def progress(self, done):
        """done in [0, 1]"""
        self._host.send("progress", repr(float(done)))

    def log(self, text):
        """A line for the attempt's log. Standard output is the command's own."""
        self._host.send("log", text)

    def cancelled(self):
        """Whether to stop; ask once per outer iteration."""
        self._host.send("cancelled")
        return self._host.receive()[0] == "yes"

    def check_cancelled(self):
        """Raises Cancelled."""
        if self.cancelled():
            raise Cancelled("cancelled")


class _Plugin:
    """params: the parameters of the metadata, checked and with defaults, as attributes.
    context: of the call that goes on, for the methods that are not given it."""

    kind = None

    def __init__(self, params):
        self.params = params


class Dataset(_Plugin):
    """load(context) -> Result(inputs=..., labels=..., train_index=..., test_index=...,
    task="classification")"""

    kind, abilities, state_name = "dataset", ("load",), None


class Model(_Plugin):
    """fit(dataset, context) -> Result of the views that the metadata offer: activations, head_weight,
    head_bias, pooling, output; or concept_scores, ...; or codes.

    Optional, on what fit() left, which is self.model: forward(inputs) m x ... -> m x P x D and
    forward_gradient(inputs, cotangents) -> m x ...; intervene(concepts) m x k x w -> m x C, or
    intervene(concepts, told) where what is told of some concepts changes the others: told is m x k,
    1 where the concept of a row was told, 0 where its score is the model's own;
    head(activations) m x P x D -> m x C and vjp(activations, cotangents) -> m x P x D;
    decode(codes) m x L -> m x ..., as the dataset's inputs.
    """

    kind, state_name = "model", "model"
    abilities = ("fit", "forward", "forward_gradient", "intervene", "head", "vjp", "decode")


class Explainer(_Plugin):
    """fit(head, context) -> Explanation. With needs = ["forward"], head.forward(inputs) runs the model:
    m x ... -> m x P x D; with needs = ["head"], head.head(activations) runs what lies above the layer,
    m x P x D -> m x C, and head.vjp(activations, cotangents) its derivative, where head.offers has vjp.

    Optional, on what fit() left, which is self.explanation: project(output, rows) m x D -> m x K_c,
    where a concept's score is not the product of a row and its vector; reconstruct(output, scores)
    m x K_c -> m x D, its inverse. A row's answer must not depend on the rows around it.
    """

    kind, state_name = "explainer", "explanation"
    abilities = ("fit", "project", "reconstruct")


class Metric(_Plugin):
    """score(subject, context) -> {name: number or Score}. The subject's arrays are attributes; where
    it offers them: subject.project(output, rows), subject.reconstruct(output, scores),
    subject.intervene(concepts, told)."""

    kind, abilities, state_name = "metric", ("score",), None


def main(cls):
    """Serves the host until it has no more to ask. The last line of a plugin's file."""
    if not (isinstance(cls, type) and issubclass(cls, _Plugin) and cls.kind):
        raise TypeError("main() expects a class made from Dataset, Model, Explainer or Metric")
    _serve(cls, _Host(FROM_HOST, TO_HOST))
    # Whoever asked has gone; there is nobody left for what exit handlers and finalisers might say.
    sys.stdout.flush()
    os._exit(0)


# ---- the protocol: docs/process-plugins.md -------------------------------------------------------

_UNESCAPED = {"t": "\t", "n": "\n"}


def _split(text):
    if "\\" not in text:
        return text.split("\t")
    out, at = [""], 0
    while at < len(text):
        if text[at] == "\t":
            out.append("")
        elif text[at] == "\\" and at + 1 < len(text):
            at += 1
            out[-1] += _UNESCAPED.get(text[at], text[at])
        else:
            out[-1] += text[at]
        at += 1
    return out


class _Host:
    """The two descriptors, and the folder in which arrays are exchanged."""

    def __init__(self, incoming, outgoing):
        self._in = open(incoming, "rb")
        self._out = outgoing
        self.exchange = None
        self._files = 0

    def send(self, *fields):
        data = line(*fields)
        while data:
            data = data[os.write(self._out, data) :]

    def receive(self):
        """The next message's fields; without one, the host has gone."""
        text = self._in.readline()
        if not text.endswith(b"\n"):
            sys.stdout.flush()
            os._exit(0)
        return _split(text[:-1].decode())

    def read(self, file):
        path = os.path.join(self.exchange, file)
        try:
            return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
        except ValueError:  # NumPy maps no array without elements
            return np.load(path, allow_pickle=False)

    def write(self, array):
        self._files += 1
        file = f"plugin.{self._files}.npy"
        np.save(os.path.join(self.exchange, file), array, allow_pickle=False)
        return file

    def ask(self, function, output, arrays, *extents):
        """A call into the host: the array that it answers with."""
        files = [self.write(_plain(array, function)) for array in arrays]
        self.send("ask", function, output, *files, *extents)
        answer = self.receive()
        if answer[0] == "fault":
            raise HostError(int(answer[1]), answer[2])
        return self.read(answer[2])


def _plain(array, name):
    """Row-major, and of a dtype that crosses the border."""
    array = as_numpy(name, array)
    if array.dtype.kind == "b" or array.dtype == np.uint8:
        array = array.astype(np.uint8)
    elif array.dtype.kind in "iu" and array.dtype.itemsize != 4:
        if array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max:
            raise ValueError(f"{name}: {array.max()} is more than an int64 holds")
        array = array.astype(np.int64)
    elif array.dtype == np.uint32:
        array = array.astype(np.int64)
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))


class _Request:
    """One message of the host's, up to its `go`."""

    def __init__(self, host, name, instance):
        self.name, self.instance = name, instance
        self.seed, self.threads, self.scratch, self.output = 0, 1, "", None
        self.values, self.state, self.params, self.offers = {}, {}, {}, []
        while True:
            word, *rest = host.receive()
            if word == "go":
                return
            if word == "seed":
                self.seed = int(rest[0])
            elif word == "threads":
                self.threads = int(rest[0])
            elif word == "scratch":
                self.scratch = rest[0]
            elif word == "exchange":
                host.exchange = rest[0]
            elif word == "output":
                self.output = int(rest[0])
            elif word == "array":
                self.values[rest[0]] = host.read(rest[1])
            elif word == "text":
                self.values[rest[0]] = rest[1]
            elif word == "state":
                self.state[rest[0]] = host.read(rest[1])
            elif word == "state_text":
                self.state[rest[0]] = rest[1]
            elif word == "offers":
                self.offers.append(rest[0])
            elif word == "parameter":
                self.params[rest[0]] = _value(rest[1], rest[2:])
            # Words that are not known here are of a later minor version of the protocol.


def _value(kind, texts):
    one = {"integer": int, "real": float, "boolean": "true".__eq__}.get(kind, str)
    many = {"integers": int, "reals": float, "texts": str}.get(kind)
    return [many(text) for text in texts] if many else one(texts[0])


def _serve(cls, host):
    abilities = [name for name in cls.abilities if callable(getattr(cls, name, None))]
    host.send("hello", PROTOCOL, cls.kind, *abilities)
    instances = {}
    while True:
        word, *rest = host.receive()
        if word == "destroy":
            instances.pop(rest[0], None)
            continue
        request = _Request(host, word, rest[0])
        try:
            if word == "create":
                instances[rest[0]] = cls(types.SimpleNamespace(**request.params))
            else:
                _answer(host, instances[rest[0]], request)
            host.send("ok")
        except Exception as error:
            status, text = _fault(error)
            host.send("fault", status, text)


def _fault(error):
    if isinstance(error, NotApplicable):
        return 3, str(error)
    if isinstance(error, Cancelled):
        return 4, str(error)
    if isinstance(error, HostError):
        return error.status, str(error)
    traceback.print_exc()
    status = INTERNAL
    for kind, code in ((MemoryError, 5), (Undefined, 2), (ValueError, 1)):
        if isinstance(error, kind):
            status = code
    return status, describe(error, sys.argv[0])


def _answer(host, plugin, request):
    context = plugin.context = Context(host, request)
    if request.state:
        setattr(plugin, plugin.state_name, Arrays(request.state))
    values = request.values
    if request.name == "load":
        return _leave(host, "load", plugin.load(context))
    if request.name == "fit":
        given = _Head(host, values, request.offers) if plugin.kind == "explainer" else Arrays(values)
        return _leave(host, "fit", plugin.fit(given, context))
    if request.name == "score":
        return _give_scores(host, plugin.score(_Subject(host, values, request.offers), context))
    method, arguments = getattr(plugin, request.name), list(values.values())
    if plugin.kind == "explainer":
        arguments.insert(0, request.output)
    if request.name == "intervene":  # the mask for a method that takes it
        del arguments[len(inspect.signature(method).parameters) :]
    name = f"{request.name}()"
    host.send("array", name, host.write(_plain(method(*arguments), name)))
    return None


def _leave(host, name, result):
    if not isinstance(result, Result):
        raise TypeError(f"{name}() returned {type(result).__name__}, expected a conoscope.plugin.Result")
    for key, value in result.values.items():
        if isinstance(value, str):
            host.send("text", key, value)
        else:
            host.send("array", key, host.write(_plain(value, key)))


def _give_scores(host, scores):
    for name, score in scores.items():
        if not isinstance(score, Score):
            score = Score(score)
        value = "" if score.value is None else repr(float(score.value))
        parts = "" if score.parts is None else host.write(_plain(np.ravel(score.parts), name))
        host.send("score", name, value, score.reason, score.message, parts)


class _Head(Arrays):
    def __init__(self, host, values, offers):
        super().__init__(values)
        self._host, self.offers = host, tuple(offers)

    def forward(self, inputs):
        """The model on m inputs of the dataset's shape: m x P x D activations."""
        return self._host.ask("forward", 0, [inputs], *self._layer())

    def head(self, activations):
        """What lies above the layer on m samples' activations, m x P x D: m x C outputs before softmax."""
        activations = np.reshape(activations, (-1, *self._layer()))
        return self._host.ask("head", 0, [activations], len(self.head_weight))

    def vjp(self, activations, cotangents):
        """And with cotangents u, m x C: sum_c u_c d output_c / d activations, m x P x D."""
        activations = np.reshape(activations, (-1, *self._layer()))
        return self._host.ask("vjp", 0, [activations, cotangents], *self._layer())

    def _layer(self):
        shape = self.activations.shape
        return (shape[1] if len(shape) == 3 else 1), shape[-1]


class _Subject(Arrays):
    def __init__(self, host, values, offers):
        super().__init__(values)
        self._host, self.offers = host, tuple(offers)

    def project(self, output, rows):
        """rows m x D -> scores m x K_c of output c"""
        counts = self.get("counts")
        concepts = len(self.cavs) if counts is None else int(counts[output])
        return self._host.ask("project", output, [rows], concepts)

    def reconstruct(self, output, scores):
        """scores m x K_c of output c -> rows m x D"""
        return self._host.ask("reconstruct", output, [scores], self.cavs.shape[1])

    def intervene(self, concepts, told=None):
        """edited concepts m x k x w -> task outputs m x C; told: m x k, 1 where the concept of a row
        was told (default: all)"""
        arrays = [concepts] if told is None else [concepts, told]
        return self._host.ask("intervene", 0, arrays, self.task_outputs.shape[1])
