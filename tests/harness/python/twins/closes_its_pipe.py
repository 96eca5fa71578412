# check: fit softmax
# says: the plugin has closed its descriptor 4 and goes on
# options: --seconds 20
#
# /// conoscope
# kind = "explainer"
# id = "closes_its_pipe"
# version = "1"
# needs = ["head_view"]
# offers = ["explanation"]
# ///
import os
import time

import numpy as np

import conoscope.plugin as cp


class Twin(cp.Explainer):
    def fit(self, head, context):
        cavs = np.array(head.head_weight, dtype=float)
        os.close(4)
        while True:
            time.sleep(1)
        return cp.Explanation(cavs=cavs, importance=np.ones(len(cavs)), counts=np.ones(len(cavs)))


cp.main(Twin)
