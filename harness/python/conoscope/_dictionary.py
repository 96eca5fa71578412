# SPDX-License-Identifier: Apache-2.0
"""score(): a dictionary object of this process is judged as an explanation."""

import contextlib
import dataclasses
import hashlib
import json
import pathlib
import re
import socketserver
import sys
import threading
from typing import Any, Callable

import numpy as np

from conoscope import _arrays, _command, _measure
from conoscope._scores import Score, Scores

#: Where the explainer lies through which the command asks this process.
_PLUGINS = pathlib.Path(__file__).resolve().parent / "served"
_METHOD = "served_dictionary"

#: What libraries call the two functions.
_ENCODE = ("encode", "activations_to_concepts", "encode_activations")
_DECODE = ("decode", "concepts_to_activations", "decode_concepts")

#: Two answers that should be the same may differ by this share of the largest number: single precision
#: keeps 1e-4 over sums of ten thousands of terms, half precision three digits of each term.
_CLOSE, _CLOSE_IN_HALF = 1e-3, 3e-2

_TRIED = 256  # rows that the object is tried on before anything is judged
_AT_ONCE = 4096  # rows that the object is given at once

#: Groups of metrics that read the head, all but _OF_ROWS; without a head they are not asked.
_OF_HEADS = (
    "surf",
    "surf_below",
    "attacks",
    "input_attacks",
    "parsimony",
    "ice_eval",
    "c_shap_eval",
    "constant_surrogate",
    "sae_eval",
    "deletion",
    "deletion_pixel",
    "causal",
)
_OF_ROWS = ("sae_reconstruction_error", "sae_reconstruction_error_spatial_mean")
#: Groups and metrics that measure() computes only where they are named.
_ON_REQUEST = (
    "over_seeds",
    "summaries",
    "input_attacks",
    "kept_concepts",
    "irs_given",
    "irs_pida",
    "irs_empida",
    "sap_20_80",
)


def score(
    obj,
    activations,
    *metrics,
    encode=None,
    head_weight=None,
    head_bias=None,
    name=None,
    split=None,
    seed=0,
    splits=1,
    controls=(),
    output="softmax",
    pooling="auto",
    seconds=600,
    memory=8192,
    dataset_name=None,
    store=None,
    progress=True,
    **arrays,
):
    """Scores a dictionary object, as a trained sparse autoencoder: every metric whose needs are met, or
    those of `metrics`. Its atoms are concepts that all outputs share, and a concept's score is what the
    object's own encoder says of a row, times the atom's norm. A constant that its decoder adds is one
    more concept, of which every row has as much.

    obj           has encode() and decode(). The atoms are W_dec or get_dictionary(), K x D, where there is
                  one of them, else decode() is asked for each. Of several outputs of encode() the last
                  are the codes. What wraps such an object as its concept_model is taken, too
    activations   n x D, n x P x D or n x height x width x D: of the layer that the object was trained on
    encode        m x D -> m x K: an encoder, in place of the object's own
    head_weight, head_bias  C x D and C: the linear head above the activations. Without them no metric
                  is asked that reads the head
    name          what the scores call it; None: its class
    store         keep the scores in this file, where boards and compare() find them, with the rows as
                  `dataset_name`; None: nowhere
    arrays        as of measure(): labels, concepts, factors, targets, train_index, test_index
    split, seed, splits, controls, output, pooling, seconds, memory, progress  as of measure()

    The object answers in this process, in the precision and on the device of its weights, and as it is:
    call .eval() first. Nothing is fitted; training rows are those that metrics train on. Without a
    split of your own a fifth of the rows is judged.

    Returns Scores, as measure() does.

    Raises ValueError: the object has no encoder, shapes do not fit, numbers are not finite, the decoder
    is not linear up to a constant, a row's codes depend on the rows around it; and as measure(). What
    the object itself raises is raised.
    """
    for key in ("cavs", "importance", "counts"):
        if key in arrays:
            raise TypeError(f"score() takes no array {key!r}: the object is the explanation")
    if (head_weight is None) != (head_bias is None):
        raise ValueError("head_weight and head_bias: expected both, or neither")
    activations = _arrays.as_numpy("activations", activations)
    if activations.ndim not in (2, 3, 4) or not activations.size:
        raise ValueError(
            f"activations: {_shape(activations)}, expected n x D, n x P x D or n x height x width x D"
        )
    dictionary = read(obj, activations.reshape(-1, activations.shape[-1]), encode)
    left_out = []
    if head_weight is None:
        metrics, left_out = _without_head(metrics)
        if not metrics:
            return Scores(left_out)
        # A head that says nothing: the command wants one, and no metric that is asked reads it.
        labels = arrays.get("labels")
        outputs = 2 if labels is None else int(max(1, np.max(_arrays.as_numpy("labels", labels)))) + 1
        head_weight = np.zeros((outputs, activations.shape[-1]))
        head_bias = np.zeros(outputs)
        output = "regression"
    name = name or type(obj).__name__
    with _Served(dictionary, name) as served:
        options = {
            "split": split,
            "seed": seed,
            "splits": splits,
            "controls": controls,
            "output": output,
            "pooling": pooling,
            "seconds": seconds,
            "memory": memory,
            "progress": progress,
            "explain": [served.method],
            "plugin_path": [_PLUGINS],
            "grant": [_METHOD],
        }
        if store is not None:
            options.update(name="activations", dataset_name=dataset_name, store=store)
        head = {"head_weight": head_weight, "head_bias": head_bias}
        scores = _measure.judge(
            metrics,
            {"activations": activations, **head, **arrays},
            options,
            environment={"CONOSCOPE_PYTHON": sys.executable},
        )
    if served.fault is not None:
        raise served.fault
    renamed = [
        dataclasses.replace(one, judged=name if one.judged == served.shown else one.judged)
        for one in scores.all()
    ]
    return Scores(renamed + left_out, scores.rows, scores.log.replace(served.shown, name))


def _without_head(metrics):
    """(those to ask, a Score for each that reads a head)."""
    rows = json.loads(_command.call(["metric", "--format", "json"])[1])
    asked, left_out = [], []
    for row in rows:
        metric, group = row["metric"], row["group"]
        named = [text for text in metrics if text.split("(")[0] in (metric, group)]
        if metrics and not named:
            continue
        if not metrics and (metric in _ON_REQUEST or group in _ON_REQUEST):
            continue
        if group in _OF_HEADS and metric not in _OF_ROWS:
            why = "needs head_weight and head_bias"
            left_out.append(Score(metric, "", None, row["better"], "not_applicable", why))
        else:
            asked += [text for text in named if text.split("(")[0] == metric] or [metric]
    known = {name for row in rows for name in (row["metric"], row["group"])}
    # What the command does not list by name, as a metric plugin, it shall find or refuse.
    return asked + [text for text in metrics if text.split("(")[0] not in known], left_out


@dataclasses.dataclass
class Dictionary:
    """x = sum_k encode(x)_k norms_k atoms_k + bias, about."""

    atoms: np.ndarray  #: K x D, unit rows; an atom that is 0 stays so
    norms: np.ndarray  #: K; of an atom that is 0: 1
    bias: np.ndarray  #: D
    codes: np.ndarray  #: of the first rows
    encode: Callable[[Any], np.ndarray]  #: m x D -> m x K


def read(obj, rows, encode=None):
    """The Dictionary that an object is, tried on the first rows. Raises ValueError as score() does."""
    what = type(obj).__name__
    like = _a_tensor_of(obj)
    half = like is not None and str(like.dtype).endswith("16")
    rows = np.asarray(rows[:_TRIED], dtype=np.float64)
    if not np.isfinite(rows).all():
        raise ValueError("activations: a number is not finite")

    def call(function, name, numbers, width=None):
        numbers = np.ascontiguousarray(numbers, dtype=np.float64)
        with _no_gradient():
            out = function(numbers if like is None else like.new_tensor(numbers))
        if isinstance(out, (tuple, list)) and out and hasattr(out[-1], "shape"):
            out = out[-1]  # (pre_codes, codes)
        out = _arrays.as_numpy(f"{what}.{name}", out).astype(np.float64)
        if out.ndim != 2 or len(out) != len(numbers) or width not in (None, out.shape[1]):
            wanted = f"{len(numbers)} x {width or 'K'}"
            raise ValueError(
                f"{what}.{name}: made {_shape(out)} of {_shape(numbers)}, expected {wanted}"
            )
        if not np.isfinite(out).all():
            raise ValueError(f"{what}.{name}: a number that it made is not finite")
        return out

    function, name = (encode, "encode=") if encode is not None else _method(obj, _ENCODE)
    if function is None:
        raise ValueError(
            f"{what}: has no encode(), and what follows its weights cannot be guessed: give encode=, or "
            "judge products with its atoms by conoscope.measure(cavs=...)"
        )
    codes = call(function, name, rows)
    _check_alone(what, name, codes, lambda some: call(function, name, some), rows, half)
    latents, width = codes.shape[1], rows.shape[1]

    decode, decode_name = _method(obj, _DECODE)
    bias = _array(obj, "b_dec")
    if decode is not None:
        bias = call(decode, decode_name, np.zeros((1, latents)), width)[0]
    elif bias is None:
        bias = np.zeros(width)
    elif bias.shape != (width,):
        raise ValueError(f"{what}.b_dec: {_shape(bias)}, expected {width}")
    atoms, atoms_name = _atoms(obj)
    if atoms is not None:
        atoms = _upright(f"{what}.{atoms_name}", atoms, latents, width)
    elif decode is not None:
        parts = []
        for first in range(0, latents, _AT_ONCE):
            ones = np.eye(min(_AT_ONCE, latents - first), latents, first)
            parts.append(call(decode, decode_name, ones, width) - bias)
        atoms, atoms_name = np.concatenate(parts), decode_name
    else:
        raise ValueError(f"{what}: has neither W_dec nor get_dictionary() nor decode()")
    if decode is not None:
        _check_linear(what, decode_name, call(decode, decode_name, codes, width), codes @ atoms + bias, half)

    norms = np.linalg.norm(atoms, axis=1)
    norms[norms == 0] = 1

    def all_codes(some):
        parts = [
            call(function, name, some[first : first + _AT_ONCE], latents)
            for first in range(0, len(some), _AT_ONCE)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, latents))

    return Dictionary(atoms / norms[:, None], norms, bias, codes, all_codes)


def _parts_of(obj):
    """The object, and what it wraps."""
    return [part for part in (obj, getattr(obj, "concept_model", None)) if part is not None]


def _method(obj, names):
    """(the first callable of these names, what to call it), or (None, None)."""
    for part in _parts_of(obj):
        for name in names:
            if callable(getattr(part, name, None)):
                return getattr(part, name), f"{name}()"
    return None, None


def _array(obj, name):
    for part in _parts_of(obj):
        value = getattr(part, name, None)
        if value is not None and not callable(value):
            return _arrays.as_numpy(f"{type(obj).__name__}.{name}", value).astype(np.float64)
    return None


def _atoms(obj):
    atoms = _array(obj, "W_dec")
    if atoms is not None:
        return atoms, "W_dec"
    getter, name = _method(obj, ("get_dictionary",))
    if getter is None:
        return None, None
    with _no_gradient():
        return _arrays.as_numpy(f"{type(obj).__name__}.{name}", getter()).astype(np.float64), name


def _upright(name, atoms, latents, width):
    """K x D. Of a square one decode() says whether it is, if there is one."""
    if not np.isfinite(atoms).all():
        raise ValueError(f"{name}: a number is not finite")
    if atoms.shape == (latents, width):
        return atoms
    if atoms.shape == (width, latents):
        return atoms.T
    raise ValueError(f"{name}: {_shape(atoms)}, expected {latents} x {width} (latents x width)")


def _check_alone(what, name, codes, encode, rows, half):
    """A row's codes are its own: a batch top-k or a batch norm in training mode would be judged by how
    the command happens to divide the rows. One code may fall on the other side of a threshold."""
    few = min(8, len(rows))
    alone = np.concatenate([encode(rows[i : i + 1]) for i in range(few)])
    apart = np.abs(alone - codes[:few]) > (_CLOSE_IN_HALF if half else _CLOSE) * np.abs(codes).max()
    if apart.sum() > max(1, (codes[:few] != 0).sum() // 100):
        i, k = np.argwhere(apart)[0]
        raise ValueError(
            f"{what}.{name}: code {k} of row {i} is {codes[i, k]:g} among other rows and {alone[i, k]:g} "
            "alone; a row's codes must not depend on the rows around it (is it in training mode?)"
        )


def _check_linear(what, name, decoded, linear, half):
    off, largest = np.abs(decoded - linear).max(), np.abs(decoded).max()
    if off > (_CLOSE_IN_HALF if half else _CLOSE) * largest:
        raise ValueError(
            f"{what}.{name}: is off by {off:g} of {largest:g} from codes times atoms plus a constant; an "
            "explanation adds its concepts up. Fold a scaling of the activations into the weights first"
        )


def _a_tensor_of(obj):
    """One of PyTorch's, from which others take dtype and device; None: the object is none of PyTorch's."""
    for part in _parts_of(obj):
        found = [getattr(part, name, None) for name in ("W_dec", "W_enc", "b_dec", "b_enc")]
        if callable(getattr(part, "parameters", None)):
            found += list(part.parameters())
        for tensor in found:
            if hasattr(tensor, "new_tensor"):
                return tensor
    return None


def _no_gradient():
    torch = sys.modules.get("torch")
    return contextlib.nullcontext() if torch is None else torch.no_grad()


def _shape(array):
    return " x ".join(map(str, array.shape)) or "a number"


class _Served:
    """Answers for a dictionary on a socket of the file system, while a measurement goes on.

    method  what the command is asked to explain with
    shown   what the command calls it
    fault   the first exception that the object raised
    """

    def __init__(self, dictionary, name):
        self.fault = None
        self._dictionary = dictionary
        self._lock = threading.Lock()  # the object is asked one thing at a time
        self._folder = _arrays.Folder(dictionary.atoms.nbytes)
        file = re.sub(r"[^A-Za-z0-9_.-]", "_", name)[:40] + ".npz"
        path = self._folder.path / file
        self.method = f"{_METHOD}(dictionary={path})"
        self.shown = f"{_METHOD}(dictionary={file})"
        try:
            # Of this file the command tells the explanation from others: the encoder by what it says.
            encoder = hashlib.sha256(np.ascontiguousarray(dictionary.codes).tobytes()).digest()
            np.savez(
                path,
                atoms=dictionary.atoms,
                norms=dictionary.norms,
                bias=dictionary.bias,
                encoder=np.frombuffer(encoder, np.uint8),
            )
            self._server = _Server(str(path) + ".socket", self._answer)
        except BaseException:
            self._folder.__exit__()
            raise

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
        self._folder.__exit__()

    def _answer(self, rows):
        """(what is wrong, or ""; the codes)."""
        try:
            with self._lock:
                return "", self._dictionary.encode(rows)
        except Exception as error:
            self.fault = self.fault or error
            return " ".join(f"{type(error).__name__}: {error}".split()), None


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, path, answer):
        self.answer = answer
        super().__init__(path, _Request)


class _Request(socketserver.BaseRequestHandler):
    """Rows as .npy; then a line, empty where nothing is wrong, and the codes."""

    def handle(self):
        with contextlib.suppress(ConnectionError), self.request.makefile("rwb") as stream:
            fault, codes = self.server.answer(np.lib.format.read_array(stream, allow_pickle=False))
            stream.write(fault.encode() + b"\n")
            if codes is not None:
                np.lib.format.write_array(stream, codes, allow_pickle=False)
            stream.flush()
