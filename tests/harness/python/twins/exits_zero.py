# check: fit softmax
# says: the process exited with code 0 before its work was finished (no completion record)
#
# /// conoscope
# kind = "explainer"
# id = "exits_zero"
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
        sys.exit(0)
        return cp.Explanation(cavs=cavs, importance=np.ones(len(cavs)), counts=np.ones(len(cavs)))


cp.main(Twin)
