# SPDX-License-Identifier: Apache-2.0
"""The digits that ship, as a user would hold them, and a cache and a store of the test's own."""

import os
import pathlib
import sys
import types

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    for name in list(os.environ):
        if name.startswith(("CONOSCOPE_", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("CONOSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def digits():
    with np.load(ROOT / "datasets/precomputed/digits/digits.npz") as file:
        both = {
            name: np.concatenate([file["train_" + name], file["test_" + name]])
            for name in ("activations", "labels")
        }
        return {**both, "head_weight": file["head_weight"], "head_bias": file["head_bias"]}


@pytest.fixture
def explained(digits):
    """With the explanation that is the head itself: each output's weights, importance 1."""
    outputs = len(digits["head_bias"])
    return {
        **digits,
        "cavs": digits["head_weight"],
        "importance": np.ones(outputs),
        "counts": np.ones(outputs, dtype=int),
    }


@pytest.fixture
def bars(monkeypatch):
    """Every bar of a tqdm that stands in."""
    drawn = []

    class Bar:
        def __init__(self, **options):
            self.n, self.total, self.text = 0, None, ""
            drawn.append(self)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def set_postfix_str(self, text, refresh):
            self.text = text

        def update(self, n):
            self.n += n

    module = types.ModuleType("tqdm.auto")
    module.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    return drawn
