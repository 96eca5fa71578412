# check: fit softmax
# says: ValueError: cavs: its dtype is object, which holds no numbers
#
# /// conoscope
# kind = "explainer"
# id = "not_numbers"
# version = "1"
# needs = ["head_view"]
# offers = ["explanation"]
# ///
import numpy as np

import conoscope.plugin as cp


class Twin(cp.Explainer):
    def fit(self, head, context):
        cavs = np.array(head.head_weight, dtype=float)
        cavs = np.array([[None]])
        return cp.Explanation(cavs=cavs, importance=np.ones(len(cavs)), counts=np.ones(len(cavs)))


cp.main(Twin)
