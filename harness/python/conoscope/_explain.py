# SPDX-License-Identifier: Apache-2.0
"""explain(): fits an explainer to a head view."""

import dataclasses
from typing import Any, Optional

import numpy as np

from conoscope import _arrays, _command, _pictures
from conoscope._command import options_of


@dataclasses.dataclass(repr=False)
class HeadView:
    """A network's last layer and the linear head above it; arrays as measure() takes them."""

    activations: Any  #: n x D, n x P x D or n x height x width x D, before pooling
    head_weight: Any  #: C x D
    head_bias: Any  #: C
    labels: Any = None  #: n
    targets: Any = None  #: n x C
    train_index: Any = None  #: row numbers: what is fitted on
    test_index: Any = None
    segment_embeddings: Any = None  #: m x D, for explainers that want segments
    segment_sample: Any = None  #: m
    output: str = "softmax"  #: or "sigmoid", "regression"
    pooling: str = "auto"

    __repr__ = _arrays.in_short

    def arrays(self):
        """The arrays and what the head makes of them, by the names of measure()'s arguments."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclasses.dataclass(repr=False)
class Explanation:
    """What an explainer says of a head: measure(..., **explanation.arrays()) judges it, where its
    concept scores are the products of rows and cavs."""

    method: str
    cavs: np.ndarray  #: K x D
    importance: np.ndarray  #: C x K; or K, with counts
    counts: Optional[np.ndarray] = None  #: C: how many rows of cavs are each output's own
    #: How it was fitted, for show(): the files' arrays and the command's arguments.
    _fit: Optional[tuple] = dataclasses.field(default=None, compare=False)

    def __repr__(self):
        return _arrays.in_short(dataclasses.replace(self, _fit=None))

    def show(self, sample, controls=()):
        """How the explanation makes the answer for one sample: a sum of its concepts beside the model's
        logit, as a Picture, which a notebook shows. The explainer is fitted again for it, with the same
        seed, so that its own concept scores are drawn.

        sample    which of the rows that were not fitted to, counted from 0
        controls  randomised twins to draw below, as ["random_concepts"]

        Raises ValueError: there is no such row, or the explanation does not come from explain().
        """
        if self._fit is None:
            raise ValueError("show: this explanation does not come from conoscope.explain()")
        arrays, arguments = self._fit
        folder, files = _arrays.put_all(arrays)
        with folder:
            file = folder.path / "sample.svg"
            words = ["measure", "effective_concepts", *arguments]
            words += [f"{name}={path}" for name, path in files.items()]
            words += ["--sample", sample, "--picture", file, *options_of({"control": controls})]
            rename = {path: name for name, path in files.items() if path.startswith(str(folder.path))}
            _command.call(words, rename=rename)
            return _pictures.Picture(file.read_text(encoding="utf-8"))

    def arrays(self):
        """The arrays, by the names of measure()'s arguments."""
        out = {"cavs": self.cavs, "importance": self.importance}
        return out if self.counts is None else {**out, "counts": self.counts}

    def of(self, output):
        """(cavs, importance) of one output."""
        if self.counts is None:
            return self.cavs, self.importance[output]
        first = int(self.counts[:output].sum())
        rows = slice(first, first + int(self.counts[output]))
        return self.cavs[rows], self.importance[rows]


def explain(
    method, head_view, *, seed=0, split=None, seconds=600, memory=8192, plugin_path=(), **parameters
):
    """Fits an explainer, as explain("kmeans", head_view, k=3), and returns its Explanation.

    method     the id of an explainer; `conoscope plugin list explainer` shows those there are
    head_view  a HeadView
    split      the share of rows that is left out of the fit; None: a fifth, where train_index and
               test_index do not say
    plugin_path  folders where plugins of your own lie
    parameters the explainer's own; lists for parameters that take lists

    Raises ValueError: no such explainer or parameter, arrays that contradict each other;
    ConoscopeError: the explainer failed.
    """
    wanted = method
    if parameters:
        given = ",".join(f"{name}={_word(value)}" for name, value in parameters.items())
        wanted = f"{method}({given})"
    given_arrays = head_view.arrays()
    output, pooling = given_arrays.pop("output"), given_arrays.pop("pooling")
    folder, files = _arrays.put_all(given_arrays)
    with folder:
        saved = folder.path / "explanations"
        # One cheap score: it is the explanation that is wanted.
        fit = ["--explain", wanted, "--seed", seed, "--output", output, "--pooling", pooling]
        fit += ["--seconds", seconds, "--memory", memory]
        fit += options_of({"split": split, "plugin_path": plugin_path})
        arguments = ["measure", "effective_concepts", "--format", "json", *fit]
        arguments += [f"{name}={path}" for name, path in files.items()]
        arguments += ["--save-explanations", saved]
        rename = {path: name for name, path in files.items() if path.startswith(str(folder.path))}
        _command.call(arguments, rename=rename)
        (file,) = saved.iterdir()
        with np.load(file) as arrays:
            counts = arrays["counts"] if "counts" in arrays.files else None
            fitted = (given_arrays, fit)
            return Explanation(wanted, arrays["cavs"], arrays["importance"], counts, fitted)


def _word(value):
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(_word(item) for item in value)
    return str(value)
