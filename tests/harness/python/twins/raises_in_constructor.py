# check: load
# says: load: OSError: no licence server (raises_in_constructor.py, line
#
# /// conoscope
# kind = "explainer"
# id = "raises_in_constructor"
# version = "1"
# needs = ["head_view"]
# offers = ["explanation"]
# ///
import numpy as np

import conoscope.plugin as cp


class Twin(cp.Explainer):
    def fit(self, head, context):
        cavs = np.array(head.head_weight, dtype=float)
        return cp.Explanation(cavs=cavs, importance=np.ones(len(cavs)), counts=np.ones(len(cavs)))

    def __init__(self, params):
        raise OSError("no licence server")


cp.main(Twin)
