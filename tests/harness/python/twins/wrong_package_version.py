# check: load
# says: ImportError: cannot import name 'array_of_the_future' from 'numpy' (
#
# /// conoscope
# kind = "explainer"
# id = "wrong_package_version"
# version = "1"
# needs = ["head_view"]
# offers = ["explanation"]
# ///
import numpy as np
from numpy import array_of_the_future

import conoscope.plugin as cp


class Twin(cp.Explainer):
    def fit(self, head, context):
        cavs = np.array(head.head_weight, dtype=float)
        return cp.Explanation(cavs=cavs, importance=np.ones(len(cavs)), counts=np.ones(len(cavs)))


cp.main(Twin)
