# SPDX-License-Identifier: Apache-2.0
"""Puts concept-based explanations of neural networks to the test.

This package drives the installed command `conoscope`, and computes nothing itself.

    import conoscope
    scores = conoscope.measure("surf", activations=H, head_weight=W, head_bias=b,
                               cavs=V, importance=A, labels=y)
    scores["surf_mae"].value
"""

from conoscope._command import ConoscopeError, data
from conoscope._dictionary import score
from conoscope._explain import Explanation, HeadView, explain
from conoscope._measure import measure
from conoscope._runs import Store, plan, run
from conoscope._scores import Score, Scores
from conoscope._version import __version__

__all__ = [
    "ConoscopeError",
    "Explanation",
    "HeadView",
    "Score",
    "Scores",
    "Store",
    "__version__",
    "data",
    "explain",
    "measure",
    "plan",
    "run",
    "score",
]
