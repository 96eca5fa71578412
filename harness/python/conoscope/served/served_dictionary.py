# SPDX-License-Identifier: Apache-2.0
# /// conoscope
# kind = "explainer"
# id = "served_dictionary"
# version = "1.0.0"
# summary = "a dictionary object of the calling Python process: its atoms as concepts, its own encoder as psi"
# licence = "Apache-2.0"
# needs = ["head_view"]
# offers = ["explanation"]
# access = ["network"]
# seeded = false
# parameters.dictionary = { type = "file", help = "what conoscope.score() wrote of the object; its socket lies beside" }
# ///
"""The other side of conoscope.score(): rows go to the object through a socket of the file system, and its
codes come back. The access is for that socket."""

import socket

import numpy as np

import conoscope.plugin as cp


class ServedDictionary(cp.Explainer):
    def fit(self, head, context):
        if head.get("pooling") == "flatten":
            raise cp.NotApplicable(
                "served_dictionary: each position of a flattened head has weights of its own, and a "
                "dictionary has one set of atoms"
            )
        with np.load(self.params.dictionary) as file:
            atoms, norms, bias = file["atoms"], file["norms"], file["bias"]
        constant = np.zeros(len(atoms), dtype=np.int64)
        size = np.linalg.norm(bias)
        if size > 0:  # the decoder's bias is one more concept, of which every row has as much
            atoms = np.vstack([atoms, bias / size])
            constant = np.append(constant, 1)
        return cp.Explanation(
            cavs=atoms,
            importance=np.asarray(head.head_weight, dtype=np.float64) @ atoms.T,
            constant_concepts=constant,
            norms=norms,
            bias_size=np.array([size]),
        )

    def project(self, output, rows):
        codes = self._encode(rows) * self.explanation.norms
        size = float(self.explanation.bias_size[0])
        if size == 0:
            return codes
        return np.column_stack([codes, np.full(len(codes), size)])

    def reconstruct(self, output, scores):
        return scores @ self.explanation.cavs

    def _encode(self, rows):
        with socket.socket(socket.AF_UNIX) as caller:
            caller.connect(self.params.dictionary + ".socket")
            with caller.makefile("rwb") as stream:
                rows = np.ascontiguousarray(rows, dtype=np.float64)
                np.lib.format.write_array(stream, rows, allow_pickle=False)
                stream.flush()
                fault = stream.readline().decode()[:-1]
                if fault:
                    raise RuntimeError(fault)
                return np.lib.format.read_array(stream, allow_pickle=False)


cp.main(ServedDictionary)
