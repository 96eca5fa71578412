"""@ID@: two noisy blobs. Replace them with your data."""

# /// conoscope
# kind = "dataset"
# id = "@ID@"
# version = "0.1.0"
# summary = "one line for `conoscope plugin list`"
# licence = "Apache-2.0"
# citation = "where the data come from"
# offers = ["inputs", "labels"]
# seeded = true
#
# [parameters.samples]
# type = "integer"
# default = 400
# min = 20
# help = "how many to generate"
# ///

import numpy as np

import conoscope.plugin as cp


class @CLASS@(cp.Dataset):
    def load(self, context):
        """Images are n x height x width x channels; a split is two lists of rows."""
        random = context.generator()
        samples, side = self.params.samples, 8
        labels = np.arange(samples) % 2
        bright = np.arange(side) // (side // 2) == labels[:, None]  # the half that is lit
        inputs = 0.2 * random.random((samples, side, side, 1), dtype=np.float32)
        inputs += 0.8 * bright[:, None, :, None].astype(np.float32)
        rows = random.permutation(samples)
        return cp.Result(
            inputs=inputs,
            labels=labels,
            train_index=np.sort(rows[samples // 5 :]),
            test_index=np.sort(rows[: samples // 5]),
            task="classification",
        )


cp.main(@CLASS@)
