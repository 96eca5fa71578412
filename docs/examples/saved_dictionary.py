# /// conoscope
# kind = "explainer"
# id = "saved_dictionary"
# version = "1.0.0"
# summary = "a trained ReLU sparse autoencoder, from a file of its weights"
# needs = ["head_view"]
# offers = ["explanation"]
# seeded = false
# parameters.weights = { type = "file", help = ".npz with W_enc (D x K), W_dec (K x D), b_enc (K), b_dec (D)" }
# ///
"""A dictionary of one's own as an explainer: unit atoms are concepts of all outputs, their scores are the
encoder's codes, and the decoder's bias is one more concept, of which every row has as much."""

import numpy as np

import conoscope.plugin as cp


class SavedDictionary(cp.Explainer):
    def fit(self, head, context):
        with np.load(self.params.weights) as file:
            encoder, dictionary, b_enc, b_dec = (file[n] for n in ("W_enc", "W_dec", "b_enc", "b_dec"))
        if head.activations.shape[-1] != dictionary.shape[1]:
            raise ValueError(
                f"weights: W_dec has width {dictionary.shape[1]}, the activations {head.activations.shape[-1]}"
            )
        lengths = np.linalg.norm(dictionary, axis=1)
        lengths[lengths == 0] = 1  # an atom that was never learnt
        cavs = dictionary / lengths[:, None]
        constant = np.linalg.norm(b_dec, keepdims=True)
        constant = constant[constant > 0]
        if len(constant):
            cavs = np.vstack([cavs, b_dec / constant])
        return cp.Explanation(
            cavs=cavs,
            importance=head.head_weight @ cavs.T,
            constant_concepts=(np.arange(len(cavs)) == len(dictionary)).astype(np.int64),
            encoder=encoder * lengths,  # a ReLU lets a factor above 0 through
            b_enc=b_enc * lengths,
            b_dec=b_dec,
            constant=constant,
        )

    def project(self, output, rows):
        mine = self.explanation
        codes = np.maximum((rows - mine.b_dec) @ mine.encoder + mine.b_enc, 0)
        return np.hstack([codes, np.broadcast_to(mine.constant, (len(codes), len(mine.constant)))])

    def reconstruct(self, output, scores):
        return scores @ self.explanation.cavs


cp.main(SavedDictionary)
