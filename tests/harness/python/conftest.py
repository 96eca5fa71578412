"""The digits that ship, as a user would hold them, and a cache and a store of the test's own."""

import os
import pathlib

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
