# check: fit softmax
# says: fit: killed by SIGKILL, Killed
#
# /// conoscope
# kind = "explainer"
# id = "killed"
# version = "1"
# needs = ["head_view"]
# offers = ["explanation"]
# ///
import os
import signal

import numpy as np

import conoscope.plugin as cp


class Twin(cp.Explainer):
    def fit(self, head, context):
        cavs = np.array(head.head_weight, dtype=float)
        os.kill(os.getpid(), signal.SIGKILL)
        return cp.Explanation(cavs=cavs, importance=np.ones(len(cavs)), counts=np.ones(len(cavs)))


cp.main(Twin)
