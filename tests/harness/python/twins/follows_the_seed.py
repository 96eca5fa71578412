# check: ignores the seed
# says: seeded = false, but another seed gives another result (cavs)
#
# /// conoscope
# kind = "explainer"
# id = "follows_the_seed"
# version = "1"
# needs = ["head_view"]
# offers = ["explanation"]
# seeded = false
# ///
import numpy as np

import conoscope.plugin as cp


class Twin(cp.Explainer):
    def fit(self, head, context):
        cavs = np.array(head.head_weight, dtype=float)
        cavs += context.generator().normal(size=cavs.shape)
        return cp.Explanation(cavs=cavs, importance=np.ones(len(cavs)), counts=np.ones(len(cavs)))


cp.main(Twin)
