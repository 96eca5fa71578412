# check: same bits in another process
# says: not deterministic: another process with the same seed gives another result (cavs)
#
# /// conoscope
# kind = "explainer"
# id = "uses_the_clock"
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
        cavs[0, 0] += time.time()
        return cp.Explanation(cavs=cavs, importance=np.ones(len(cavs)), counts=np.ones(len(cavs)))


cp.main(Twin)
