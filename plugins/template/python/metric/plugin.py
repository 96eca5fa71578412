"""@ID@: the largest error of the surrogate, over samples and outputs. Replace it with your metric."""

# /// conoscope
# kind = "metric"
# id = "@ID@"
# version = "0.1.0"
# summary = "one line for `conoscope plugin list`"
# licence = "Apache-2.0"
# citation = "who should be cited for the metric"
# needs = ["head_view", "explanation"]
# seeded = false
#
# [scores.@ID@]
# direction = "lower"
# low = 0
# unit = "logit"
# question = "How far is the surrogate from the model at its worst?"
# ///

import numpy as np

import conoscope.plugin as cp


class @CLASS@(cp.Metric):
    def score(self, subject, context):
        """The test split of all that the subject offers; its functions answer for any rows."""
        if subject.scope != "class_specific" or subject.pooling == "flatten":
            why = "it looks at class-specific concepts of pooled features"
            return {"@ID@": cp.Score(reason="not_applicable", message=why)}
        samples, width = len(subject.activations), subject.cavs.shape[1]
        rows = np.reshape(subject.activations, (samples, -1, width)).mean(axis=1, dtype=float)
        if not np.isfinite(rows).all():
            raise ValueError("@ID@: activations hold NaN or infinity")
        surrogate = np.tile(subject.head_bias.astype(float), (samples, 1))
        first = 0
        for output, count in enumerate(subject.counts):
            if count > 0:
                importance = subject.importance[first : first + count]
                surrogate[:, output] += subject.project(output, rows) @ importance
            first += count
        errors = np.abs(surrogate - subject.logits).max(axis=1)
        return {"@ID@": cp.Score(errors.max(), parts=errors)}


cp.main(@CLASS@)
