# check: fit softmax
# says: TypeError: fit() returned ndarray, expected a conoscope.plugin.Result
#
# /// conoscope
# kind = "explainer"
# id = "returns_nothing"
# version = "1"
# needs = ["head_view"]
# offers = ["explanation"]
# ///
import numpy as np

import conoscope.plugin as cp


class Twin(cp.Explainer):
    def fit(self, head, context):
        cavs = np.array(head.head_weight, dtype=float)
        return cavs
        return cp.Explanation(cavs=cavs, importance=np.ones(len(cavs)), counts=np.ones(len(cavs)))


cp.main(Twin)
