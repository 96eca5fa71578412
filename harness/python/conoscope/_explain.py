"""explain(): fits an explainer to a head view."""

import dataclasses
from typing import Any, Optional

import numpy as np

from conoscope import _arrays, _command
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

    __repr__ = _arrays.in_short

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
        arguments = ["measure", "effective_concepts", "--format", "json", "--explain", wanted]
        arguments += [f"{name}={path}" for name, path in files.items()]
        arguments += ["--save-explanations", saved, "--seed", seed]
        arguments += ["--output", output, "--pooling", pooling]
        arguments += ["--seconds", seconds, "--memory", memory]
        arguments += options_of({"split": split, "plugin_path": plugin_path})
        rename = {path: name for name, path in files.items() if path.startswith(str(folder.path))}
        _command.call(arguments, rename=rename)
        (file,) = saved.iterdir()
        with np.load(file) as arrays:
            counts = arrays["counts"] if "counts" in arrays.files else None
            return Explanation(wanted, arrays["cavs"], arrays["importance"], counts)


def _word(value):
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(_word(item) for item in value)
    return str(value)
