# check: fit softmax
# says: fit: killed by SIGSEGV, Segmentation fault
#
# /// conoscope
# kind = "explainer"
# id = "segfault"
# version = "1"
# needs = ["head_view"]
# offers = ["explanation"]
# ///
import ctypes

import numpy as np

import conoscope.plugin as cp


class Twin(cp.Explainer):
    def fit(self, head, context):
        cavs = np.array(head.head_weight, dtype=float)
        ctypes.string_at(0)
        return cp.Explanation(cavs=cavs, importance=np.ones(len(cavs)), counts=np.ones(len(cavs)))


cp.main(Twin)
