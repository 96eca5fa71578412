# check: fit softmax
# says: fit: RecursionError: maximum recursion depth exceeded
#
# /// conoscope
# kind = "explainer"
# id = "deep_recursion"
# version = "1"
# needs = ["head_view"]
# offers = ["explanation"]
# ///
import numpy as np

import conoscope.plugin as cp


class Twin(cp.Explainer):
    def fit(self, head, context):
        cavs = np.array(head.head_weight, dtype=float)
        self.fit(head, context)
        return cp.Explanation(cavs=cavs, importance=np.ones(len(cavs)), counts=np.ones(len(cavs)))


cp.main(Twin)
