# check: fit softmax
# says: fit: RuntimeError: the tape has run out (raises.py, line
#
# /// conoscope
# kind = "explainer"
# id = "raises"
# version = "1"
# needs = ["head_view"]
# offers = ["explanation"]
# ///
import numpy as np

import conoscope.plugin as cp


class Twin(cp.Explainer):
    def fit(self, head, context):
        cavs = np.array(head.head_weight, dtype=float)
        raise RuntimeError("the tape has run out")
        return cp.Explanation(cavs=cavs, importance=np.ones(len(cavs)), counts=np.ones(len(cavs)))


cp.main(Twin)
