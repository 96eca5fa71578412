# check: load
# says: load: ModuleNotFoundError: No module named 'nobody_has_this' (missing_package.py, line
#
# /// conoscope
# kind = "explainer"
# id = "missing_package"
# version = "1"
# needs = ["head_view"]
# offers = ["explanation"]
# ///
import nobody_has_this
import numpy as np

import conoscope.plugin as cp


class Twin(cp.Explainer):
    def fit(self, head, context):
        cavs = np.array(head.head_weight, dtype=float)
        return cp.Explanation(cavs=cavs, importance=np.ones(len(cavs)), counts=np.ones(len(cavs)))


cp.main(Twin)
