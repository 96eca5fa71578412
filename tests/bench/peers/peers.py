#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Side by side: a reference implementation and ours in turn, on the same arrays, on one thread.

    peers.py BENCH_PEERS DATA_FOLDER [--rounds N] [--only REGEX]

Prints the tables of docs/performance.md: medians over the rounds of CPU seconds, of the ratio within
a round, and of the share of this core's measured peak that is reached. The reference is held to the level
of instructions that BENCH_PEERS is compiled for. Exits with 1 where the two do not reach the same
objective.
"""

import argparse
import json
import math
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import time
import warnings

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
CPU = pathlib.Path("/proc/cpuinfo").read_text()
LEVEL = subprocess.run([sys.argv[1], "--level"], capture_output=True, text=True,
                       check=True).stdout.strip() if len(sys.argv) > 1 else ""
if LEVEL == "native":
    LEVEL = "x86-64-v4" if "avx512f" in CPU else "x86-64-v3"
# OpenBLAS, oneDNN and libtorch; each would take what the processor has.
for variable, kernels in zip(("OPENBLAS_CORETYPE", "DNNL_MAX_CPU_ISA", "ATEN_CPU_CAPABILITY"), {
        "x86-64-v3": ("Haswell", "AVX2", "avx2"),
        "x86-64-v4": ("SkylakeX", "AVX512_CORE", "avx512"),
}.get(LEVEL, ())):
    os.environ[variable] = kernels

import numpy as np
import scipy.optimize
import sklearn
import torch
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.decomposition import PCA, TruncatedSVD, non_negative_factorization
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression
from sklearn.linear_model import Lasso, LogisticRegression
from sklearn.neighbors import KDTree, NearestNeighbors
from sklearn.svm import LinearSVC
from scipy.special import digamma

torch.set_num_threads(1)
warnings.filterwarnings("ignore")  # "did not converge": we ask for so many iterations

N, D, K, LATENTS, BATCH = 98000, 512, 25, 505, 256


def make_arrays():
    rng = np.random.default_rng(1)
    normal = lambda *shape: rng.standard_normal(shape)
    a = {}
    # Sparse non-negative mixes of 25 parts plus noise, clipped at 0: as after a ReLU.
    weights = np.abs(normal(N, K)) * (rng.random((N, K)) < 0.2)
    x = np.maximum(0, weights @ np.abs(normal(K, D)) + 0.3 * normal(N, D))
    a["x"] = x.astype(np.float32)
    a["centres"], a["batch"], a["rows"] = a["x"][:K], a["x"][:256], a["x"][:10000]
    scale = np.sqrt(x.mean() / K)
    a["w"], a["h"] = [np.float32(scale * np.abs(normal(*s))) for s in ((N, K), (K, D))]
    a["units"] = x[:2000] / np.linalg.norm(x[:2000], axis=1, keepdims=True)
    a["surf"], a["surf_cavs"] = [np.float32(normal(*s)) for s in ((10000, 2048), (100, 2048))]
    bound = 1 / np.sqrt(D)
    a["encoder"], a["bias"] = [np.float32(rng.uniform(-bound, bound, (LATENTS, w))) for w in (D, 1)]
    dictionary = normal(LATENTS, D)
    a["dictionary"] = np.float32(dictionary / np.linalg.norm(dictionary, axis=1, keepdims=True))
    # The game: 600 samples of 16 positions, 20 concepts of which 6 are active at a position.
    active = rng.random((9600, 20)) < 0.3
    a["scores"] = np.float32(np.abs(normal(9600, 20)) / 20 * active)
    a["w1"], a["w2"], a["head"] = [np.float32(normal(*s)) for s in ((20, 500), (500, 64), (10, 64))]
    a["targets"] = np.float32(np.arange(10) == np.arange(600)[:, None] % 10)
    a["coalitions"] = np.float32(rng.random((2088, 20)) < 0.5)
    for width in (1, 16):
        left = normal(10000, width)
        right = 0.7 * left + 0.7 * normal(10000, width)
        a[f"left_{width}"], a[f"right_{width}"] = left / left.std(0), right / right.std(0)
    a["labels"] = (a["left_1"][:, 0] + normal(10000) > 0).astype(np.int64)
    a["table"] = normal(10000, 20)
    a["table_labels"] = np.argmax(a["table"] @ normal(20, 5) + normal(10000, 5), 1)
    return a


# Each of these does its work and returns a function that tells the objective, outside the clock.


def product(a, left="x", right="centres"):
    out = a[left] @ a[right].T
    return lambda: np.linalg.norm(out.astype(np.float64))


def gram(a):
    out = a["x64"].T @ a["x64"]
    return lambda: np.trace(out)


def kmeans(a, iterations):
    model = KMeans(K, init=a["centres"], n_init=1, max_iter=iterations, tol=0, algorithm="lloyd")
    model.fit(a["x"])
    return lambda: model.inertia_


def seeding(a, seed):
    centres, _ = kmeans_plusplus(a["x"], K, random_state=seed)

    def potential():
        c, x = centres.astype(np.float64), a["x"].astype(np.float64)
        squares = (x**2).sum(1)[:, None] - 2 * x @ c.T + (c**2).sum(1)
        return squares.min(1).clip(0).sum()

    return potential


def nmf(a, iterations, solver):
    w, h, _ = non_negative_factorization(a["x"], W=a["w"].copy(), H=a["h"].copy(), n_components=K,
                                         init="custom", solver=solver, tol=0, max_iter=iterations)

    def error():
        rest = a["x"] - w @ h
        return np.sqrt(np.einsum("ij,ij->", rest, rest, dtype=np.float64))

    return error


def svd(a):
    model = TruncatedSVD(K, algorithm="randomized", random_state=0).fit(a["x64"])
    return lambda: np.linalg.norm(model.singular_values_)


def svd_by_gram(a, array):
    values, vectors = np.linalg.eigh(a[array].T @ a[array])
    return lambda: np.sqrt(values[-K:].astype(np.float64).sum())


def pca(a):
    model = PCA(K, svd_solver="randomized", random_state=0).fit(a["x64"])
    return lambda: np.linalg.norm(model.singular_values_)


def nonnegative_weights(a):
    h, x = a["h"].T.astype(np.float64), a["x"][:2000].astype(np.float64)
    errors = [scipy.optimize.nnls(h, row)[1] for row in x]
    return lambda: np.linalg.norm(errors)


def self_representation(a, rows):
    x, values = a["units"], []
    for i in range(rows):
        others = np.delete(x, i, 0)
        alpha = np.abs(others @ x[i]).max() / 50
        lasso = Lasso(alpha / D, fit_intercept=False, tol=1e-8, max_iter=100000)
        lasso.fit(np.asfortranarray(others.T), x[i])
        rest = x[i] - lasso.coef_ @ others
        values.append(0.5 * rest @ rest + alpha * np.abs(lasso.coef_).sum())
    return lambda: np.mean(values)


def sae_epoch(a, aux_weight):
    """A TopK autoencoder after Gao et al., arXiv:2406.04093, and its loss of unused latents."""
    x = torch.from_numpy(a["x"])
    parts = [torch.nn.Parameter(torch.from_numpy(a[name].copy()))
             for name in ("encoder", "bias", "dictionary")]
    encoder, bias, dictionary = parts
    adam, losses = torch.optim.Adam(parts, lr=2e-3), []
    for at in range(0, N - BATCH + 1, BATCH):
        with torch.no_grad():
            dictionary.div_(dictionary.norm(dim=1, keepdim=True) + 1e-8)
        batch = x[at:at + BATCH]
        pre = torch.addmm(bias[:, 0], batch, encoder.T).relu()
        values, where = pre.topk(5)
        rest = batch - torch.zeros_like(pre).scatter(1, where, values) @ dictionary
        loss = rest.square().mean()
        if aux_weight:
            unused, of = pre.scatter(1, where, 0).topk(LATENTS // 2)
            left = rest - torch.zeros_like(pre).scatter(1, of, unused) @ dictionary
            loss = loss + aux_weight * left.square().mean()
        adam.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parts, 1.0)
        adam.step()
        losses.append(loss.item())
    return lambda: np.mean(losses[-100:])


class Jump(torch.autograd.Function):
    """z where z > theta, and [z > theta]; theta learns through a window of width 1."""

    @staticmethod
    def forward(ctx, z, theta):
        ctx.save_for_backward(z, theta)
        open_ = (z > theta).to(z.dtype)
        return z * open_, open_

    @staticmethod
    def backward(ctx, of_codes, of_open):
        z, theta = ctx.saved_tensors
        window = ((z - theta).abs() < 0.5).to(z.dtype)
        return (z > theta) * of_codes, -((theta * of_codes + of_open) * window).sum(0)


def batch_topk_loss(pre, batch, atoms, extra):
    values, where = pre.relu().flatten().topk(5 * len(batch))
    codes = torch.zeros_like(pre).flatten().scatter(0, where, values).view_as(pre)
    return (batch - codes @ atoms).square().sum()


def matryoshka_loss(pre, batch, atoms, extra):
    values, where = pre.relu().flatten().topk(5 * len(batch))
    codes = torch.zeros_like(pre).flatten().scatter(0, where, values).view_as(pre)
    loss, rest, begin = 0, batch, 0
    for end in (LATENTS // 16, LATENTS // 4, LATENTS // 2, LATENTS):
        rest, begin = rest - codes[:, begin:end] @ atoms[begin:end], end
        loss = loss + 0.25 * rest.square().sum()
    return loss


def jumprelu_loss(pre, batch, atoms, extra):
    codes, opened = Jump.apply(pre, extra[0].exp())
    return (batch - codes @ atoms).square().sum() + opened.sum()


def gated_loss(pre, batch, atoms, extra):
    gain, bias, gate_bias = extra
    gates = pre.relu()
    codes = (pre > 0) * ((pre - gate_bias) * gain.exp() + bias).relu()
    return ((batch - codes @ atoms).square().sum() + 3 * gates.sum()
            + (batch.detach() - gates @ atoms.detach()).square().sum())


def relu_l1_loss(pre, batch, atoms, extra):
    codes = pre.relu()
    return (batch - codes @ atoms).square().sum() + 1.5 * codes.sum()


def pursuit_loss(pre, batch, atoms, extra):
    for _ in range(5):
        value, best = (batch @ atoms.T).max(1)
        batch = batch - value.relu()[:, None] * atoms[best]
    return batch.square().sum()


def dictionary_epoch(a, loss_of, extras=0):
    """A sparse autoencoder with a decoder's bias, atoms at norm 1 and their gradient across them."""
    x = torch.from_numpy(a["x"])
    encoder, atoms = (torch.nn.Parameter(torch.from_numpy(a[name].copy()))
                      for name in ("encoder", "dictionary"))
    with torch.no_grad():
        atoms.div_(atoms.norm(dim=1, keepdim=True))
    bias, *extra = (torch.nn.Parameter(torch.zeros(LATENTS)) for _ in range(1 + extras))
    centre = torch.nn.Parameter(torch.zeros(x.shape[1]))
    parts = [encoder, bias, atoms, centre, *extra]
    adam, losses = torch.optim.Adam(parts, lr=5e-4), []
    if loss_of is gated_loss:
        extra.append(bias)
    for at in range(0, N - BATCH + 1, BATCH):
        batch = x[at:at + BATCH] - centre
        pre = None if loss_of is pursuit_loss else torch.addmm(bias, batch, encoder.T)
        loss = loss_of(pre, batch, atoms, extra) / BATCH
        adam.zero_grad()
        loss.backward()
        with torch.no_grad():
            atoms.grad -= (atoms.grad * atoms).sum(1, keepdim=True) * atoms
        torch.nn.utils.clip_grad_norm_(parts, 1.0)
        adam.step()
        with torch.no_grad():
            atoms.div_(atoms.norm(dim=1, keepdim=True))
        losses.append(loss.item())
    return lambda: np.mean(losses[:30])


def archetypal_epoch(a):
    """Atoms near the convex hull of the first rows, after Fel et al., arXiv:2502.12892."""
    x = torch.from_numpy(a["x"])
    points = x[:LATENTS]
    encoder, bias, weights, relaxation, log_scale = parts = [
        torch.nn.Parameter(start) for start in (
            torch.from_numpy(a["encoder"].copy()), torch.zeros(LATENTS), torch.eye(LATENTS),
            torch.zeros_like(points), -points.norm(dim=1).mean().log())]
    adam, losses = torch.optim.Adam(parts, lr=5e-4), []
    for at in range(0, N - BATCH + 1, BATCH):
        with torch.no_grad():
            weights.relu_()
            weights.div_(weights.sum(1, keepdim=True) + 1e-8)
            relaxation.div_(relaxation.norm(dim=1, keepdim=True).clamp(min=1))
        batch = x[at:at + BATCH]
        atoms = (weights @ points + relaxation) * log_scale.exp()
        values, where = torch.addmm(bias, batch, encoder.T).relu().topk(5)
        codes = torch.zeros(BATCH, LATENTS).scatter(1, where, values)
        loss = (batch - codes @ atoms).square().sum() / BATCH
        adam.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parts, 1.0)
        adam.step()
        losses.append(loss.item())
    return lambda: np.mean(losses[:30])


def coalitions(a, count):
    recalls = []
    for coalition in a["coalitions"][:count]:
        hidden = np.maximum(0, (a["scores"] * coalition) @ a["w1"])
        logits = hidden.reshape(600, 16, -1).mean(1) @ a["w2"] @ a["head"].T
        hit = a["targets"][np.arange(600), logits.argmax(1)]
        recalls.append((hit @ a["targets"] / a["targets"].sum(0)).mean())
    return lambda: np.mean(recalls)


def ksg(a):
    value = mutual_info_regression(a["left_1"], a["right_1"][:, 0], n_neighbors=3, random_state=0)
    return lambda: value[0]


def ksg_vectors(a):
    sides, n = (a["left_16"], a["right_16"]), N_KSG
    search = NearestNeighbors(metric="chebyshev", n_neighbors=3).fit(np.hstack(sides))
    radius = np.nextafter(search.kneighbors()[0][:, -1], 0)
    counts = [KDTree(side, metric="chebyshev").query_radius(side, radius, count_only=True)
              for side in sides]
    value = digamma(n) + digamma(3) - sum(digamma(count).mean() for count in counts)
    return lambda: max(0, value)


N_KSG = 10000


def ross(a):
    value = mutual_info_classif(a["left_1"], a["labels"], n_neighbors=3, random_state=0)
    return lambda: value[0]


def logistic(a):
    model = LogisticRegression(tol=1e-2, max_iter=10000).fit(a["table"], a["table_labels"])

    def loss():
        logs = model.predict_log_proba(a["table"])[np.arange(10000), a["table_labels"]]
        return 0.5 * (model.coef_**2).sum() - logs.sum()

    return loss


def boosting(a):
    model = GradientBoostingClassifier(n_estimators=20).fit(a["table"], a["table_labels"])
    p = model.predict_proba(a["table"])
    return lambda: -np.log(p[np.arange(10000), a["table_labels"]]).mean()


def svm(a):
    x, y = a["left_1"], a["labels"]
    model = LinearSVC(C=0.01, class_weight="balanced", tol=1e-6, max_iter=100000).fit(x, y)

    def loss():
        w, b = model.coef_[0, 0], model.intercept_[0]
        cost = 0.01 * len(y) / 2 / np.where(y == 1, y.sum(), len(y) - y.sum())
        gap = np.maximum(0, 1 - (2 * y - 1) * (w * x[:, 0] + b))
        return 0.5 * (w**2 + b**2) + (cost * gap**2).sum()

    return loss


class Case:
    """`runs`: what is timed, by benchmark and arguments of the reference. With two runs the time is
    their difference over `units`, else that of the run over `units` (here, reference). Where the two
    draw differently (`random`) the means of their objectives over the rounds are compared. `flops`:
    what one unit takes at least, and in which type; none: it depends on the data."""

    def __init__(self, name, work, reference, runs, tolerance, units=(1, 1), random=False,
                 flops=None):
        self.name, self.work, self.reference = name, work, reference
        self.runs, self.tolerance, self.units, self.random = runs, tolerance, units, random
        self.flops = flops


PRODUCT, GRAM = 2 * N * D * K, N * D * (D + 1)

CASES = [
    Case("product", "matrix product X C^T, 25 columns: numpy", product, [("product", ())], 1e-5,
         flops=(PRODUCT, "float")),
    Case("gram", "X^T X in double: numpy", gram, [("gram", ())], 1e-10, flops=(GRAM, "double")),
    Case("product_surf", "SURF's product, 10,000 x 2048 by 100: numpy", product,
         [("product_of/surf", ("surf", "surf_cavs"))], 1e-5,
         flops=(2 * 10000 * 2048 * 100, "float")),
    Case("product_surf_double", "the same in double: numpy", product,
         [("product_of_double/surf", ("surf64", "surf_cavs64"))], 1e-10,
         flops=(2 * 10000 * 2048 * 100, "double")),
    Case("product_encode", "an SAE's encoder, 256 x 512 by 505: numpy", product,
         [("product_of/encode", ("batch", "encoder"))], 1e-5,
         flops=(2 * 256 * 512 * 505, "float")),
    Case("product_subspaces", "MCD's product, 256 x 512 by 10,000, in double: numpy", product,
         [("product_of_double/subspaces", ("batch64", "rows64"))], 1e-10,
         flops=(2 * 256 * 512 * 10000, "double")),
    Case("kmeans_early", "K-Means(25), an early iteration (3 to 12): scikit-learn", kmeans,
         [("kmeans/2", (2,)), ("kmeans/12", (12,))], 1e-3, (10, 10)),
    Case("kmeans_late", "K-Means(25), a late iteration (13 to 52): scikit-learn", kmeans,
         [("kmeans/12", (12,)), ("kmeans/52", (52,))], 1e-3, (40, 40)),
    Case("seeding", "greedy k-means++ seeding, 25 centres: scikit-learn", seeding,
         [("kmeans_seeding/{round}/1", ("{round}",))], 0.05, random=True),
    Case("seeding_of_ten", "the same, for each of ten starts, as the explainer does", seeding,
         [("kmeans_seeding/{round}/10", ("{round}",))], 0.05, (10, 1), random=True),
    Case("nmf_cd", "NMF(25), a cd sweep: scikit-learn", nmf,
         [("nmf/cd/2", (2, "cd")), ("nmf/cd/12", (12, "cd"))], 1e-4, (10, 10),
         flops=(2 * PRODUCT, "float")),
    Case("nmf_mu", "NMF(25), a mu sweep: scikit-learn", nmf,
         [("nmf/mu/2", (2, "mu")), ("nmf/mu/12", (12, "mu"))], 1e-4, (10, 10),
         flops=(2 * PRODUCT, "float")),
    Case("svd", "truncated SVD(25) in double: scikit-learn, randomised", svd, [("svd", ())], 1e-3,
         flops=(GRAM, "double")),
    Case("svd_gram", "truncated SVD(25) in double: numpy, eigh(X^T X)", svd_by_gram,
         [("svd", ("x64",))], 1e-9, flops=(GRAM, "double")),
    Case("svd_in_float", "truncated SVD(25), as NMF starts from: numpy, eigh(X^T X)", svd_by_gram,
         [("svd_in_float", ("x",))], 1e-3, flops=(GRAM, "float")),
    Case("pca", "PCA(25) in double: scikit-learn, randomised", pca, [("pca", ())], 1e-3,
         flops=(GRAM, "double")),
    Case("nnls", "non-negative weights of 2,000 rows, 25 parts: scipy", nonnegative_weights,
         [("nonnegative_weights", ())], 1e-9),
    Case("self_representation", "self-representation of 2,000 rows, gamma 50, per row: "
         "scikit-learn's Lasso", self_representation, [("self_representation/20", (20,))], 1e-6,
         (2000, 20)),
    Case("sae", "TopK-SAE epoch, 505 latents: torch", sae_epoch, [("sae_epoch/mse", (0.0,))], 5e-3),
    Case("sae_aux", "TopK-SAE epoch with AuxK: torch", sae_epoch, [("sae_epoch/aux", (0.1,))], 5e-3),
    Case("batch_topk", "BatchTopK-SAE epoch, 505 latents: torch", dictionary_epoch,
         [("dictionary_epoch/batch_topk", (batch_topk_loss,))], 5e-3),
    Case("matryoshka", "Matryoshka-SAE epoch: torch", dictionary_epoch,
         [("dictionary_epoch/matryoshka", (matryoshka_loss,))], 5e-3),
    Case("jumprelu", "JumpReLU-SAE epoch: torch", dictionary_epoch,
         [("dictionary_epoch/jumprelu", (jumprelu_loss, 1))], 5e-3),
    Case("gated", "gated-SAE epoch: torch", dictionary_epoch,
         [("dictionary_epoch/gated", (gated_loss, 2))], 5e-3),
    Case("relu_l1", "ReLU-SAE epoch: torch", dictionary_epoch,
         [("dictionary_epoch/relu_l1", (relu_l1_loss,))], 5e-3),
    Case("pursuit", "matching-pursuit SAE epoch: torch", dictionary_epoch,
         [("dictionary_epoch/pursuit", (pursuit_loss,))], 5e-3),
    Case("archetypal", "archetypal SAE epoch: torch", archetypal_epoch,
         [("archetypal_epoch", ())], 5e-3),
    Case("coalitions", "KernelSHAP's game, 20 concepts, 6 active, per coalition: numpy", coalitions,
         [("coalitions/40", (40,))], 1e-3, (2088, 40)),
    Case("ksg", "KSG, scalars, n = 10,000: scikit-learn", ksg, [("ksg/1", ())], 1e-5),
    Case("ksg_vectors", "KSG, 16 + 16 dimensions, n = 10,000: scikit-learn's trees", ksg_vectors,
         [("ksg/16", ())], 1e-9),
    Case("ross", "Ross, a scalar and a class, n = 10,000: scikit-learn", ross, [("ross", ())], 1e-5),
    Case("logistic", "logistic regression, 10,000 x 20, 5 classes: scikit-learn", logistic,
         [("logistic", ())], 1e-6),
    Case("boosting", "gradient boosting, 10,000 x 20, 5 classes, 20 stages: scikit-learn", boosting,
         [("boosting", ())], 1e-4),
    Case("svm", "linear SVM of a feature, n = 10,000: scikit-learn's liblinear", svm,
         [("svm", ())], 1e-6),
]

# What a method cannot do without, as runs of other cases in turn with its own; and the goal.
FLOORS = {
    "kmeans_early": ("K-Means, an early iteration, over its product", "product", 1, 1.3),
    "kmeans_late": ("K-Means, a late iteration, over its product", "product", 1, 1.3),
    "seeding": ("seeding, over an early iteration", "kmeans_early", 1, 3),
    "seeding_of_ten": ("seeding of each of ten starts, over an early iteration", "kmeans_early", 1,
                       3),
    "nmf_cd": ("NMF, a cd sweep, over its two products", "product", 2, 1.3),
    "nmf_mu": ("NMF, a mu sweep, over its two products", "product", 2, 1.3),
    "svd": ("truncated SVD in double, over X^T X", "gram", 1, 1.3),
}


def ours(bench, folder, names):
    """Seconds and objective of each benchmark, from one process; see `calls`."""
    pattern = "^(" + "|".join(names) + ")$"
    out = subprocess.run([bench, f"--data={folder}", f"--benchmark_filter={pattern}",
                          "--benchmark_format=json", "--benchmark_min_time=0.05",
                          f"--benchmark_repetitions={calls(names)}"],
                         capture_output=True, check=True, text=True)
    found = {}
    for one in json.loads(out.stdout)["benchmarks"]:
        if one.get("error_occurred"):
            sys.exit(f"{one['name']}: {one['error_message']}")
        scale = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3}[one["time_unit"]]
        if one["run_type"] == "iteration":
            found.setdefault(one["run_name"], []).append((one["cpu_time"] * scale, one["objective"]))
    return [min(found[name]) for name in names]


def calls(runs):
    """Where time is a difference, each of its two runs is the fastest of three: pages that the system hands
    out anew cost some of them four times as much."""
    return 3 if len(runs) == 2 else 1


def theirs(work, arrays, arguments, times):
    fastest = None
    for _ in range(times):
        seconds, objective = [], None
        while sum(seconds) < 0.05:  # as Google Benchmark: short work is repeated
            begin = time.process_time()
            objective = work(arrays, *arguments)
            seconds.append(time.process_time() - begin)
        fastest = min(fastest or (math.inf, 0), (statistics.mean(seconds), objective()))
    return fastest


def per_unit(runs, units):
    seconds = [run[0] for run in runs]
    return (seconds[1] - seconds[0] if len(seconds) == 2 else seconds[0]) / units


def measure(case, bench, folder, arrays, rounds):
    here, there, floors, objectives = [], [], [], []
    floor = next((c for c in CASES if c.name == FLOORS.get(case.name, (0, 0))[1]), None)
    for at in range(1, rounds + 1):
        names = [name.format(round=at) for name, _ in case.runs]
        arguments = [[at if v == "{round}" else v for v in args] for _, args in case.runs]
        reference = [theirs(case.reference, arrays, args, calls(arguments)) for args in arguments]
        mine = ours(bench, folder, names)
        there.append(per_unit(reference, case.units[1]))
        here.append(per_unit(mine, case.units[0]))
        if floor:
            below = ours(bench, folder, [name for name, _ in floor.runs])
            floors.append(here[-1] / per_unit(below, floor.units[0]) / FLOORS[case.name][2])
        objectives += [(r[1], m[1]) for m, r in zip(mine, reference)]
    if case.random:
        objectives = [tuple(statistics.mean(side) for side in zip(*objectives))]
    gap, objectives = max((abs(m - r) / abs(r), (r, m)) for r, m in objectives)
    return here, there, floors, gap, objectives


def figure(seconds):
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 1 or unit == "µs":
            return f"{seconds * scale:.3g} {unit}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("bench")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5, choices=range(1, 10))
    parser.add_argument("--only", default="", help="cases whose name matches")
    options = parser.parse_args()

    options.folder.mkdir(parents=True, exist_ok=True)
    arrays = make_arrays()
    for name, array in arrays.items():
        np.save(options.folder / f"{name}.npy", np.ascontiguousarray(array))
    for name in ("x", "surf", "surf_cavs", "batch", "rows"):
        arrays[name + "64"] = arrays[name].astype(np.float64)

    model = re.search(r"model name\s*: (.*)", CPU)
    load = [f"{os.getloadavg()[1]:.1f}"]
    peaks = {}
    print("| work: reference | reference | here | ratio | of the peak | objectives differ by (limit) |")
    print("|---|---|---|---|---|---|", flush=True)
    over_floor, failed = {}, []
    for case in CASES:
        if not re.search(options.only, case.name):
            continue
        here, there, floors, gap, objectives = measure(case, options.bench, options.folder, arrays,
                                                       options.rounds)
        share = "-"
        if case.flops:
            flops, scalar = case.flops
            (seconds, done), = ours(options.bench, options.folder, [f"peak<{scalar}>"])
            peaks.setdefault(scalar, []).append(done / seconds)
            share = f"{flops / statistics.median(here) / statistics.median(peaks[scalar]):.2f}"
        if floors:
            over_floor[case.name] = statistics.median(floors)
        ratio = statistics.median(t / h for t, h in zip(there, here))
        print(f"| {case.work} | {figure(statistics.median(there))} | "
              f"{figure(statistics.median(here))} | {ratio:.{0 if ratio >= 10 else 1}f} | {share} | "
              f"{gap:.1g} ({case.tolerance:g}) |",
              flush=True)
        if not gap <= case.tolerance:
            failed.append(f"{case.name}: objectives {objectives[0]} and {objectives[1]}")
    load.append(f"{os.getloadavg()[1]:.1f}")

    print("\n| work, in our own time | times | goal |\n|---|---|---|")
    for name, times in over_floor.items():
        print(f"| {FLOORS[name][0]} | {times:.2f} | {FLOORS[name][3]} |")
    print(f"\n{N:,} x {D} float32 unless said otherwise; CPU time of one thread, medians of "
          f"{options.rounds} rounds. {model.group(1) if model else platform.machine()}, Linux "
          f"{platform.release()}, load {' to '.join(load)}; Python {platform.python_version()}, "
          f"numpy {np.__version__}, scikit-learn {sklearn.__version__}, torch "
          f"{torch.__version__}, OpenBLAS kernels {os.environ.get('OPENBLAS_CORETYPE', 'its own')}, ours {LEVEL}, peak "
          + ", ".join(f"{statistics.median(v) / 1e9:.0f} GF/s {k}" for k, v in peaks.items()) + ".")
    for message in failed:
        print(f"not the same objective: {message}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
