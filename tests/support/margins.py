#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far from its bound does a trained number come to lie?

Runs a test program with several seeds, taking turns with the matrix kernels that other processors
would use, and prints for every comparison with a bound the least and the largest value seen:

    tests/support/margins.py build/release/tests/plugins/models/cnn/test_plugins_models_cnn -tc='cnn: at least*'

CONOSCOPE_TEST_SEED moves the seeds of all calls that go through tests/support/plugin_driver.h.
"""
import collections
import os
import re
import subprocess
import sys

SEEDS = int(os.environ.get("SEEDS", "6"))
KERNELS = {  # OpenBLAS, oneDNN, ATen
    "Haswell": ("AVX2", "avx2"),
    "Zen": ("AVX2", "default"),
    "SkylakeX": ("AVX512_CORE", "avx512"),
}
COMPARISON = re.compile(r"values: [A-Z_]+\( (\S+) (<|<=|>|>=|==) +(?:Approx\( )?(\S+)(?: \))? \)")


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


seen, failed = collections.defaultdict(list), collections.Counter()
for seed in range(SEEDS):
    openblas, (dnnl, aten) = list(KERNELS.items())[seed % len(KERNELS)]
    run = subprocess.run(
        [*sys.argv[1:], "-s"], capture_output=True, text=True,
        env={**os.environ, "CONOSCOPE_TEST_SEED": str(seed), "OPENBLAS_CORETYPE": openblas,
             "DNNL_MAX_CPU_ISA": dnnl, "ATEN_CPU_CAPABILITY": aten})
    place = ""
    for line in run.stdout.splitlines():
        if found := re.match(r"(?:.*/)?(\w+\.(?:cc|h):\d+): (\w+)", line):
            place = found[1]
            failed[place] += found[2] in ("ERROR", "FATAL")
        elif found := COMPARISON.search(line):
            left, right = number(found[1]), number(found[3])
            if left is not None and right is not None and left != right:
                seen[place].append((left, found[2], right))
for place, values in sorted(seen.items(), key=lambda item: (item[0].split(":")[0],
                                                            int(item[0].split(":")[1]))):
    left, right = [v[0] for v in values], [v[2] for v in values]
    bound = f"{right[0]:g}" if min(right) == max(right) else f"{min(right):g} ... {max(right):g}"
    print(f"{place}: {min(left):g} ... {max(left):g} {values[0][1]} {bound}"
          f"  ({len(values)} seen, {failed[place]} failed)")
