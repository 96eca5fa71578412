"""@ID@: each output's concepts are the directions in which the activations of its rows vary most.
Replace it with your method."""

# /// conoscope
# kind = "explainer"
# id = "@ID@"
# version = "0.1.0"
# summary = "one line for `conoscope plugin list`"
# licence = "Apache-2.0"
# citation = "who should be cited for the method"
# needs = ["head_view"]
# offers = ["explanation"]
# seeded = false
#
# [parameters.k]
# type = "integer"
# default = 3
# min = 1
# role = "concept_count"
# help = "concepts of each output"
# ///

import numpy as np

import conoscope.plugin as cp


class @CLASS@(cp.Explainer):
    def fit(self, head, context):
        """The training split: activations n x P x D or n x D, head_weight C x D, logits n x C."""
        if head.pooling == "flatten":
            raise cp.NotApplicable("@ID@: works on pooled activations")
        samples, width = len(head.activations), head.head_weight.shape[1]
        if samples == 0:
            raise ValueError("@ID@: there are no rows to fit to")
        pooled = np.reshape(head.activations, (samples, -1, width)).mean(axis=1, dtype=float)
        if not np.isfinite(pooled).all():
            raise ValueError("@ID@: activations hold NaN or infinity")

        cavs, importance, counts, means = [], [], [], []
        for output, weight in enumerate(head.head_weight.astype(float)):
            context.check_cancelled()
            logits = head.logits[:, output]
            rows = pooled[logits >= logits.mean()]
            mean = rows.mean(axis=0)
            directions = np.linalg.svd(rows - mean, full_matrices=False)[2][: self.params.k]
            towards = directions @ weight  # a direction's sign is free: it points to the output
            directions[towards < 0] *= -1
            cavs.append(directions)
            importance.append(np.abs(towards))
            counts.append(len(directions))
            means.append(mean)
            context.progress((output + 1) / len(head.head_weight))
        return cp.Explanation(
            cavs=np.concatenate(cavs),
            importance=np.concatenate(importance),
            counts=counts,
            means=np.array(means),  # its own: project() gets it back
        )

    def project(self, output, rows):
        """Scores m x K_c of rows m x D. Leave it out where they are rows @ cavs.T."""
        return (rows - self.explanation.means[output]) @ self._directions(output).T

    def reconstruct(self, output, scores):
        """The rows m x D that have these scores. Leave it out where there is no such thing."""
        return scores @ self._directions(output) + self.explanation.means[output]

    def _directions(self, output):
        first = self.explanation.counts[:output].sum()
        return self.explanation.cavs[first : first + self.explanation.counts[output]]


cp.main(@CLASS@)
