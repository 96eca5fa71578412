# check: fit softmax
# says: fit: still running after
# options: --seconds 5
#
# /// conoscope
# kind = "explainer"
# id = "hangs"
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
        while True:
            time.sleep(1)
        return cp.Explanation(cavs=cavs, importance=np.ones(len(cavs)), counts=np.ones(len(cavs)))


cp.main(Twin)
