# SPDX-License-Identifier: Apache-2.0
"""measure(): arrays in, scores out."""

import json

import numpy as np

from conoscope import _arrays, _command
from conoscope._bar import bar
from conoscope._command import options_of
from conoscope._scores import Score, Scores

#: The keyword arguments of measure() that are arrays, and what the command calls them.
ARRAYS = (
    "activations",
    "head_weight",
    "head_bias",
    "cavs",
    "importance",
    "counts",
    "concept_scores",
    "concept_probabilities",
    "task_outputs",
    "concept_active",
    "concept_inactive",
    "concept_head_weight",
    "concept_head_bias",
    "reference_outputs",
    "codes",
    "codes_log_variance",
    "reconstruction_loss",
    "labels",
    "targets",
    "concepts",
    "concept_groups",
    "factors",
    "segment_embeddings",
    "segment_sample",
    "logits",
    "train_index",
    "test_index",
)


def measure(
    *metrics,
    split=None,
    seed=0,
    splits=1,
    explain=(),
    controls=(),
    output="softmax",
    pooling="auto",
    seconds=600,
    memory=8192,
    name=None,
    dataset_name=None,
    store="conoscope.db",
    plugin_path=(),
    progress=True,
    **arrays,
):
    """Scores arrays: every metric whose needs are met, or those of `metrics`, names of metrics or
    groups ("surf", "leakage", "dci_disentanglement").

    Rows (n) are samples, in the same order in every array. Give what you have:

    activations   n x D, n x P x D or n x height x width x D: the last layer, before pooling
    head_weight   C x D, and head_bias C: the linear head above them
    cavs          K x D: an explanation's concept vectors
    importance    C x K: how much each output uses each concept; or K, with counts
    counts        C: how many rows of cavs are each output's own, one output after the other
    concept_scores         n x k, or n x k x w for embeddings: learnt concepts
    concept_probabilities  n x k; not given: concept_scores, where they lie in [0, 1]
    concept_active, concept_inactive  as concept_scores: what an intervention writes
    task_outputs  n x C: what the model makes of its concepts
    concept_head_weight, concept_head_bias  C x (k * w) and C: a linear head over the concepts, which
                  answers interventions.  reference_outputs  n x C: such a head on the true concepts
    codes         n x m, with codes_log_variance (n x m) and reconstruction_loss (n): an encoder
    labels        n: classes, from 0.  targets  n x C: binary attributes or regression targets
    concepts      n x k: annotated concepts.  factors  n x F: generative factors
    concept_groups  k: concepts of equal numbers, from 0, are told together by interventions
    segment_embeddings, segment_sample  m x D and m: of image segments, for explainers that want them
    logits        n x C: what the network gave; only compared with what the head gives
    train_index, test_index  row numbers: a split of your own

    NumPy arrays, PyTorch and JAX tensors, whatever has __array__ or DLPack, lists, and the paths of
    files (.npy, .csv) are taken.

    split    the share of rows that is judged; the others are trained on. None: every row is judged,
             but with explain= or splits= a fifth
    splits   draws so many splits; the values are means, with 95 % intervals. Metrics over seeds
             ("stability") compare what explain= fits to each split with what it fits to the others
    explain  explainers to fit to the head view and to judge, as ["svd", "craft(k=5)"]
    controls of every explanation, as ["random_concepts", "random_importance"]: judged, too
    output   what the head's outputs mean: "softmax", "sigmoid" or "regression"
    pooling  between activations and head: "mean", "none", "flatten", or "auto"
    seconds, memory  what one step may use at most; memory in MiB
    name     keep the scores in `store`, where boards and compare() find them: the explanation, or else
             the model, under this name, and the rows as `dataset_name`
    plugin_path  folders where plugins of your own lie
    progress with tqdm installed, a bar

    Returns Scores. Metrics that fail have a reason and a message; what could not be applied, and the
    arrays that would have brought it, is there with the reason "not_applicable".

    Raises ValueError: the arrays contradict each other, are not numbers or not finite (it names the
    array and the value), or there is no such metric; ConoscopeError: the command failed.
    """
    options = {
        "split": split,
        "explain": explain,
        "controls": controls,
        "plugin_path": plugin_path,
        "seed": seed,
        "splits": splits,
        "output": output,
        "pooling": pooling,
        "seconds": seconds,
        "memory": memory,
        "progress": progress,
    }
    if name is not None:
        options.update(name=name, dataset_name=dataset_name, store=store)
    return judge(metrics, arrays, options)


def judge(metrics, arrays, options, environment=None):
    """measure() with its options in a dict, beside those of the command's own.

    environment: variables that the command is given, too
    """
    unknown = [name for name in arrays if name not in ARRAYS]
    if unknown:
        raise TypeError(f"measure() takes no array {unknown[0]!r}; it takes {', '.join(ARRAYS)}")
    options = dict(options)
    progress, splits = options.pop("progress"), options["splits"]
    options["control"] = options.pop("controls")
    folder, files = _arrays.put_all(arrays)
    with folder:
        saved = folder.path / "parts_by_sample.npz"
        arguments = ["measure", *metrics, *(f"{name}={path}" for name, path in files.items())]
        arguments += ["--format", "json", "--per-concept", "--per-sample", saved]
        arguments += options_of(options)
        rename = {path: name for name, path in files.items() if path.startswith(str(folder.path))}
        with bar(progress, "step") as on_line:
            code, out, log = _command.call(
                arguments, good=(0, 4), rename=rename, on_line=on_line, environment=environment
            )
        with np.load(saved) as parts:
            by_sample = {name: parts[name] for name in parts.files if name != "texts.tsv"}
        return _scores_of(json.loads(out), by_sample, log, splits)


def _scores_of(answer, by_sample, log, splits):
    def key_of(row):
        return row["judged"], row.get("control") or "none", row["metric"]

    parts, names = {}, {}
    for part in answer["parts"]:
        parts.setdefault(key_of(part), []).append(part["value"])
        names.setdefault(key_of(part), []).append(part["name"])
    scores = []
    for row in answer["scores"]:
        key = key_of(row)
        made_of = by_sample.get(_member(*key), by_sample.get(row["metric"], parts.get(key)))
        half_width = row.get("value_half_width")
        interval = None
        if half_width is not None:
            interval = (row["value"] - half_width, row["value"] + half_width)
        scores.append(
            Score(
                metric=row["metric"],
                judged=row["judged"],
                value=None if row["value"] is None else float(row["value"]),
                better=row["better"],
                reason=row["reason"] or "",
                message=row["message"] or "",
                interval=interval,
                splits=(row["value_n"], splits) if splits > 1 else None,
                control=key[1],
                part_names=tuple(names[key]) if key in names else None,
                parts=None if made_of is None else np.asarray(made_of, dtype=np.float64),
            )
        )
    return Scores(scores, by_sample.get("rows"), log)


def _member(judged, control, metric):
    """The array's name in the file of parts, where several explanations were judged."""
    name = ".".join([judged, *([] if control == "none" else [control]), metric])
    return "".join(c if c.isascii() and (c.isalnum() or c == ".") else "_" for c in name)
