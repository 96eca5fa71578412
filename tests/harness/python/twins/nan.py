# check: fit softmax
# says: cavs[0, 1] is NaN
#
# /// conoscope
# kind = "explainer"
# id = "nan"
# version = "1"
# needs = ["head_view"]
# offers = ["explanation"]
# ///
import numpy as np

import conoscope.plugin as cp


class Twin(cp.Explainer):
    def fit(self, head, context):
        cavs = np.array(head.head_weight, dtype=float)
        cavs[0, 1] = np.nan
        return cp.Explanation(cavs=cavs, importance=np.ones(len(cavs)), counts=np.ones(len(cavs)))


cp.main(Twin)
