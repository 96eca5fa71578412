# check: fit softmax
# says: cavs is 3 x 7, expected 3 x 8
#
# /// conoscope
# kind = "explainer"
# id = "wrong_shape"
# version = "1"
# needs = ["head_view"]
# offers = ["explanation"]
# ///
import numpy as np

import conoscope.plugin as cp


class Twin(cp.Explainer):
    def fit(self, head, context):
        cavs = np.array(head.head_weight, dtype=float)
        cavs = cavs[:, 1:]
        return cp.Explanation(cavs=cavs, importance=np.ones(len(cavs)), counts=np.ones(len(cavs)))


cp.main(Twin)
