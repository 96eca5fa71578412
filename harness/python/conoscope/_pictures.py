# SPDX-License-Identifier: Apache-2.0
"""Pictures: those that the command draws, and Altair's charts where Altair is installed."""

import base64
import pathlib


class Picture:
    """A drawing, which a notebook shows; `svg` is its text."""

    def __init__(self, svg):
        self.svg = svg

    def __repr__(self):
        return f"conoscope picture, SVG of {(len(self.svg) + 1023) // 1024} KiB"

    def _repr_html_(self):
        # As an image: what shows notebooks may take SVG elements apart.
        address = base64.b64encode(self.svg.encode()).decode()
        return f'<img alt="{repr(self)}" src="data:image/svg+xml;base64,{address}">'

    def save(self, path):
        """Writes the SVG to a file."""
        pathlib.Path(path).write_text(self.svg, encoding="utf-8")


def chart(rows, title):
    """Points with 95 % intervals in Altair, a line for each of rows: dicts with name, series, mean,
    low and high. None: Altair is not installed."""
    try:
        import altair
    except ImportError:
        return None
    base = altair.Chart(altair.Data(values=rows)).encode(
        y=altair.Y("name:N", sort=None, title=None),
        color=altair.Color("series:N", sort=None, title=None),
    )
    axis = altair.X("low:Q", title=title, scale=altair.Scale(zero=False))
    points = base.mark_point(filled=True, size=60).encode(
        x="mean:Q", shape=altair.Shape("series:N", sort=None, title=None)
    )
    return (base.mark_rule().encode(x=axis, x2="high:Q") + points).properties(width=480)
