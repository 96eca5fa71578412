# check: projection
# says: project() is 31 x 1, expected 32 x 1
#
# /// conoscope
# kind = "explainer"
# id = "wrong_projection"
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

    def project(self, output, rows):
        return rows[1:] @ self.explanation.cavs[output : output + 1].T


cp.main(Twin)
