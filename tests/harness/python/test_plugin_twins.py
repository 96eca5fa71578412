# SPDX-License-Identifier: Apache-2.0
"""Each broken plugin fails `plugin check` for what it is."""

import sys

import pytest

from plugin_command import failed

METADATA = """# /// conoscope
# kind = "{kind}"
# id = "{id}"
# version = "1"
{views}# ///
"""
VIEWS = '# needs = ["head_view"]\n# offers = ["explanation"]\n'

CODE = """import ctypes, os, signal, sys, time
import numpy as np
import conoscope.plugin as cp
{top}
class Twin(cp.Explainer):
    def fit(self, head, context):
        cavs = np.array(head.head_weight, dtype=float)
        {fit}
        return cp.Explanation(cavs=cavs, importance=np.ones(len(cavs)), counts=np.ones(len(cavs)))
{methods}
{end}
"""


def code(fit="pass", top="", methods="", end="cp.main(Twin)"):
    return CODE.format(**locals())


FOR_EVER = "while True: time.sleep(1)"
# By id: the check that must fail, what is said, the code, and what else is not as usual.
TWINS = {
    "raises": (
        "fit softmax",
        "fit: RuntimeError: the tape has run out (raises.py, line",
        code("raise RuntimeError('the tape has run out')"),
    ),
    "returns_nothing": (
        "fit softmax",
        "TypeError: fit() returned ndarray, expected a conoscope.plugin.Result",
        code("return cavs"),
    ),
    "not_numbers": (
        "fit softmax",
        "ValueError: cavs: its dtype is object, which holds no numbers",
        code("cavs = np.array([[None]])"),
    ),
    "nan": ("fit softmax", "cavs[0, 1] is NaN", code("cavs[0, 1] = np.nan")),
    "wrong_shape": ("fit softmax", "cavs is 3 x 7, expected 3 x 8", code("cavs = cavs[:, 1:]")),
    "deep_recursion": (
        "fit softmax",
        "fit: RecursionError: maximum recursion depth exceeded",
        code("self.fit(head, context)"),
    ),
    # Through C, whose stack has an end; Python 3.12 sees to that, too.
    "bottomless_recursion": (
        "fit softmax",
        "fit: RecursionError: maximum recursion depth exceeded"
        if sys.version_info >= (3, 12)
        else "fit: killed by SIGSEGV, Segmentation fault",
        code("sys.setrecursionlimit(1 << 30); list(map(self.fit, [head], [context]))"),
    ),
    "segfault": (
        "fit softmax",
        "fit: killed by SIGSEGV, Segmentation fault",
        code("ctypes.string_at(0)"),
    ),
    "killed": (
        "fit softmax",
        "fit: killed by SIGKILL, Killed",
        code("os.kill(os.getpid(), signal.SIGKILL)"),
    ),
    "exits_zero": (
        "fit softmax",
        "the process exited with code 0 before its work was finished (no completion record)",
        code("sys.exit(0)"),
    ),
    "takes_memory": (
        "fit softmax",
        "used more than --memory = 300 MiB",
        code("held = [np.ones(1 << 20) for _ in range(1000)]"),
        {"options": ["--memory", "300"]},
    ),
    "hangs": ("fit softmax", "fit: still running after", code(FOR_EVER), {"options": ["--seconds", "5"]}),
    "closes_its_pipe": (
        "fit softmax",
        "the plugin has closed its descriptor 4 and goes on",
        code("os.close(4)\n        " + FOR_EVER),
        {"options": ["--seconds", "20"]},
    ),
    "deaf": (
        "cancellation",
        "still running after",
        code("if context.cancelled(): time.sleep(60)"),
    ),
    "leaks": (
        "memory",
        "memory grew steadily, by",
        code("kept.append(np.ones(1 << 18))", top="kept = []"),
    ),
    "prints": (
        "standard output",
        "bytes to standard output (fit); it is the command's own",
        code("print('epoch 1 of 10')"),
    ),
    "follows_the_seed": (
        "ignores the seed",
        "seeded = false, but another seed gives another result (cavs)",
        code("cavs += context.generator().normal(size=cavs.shape)"),
        {"views": VIEWS + "# seeded = false\n"},
    ),
    "uses_the_clock": (
        "same bits in another process",
        "not deterministic: another process with the same seed gives another result (cavs)",
        code("cavs[0, 0] += time.time()"),
    ),
    "wrong_projection": (
        "projection",
        "project() is 31 x 1, expected 32 x 1",
        code(
            methods="""
    def project(self, output, rows):
        return rows[1:] @ self.explanation.cavs[output : output + 1].T
"""
        ),
    ),
    "raises_in_constructor": (
        "load",
        "load: OSError: no licence server (raises_in_constructor.py, line",
        code(
            methods="""
    def __init__(self, params):
        raise OSError('no licence server')
"""
        ),
    ),
    "missing_package": (
        "load",
        "load: ModuleNotFoundError: No module named 'nobody_has_this' (missing_package.py, line",
        code(top="import nobody_has_this"),
    ),
    "wrong_package_version": (
        "load",
        "ImportError: cannot import name 'array_of_the_future' from 'numpy' (",
        code(top="from numpy import array_of_the_future"),
    ),
    "another_kind": (
        "load",
        "its metadata say that it is a model, and it says explainer",
        code(),
        {"kind": "model", "views": '# offers = ["head_view"]\n'},
    ),
    "has_no_fit": ("load", "has no fit()", code(end="del Twin.fit\ncp.main(Twin)")),
    "never_serves": ("load", "ended without a call of conoscope.plugin.main()", code(end="")),
    "syntax_error": ("load", "(syntax_error.py, line 8)", "def fit(self) return 1\n"),
    "old_protocol": (
        "load",
        "speaks protocol 0 of process plugins, this conoscope 1",
        'import os\nos.write(4, b"hello\\t0\\texplainer\\tfit\\n")\nos.read(3, 1)\n',
    ),
}


@pytest.mark.parametrize("id", TWINS)
def test_every_twin_fails_for_what_it_is(id, tmp_path):
    check, says, source, unusual = (*TWINS[id], {})[:4]
    usual = {"kind": "explainer", "id": id, "views": VIEWS, "options": []}
    file = tmp_path / (id + ".py")
    file.write_text(METADATA.format(**(usual | unusual)) + source)
    name, why = failed(file, *(usual | unusual)["options"])
    assert (name, says in why) == (check, True), (name, why)
