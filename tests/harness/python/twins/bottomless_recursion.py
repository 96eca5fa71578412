# check: fit softmax
# says: fit: killed by SIGSEGV, Segmentation fault
# since 3.12 says: fit: RecursionError: maximum recursion depth exceeded
#
# /// conoscope
# kind = "explainer"
# id = "bottomless_recursion"
# version = "1"
# needs = ["head_view"]
# offers = ["explanation"]
# ///
import sys

import numpy as np

import conoscope.plugin as cp


class Twin(cp.Explainer):
    def fit(self, head, context):
        cavs = np.array(head.head_weight, dtype=float)
        sys.setrecursionlimit(1 << 30)
        list(map(self.fit, [head], [context]))  # through C, whose stack has an end
        return cp.Explanation(cavs=cavs, importance=np.ones(len(cavs)), counts=np.ones(len(cavs)))


cp.main(Twin)
