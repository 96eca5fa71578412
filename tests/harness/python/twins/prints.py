# check: standard output
# says: bytes to standard output (fit); it is the command's own
#
# /// conoscope
# kind = "explainer"
# id = "prints"
# version = "1"
# needs = ["head_view"]
# offers = ["explanation"]
# ///
import numpy as np

import conoscope.plugin as cp


class Twin(cp.Explainer):
    def fit(self, head, context):
        cavs = np.array(head.head_weight, dtype=float)
        print("epoch 1 of 10")
        return cp.Explanation(cavs=cavs, importance=np.ones(len(cavs)), counts=np.ones(len(cavs)))


cp.main(Twin)
