# check: cancellation
# says: still running after
#
# /// conoscope
# kind = "explainer"
# id = "deaf"
# version = "1"
# needs = ["head_view"]
# offers = ["explanation"]
# ///
import time

import numpy as np

import conoscope.plugin as cp


class Twin(cp.Explainer):
    def fit(self, head, context):
        cavs = np.array(head.head_weight, dtype=float)
        if context.cancelled():
            time.sleep(60)
        return cp.Explanation(cavs=cavs, importance=np.ones(len(cavs)), counts=np.ones(len(cavs)))


cp.main(Twin)
