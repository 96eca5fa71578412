"""Scores: numbers by the names of their metrics."""

import dataclasses
import html
from collections.abc import Mapping
from typing import Optional, Tuple

import numpy as np


@dataclasses.dataclass(frozen=True)
class Score:
    """One number of one metric, or why there is none."""

    metric: str
    judged: str  #: "files", the name of an explainer that was fitted, or "model"
    value: Optional[float]  #: None: see reason. Of several splits the mean
    better: str = "none"  #: "higher", "lower", or "none": it describes, it does not rank
    reason: str = ""  #: "", "undefined", "not_applicable" or "error"
    message: str = ""  #: in words: why there is no number, or what to mind about this one
    interval: Optional[Tuple[float, float]] = None  #: 95 %, over the splits of repeat=
    parts: Optional[np.ndarray] = dataclasses.field(default=None, compare=False)
    #: what the number is made of: one value for each row, concept, class, code or pair
    splits: Optional[Tuple[int, int]] = None  #: (that have a number, all) of repeat=

    def __float__(self):
        return float("nan") if self.value is None else float(self.value)

    def __str__(self):
        if self.value is None:
            return "-" + (f" ({self.message or self.reason})" if self.message or self.reason else "")
        text = f"{self.value:.4g}"
        if self.interval:
            text += f" ± {(self.interval[1] - self.interval[0]) / 2:.2g}"
        if self.splits and self.splits[0] < self.splits[1]:
            text += f" ({self.splits[0]} of {self.splits[1]} splits)"
        return text + (f" ({self.message})" if self.message else "")


class Scores(Mapping):
    """The scores of one call, by name: scores["surf_mae"].value. Where several explanations were
    judged, scores.of("svd") has those of one.

    rows: which rows were judged, to go with the parts of scores that are means over rows
    log:  what was said along the way, such as which metrics could not be applied
    """

    def __init__(self, scores, rows=None, log=""):
        self._scores = list(scores)
        self.rows = rows
        self.log = log

    @property
    def judged(self):
        """What was judged, in order: "files", "svd", "model"."""
        return list(dict.fromkeys(score.judged for score in self._scores if score.judged))

    def of(self, judged):
        """The scores of one of `judged`. Raises KeyError: there is none."""
        if judged not in self.judged:
            raise KeyError(f"{judged} was not judged; judged were {', '.join(self.judged)}")
        return Scores([s for s in self._scores if s.judged == judged], self.rows, self.log)

    def __getitem__(self, metric):
        found = [score for score in self._scores if score.metric == metric]
        if not found:
            raise KeyError(f"no score {metric}; there are {', '.join(self) or 'none'}")
        if len(found) > 1:
            names = ", ".join(score.judged for score in found)
            raise KeyError(f"{metric} of which? Write scores.of(NAME)[...] with one of {names}")
        return found[0]

    def __iter__(self):
        return iter(dict.fromkeys(score.metric for score in self._scores))

    def __len__(self):
        return len(list(iter(self)))

    def all(self):
        """Every score, in the order of the boards."""
        return list(self._scores)

    def to_dataframe(self):
        """One row for each score. Raises ImportError: pandas is not installed."""
        import pandas

        low_high = [score.interval or (None, None) for score in self._scores]
        return pandas.DataFrame(
            {
                "judged": [score.judged for score in self._scores],
                "metric": [score.metric for score in self._scores],
                "value": [float(score) for score in self._scores],
                "low": [low for low, _ in low_high],
                "high": [high for _, high in low_high],
                "better": [score.better for score in self._scores],
                "reason": [score.reason for score in self._scores],
                "message": [score.message for score in self._scores],
            }
        )

    def _lines(self):
        several = len(self.judged) > 1
        for score in self._scores:
            if score.judged:  # without: nothing there to judge
                name = f"{score.judged}: {score.metric}" if several else score.metric
                yield name, str(score)

    def __repr__(self):
        lines = list(self._lines())
        width = max((len(name) for name, _ in lines), default=0)
        return "\n".join(f"{name:<{width}}  {text}" for name, text in lines) or "no scores"

    def _repr_html_(self):
        rows = "".join(
            f"<tr><td>{html.escape(name)}</td><td>{html.escape(text)}</td></tr>"
            for name, text in self._lines()
        )
        return f"<table><tr><th>metric</th><th>value</th></tr>{rows}</table>"
