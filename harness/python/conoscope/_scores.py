# SPDX-License-Identifier: Apache-2.0
"""Scores: numbers by the names of their metrics."""

import dataclasses
import html
from collections.abc import Mapping
from typing import Optional, Tuple

import numpy as np

from conoscope import _pictures
from conoscope._arrays import in_short


@dataclasses.dataclass(frozen=True, repr=False)
class Score:
    """One number of one metric, or why there is none."""

    metric: str
    judged: str  #: "files", the name of an explainer that was fitted, or "model"
    value: Optional[float]  #: None: see reason. Of several splits the mean
    better: str = "none"  #: "higher", "lower", or "none": it describes, it does not rank
    reason: str = ""  #: "", "undefined", "not_applicable" or "error"
    message: str = ""  #: in words: why there is no number, or what to mind about this one
    interval: Optional[Tuple[float, float]] = None  #: 95 %, over the splits of splits=
    parts: Optional[np.ndarray] = dataclasses.field(default=None, compare=False)
    #: what the number is made of: one value for each row, concept, class, code or pair
    part_names: Optional[Tuple[str, ...]] = None  #: of the parts, where they are no rows
    splits: Optional[Tuple[int, int]] = None  #: (that have a number, all) of splits=
    control: str = "none"  #: of this control of what was judged

    def __float__(self):
        return float("nan") if self.value is None else float(self.value)

    __repr__ = in_short

    @property
    def name(self):
        """ "svd", or of a control of it "svd, random_concepts"."""
        return self.judged if self.control == "none" else f"{self.judged}, {self.control}"

    def __str__(self):
        return self.number() + (f" ({self.note()})" if self.note() else "")

    def number(self):
        """As a text: "0.43 ± 0.02", or "-"."""
        if self.value is None:
            return "-"
        text = f"{self.value:.4g}"
        if self.interval:
            text += f" ± {(self.interval[1] - self.interval[0]) / 2:.2g}"
        return text

    def note(self):
        """What is to be said of the number, or why there is none; "": nothing."""
        text = self.message or (self.reason if self.value is None else "")
        if self.value is None or not self.splits or self.splits[0] == self.splits[1]:
            return text
        return f"{self.splits[0]} of {self.splits[1]} splits" + (f": {text}" if text else "")


class Scores(Mapping):
    """The scores of one call, by name: scores["surf_mae"].value. Where several explanations were
    judged, scores.of("svd") has those of one, and scores.table() a data frame of all.

    rows: which rows were judged, to go with the parts of scores that are means over rows
    log:  what was said along the way, such as which metrics could not be applied
    """

    def __init__(self, scores, rows=None, log=""):
        self._scores = list(scores)
        self.rows = rows
        self.log = log

    @property
    def judged(self):
        """What was judged, in order: "files", "svd", "svd, random_concepts", "model"."""
        return list(dict.fromkeys(score.name for score in self._scores if score.judged))

    def of(self, judged):
        """The scores of one of `judged`. Raises KeyError: there is none."""
        if judged not in self.judged:
            raise KeyError(f"{judged} was not judged; judged were {', '.join(self.judged)}")
        return Scores([s for s in self._scores if s.name == judged], self.rows, self.log)

    def __getitem__(self, metric):
        found = [score for score in self._scores if score.metric == metric]
        if not found:
            raise KeyError(f"no score {metric}; there are {', '.join(self) or 'none'}")
        if len(found) > 1:
            names = ", ".join(score.name for score in found)
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
        """One row for each score, with interval, reason and message. Raises ImportError: pandas is
        not installed."""
        pandas = _pandas("to_dataframe")
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
                "control": [score.control for score in self._scores],
            }
        )

    def table(self):
        """A data frame of what was judged x metrics, NaN where there is no number. Raises
        ImportError: pandas is not installed."""
        pandas = _pandas("table")
        judged = [score for score in self._scores if score.judged]  # what could not be is left out
        out = pandas.DataFrame(
            index=pandas.Index(self.judged, name="judged"),
            columns=pandas.Index(dict.fromkeys(score.metric for score in judged), name="metric"),
            dtype=float,
        )
        for score in judged:
            out.loc[score.name, score.metric] = float(score)
        return out

    def _tables(self):
        """[[header, row...]], all cells texts: one of what was judged by the same metrics, those down
        and these across; of a single one, its metrics down."""
        groups = []  # [(judged, {metric: {judged: score}})]
        for name in self.judged:
            own = {score.metric: score for score in self._scores if score.name == name}
            for names, metrics in groups:
                if metrics.keys() & own.keys():
                    break
            else:
                names, metrics = [], {}
                groups.append((names, metrics))
            names.append(name)
            for metric, score in own.items():
                metrics.setdefault(metric, {})[name] = score
        for names, metrics in groups:
            if len(names) == 1:
                several = [names[0]] if len(groups) > 1 else ["metric"]
                yield [[*several, "value"]] + [
                    [m, by[names[0]].number()] for m, by in metrics.items()
                ]
            else:
                yield [["", *metrics]] + [
                    [name, *(by[name].number() if name in by else "" for by in metrics.values())]
                    for name in names
                ]

    def _notes(self):
        """Every message once, after those whom it concerns."""
        concerned = {}  # message -> {judged: [metric]}
        for score in self._scores:
            if score.judged and score.note():
                concerned.setdefault(score.note(), {}).setdefault(score.name, []).append(
                    score.metric
                )
        for text, by_judged in concerned.items():
            alike = {}  # (metric, ...) -> [judged]
            for name, metrics in by_judged.items():
                alike.setdefault(tuple(metrics), []).append(name)
            for metrics, names in alike.items():
                of = [score.metric for score in self._scores if score.name == names[0]]
                parts = [", ".join(names)] if len(self.judged) > 1 else []
                parts += [", ".join(metrics)] if len(metrics) < len(of) else []
                yield ": ".join([*parts, text])

    def plot(self, metric):
        """One metric of everything that was judged as an Altair chart: values with the 95 % intervals
        of splits=.

        Raises KeyError: no such metric; ImportError: Altair is not installed.
        """
        rows = []
        for score in self._scores:
            if score.metric == metric and score.value is not None:
                low, high = score.interval or (score.value, score.value)
                ends = {"mean": score.value, "low": low, "high": high}
                series = "method" if score.control == "none" else f"its twin: {score.control}"
                rows.append({"name": score.judged, "series": series, **ends})
        if not rows:
            raise KeyError(metric)
        drawn = _pictures.chart(rows, metric)
        if drawn is None:
            raise ImportError("plot() draws with Altair: pip install altair")
        return drawn

    def __repr__(self):
        parts = [_in_columns(rows) for rows in self._tables()]
        parts += ["\n".join(self._notes())]
        return "\n\n".join(part for part in parts if part) or "no scores"

    def _repr_html_(self):
        out = ""
        for header, *rows in self._tables():
            out += "<table>" + _html_row("th", header)
            out += "".join(_html_row("td", row) for row in rows) + "</table>"
        return out + "".join(f"<p>{html.escape(note)}</p>" for note in self._notes())


def _pandas(asked_by):
    try:
        import pandas
    except ImportError:
        raise ImportError(f"{asked_by}() makes a data frame of pandas: pip install pandas") from None
    return pandas


def _html_row(tag, cells):
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def _in_columns(rows, width=100):
    """Columns that do not fit beside each other follow below, with the first column again."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    blocks, first = [], 1
    while first < len(widths):
        last, room = first + 1, width - widths[0] - widths[first] - 2
        while last < len(widths) and room >= widths[last] + 2:
            room -= widths[last] + 2
            last += 1
        lines = (
            "  ".join(row[i].ljust(widths[i]) for i in (0, *range(first, last))).rstrip()
            for row in rows
        )
        blocks.append("\n".join(lines))
        first = last
    return "\n\n".join(blocks)
