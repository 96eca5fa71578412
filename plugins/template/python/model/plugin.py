"""@ID@: nearest class mean, written as a linear head on the raw inputs. Replace it with your model."""

# /// conoscope
# kind = "model"
# id = "@ID@"
# version = "0.1.0"
# summary = "one line for `conoscope plugin list`"
# licence = "Apache-2.0"
# citation = "who should be cited for the model"
# needs = ["inputs", "labels"]
# offers = ["head_view", "head", "forward"]
# seeded = false
#
# [parameters.sharpness]
# type = "real"
# default = 1.0
# min = 1e-6
# help = "factor on all logits"
# ///

import numpy as np

import conoscope.plugin as cp


class @CLASS@(cp.Model):
    def fit(self, dataset, context):
        """Trained on the rows train_index; what is left is for all rows."""
        if len(dataset.train_index) == 0:
            raise ValueError("@ID@: there is no training sample")
        activations = self.forward(dataset.inputs)
        if not np.isfinite(activations).all():
            raise ValueError("@ID@: inputs hold NaN or infinity")
        rows = activations[dataset.train_index, 0].astype(float)
        labels = dataset.labels[dataset.train_index]
        means = np.zeros((dataset.labels.max() + 1, rows.shape[1]))
        for label in np.unique(labels):
            means[label] = rows[labels == label].mean(axis=0)
        # -|h - m_c|^2 / 2 = <h, m_c> - |m_c|^2 / 2 + a term that all classes share.
        return cp.Result(
            activations=activations,
            head_weight=self.params.sharpness * means,
            head_bias=-self.params.sharpness * (means**2).sum(axis=1) / 2,
            pooling="none",
            output="softmax",
        )

    def forward(self, inputs):
        """New inputs m x ... -> activations m x P x D."""
        return np.reshape(inputs, (len(inputs), 1, -1)).astype(np.float32)

    def forward_gradient(self, inputs, cotangents):
        """The gradients m x ... of the products of the activations and the cotangents m x P x D."""
        return np.reshape(cotangents, np.shape(inputs))

    def head(self, activations):
        """Activations m x P x D -> outputs m x C, before softmax. self.model is what fit() left."""
        return activations[:, 0] @ self.model.head_weight.T + self.model.head_bias

    def vjp(self, activations, cotangents):
        """The gradients m x P x D of the products of the outputs and the cotangents m x C."""
        return (cotangents @ self.model.head_weight)[:, None, :]


cp.main(@CLASS@)
