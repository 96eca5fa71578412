# check: memory
# says: memory grew steadily, by
#
# /// conoscope
# kind = "explainer"
# id = "leaks"
# version = "1"
# needs = ["head_view"]
# offers = ["explanation"]
# ///
import numpy as np

import conoscope.plugin as cp


kept = []


class Twin(cp.Explainer):
    def fit(self, head, context):
        cavs = np.array(head.head_weight, dtype=float)
        kept.append(np.ones(1 << 18))
        return cp.Explanation(cavs=cavs, importance=np.ones(len(cavs)), counts=np.ones(len(cavs)))


cp.main(Twin)
