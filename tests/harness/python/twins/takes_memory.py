# check: fit softmax
# says: used more than --memory = 300 MiB
# options: --memory 300
#
# /// conoscope
# kind = "explainer"
# id = "takes_memory"
# version = "1"
# needs = ["head_view"]
# offers = ["explanation"]
# ///
import numpy as np

import conoscope.plugin as cp


class Twin(cp.Explainer):
    def fit(self, head, context):
        cavs = np.array(head.head_weight, dtype=float)
        held = [np.ones(1 << 20) for _ in range(1000)]
        return cp.Explanation(cavs=cavs, importance=np.ones(len(cavs)), counts=np.ones(len(cavs)))


cp.main(Twin)
