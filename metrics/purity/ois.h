// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metrics/types.h"

namespace conoscope::metrics {

struct Metric;
class Subject;

struct PurityOptions {
  Index epochs = 25;
  Index batch = 128;  ///< at most; the paper's text. Its code: 512
  Index hidden = 32;
  bool joint = false;  ///< one network per representation for all (binary) concepts at once
  std::uint64_t seed = 0;
};

/// How well does each representation predict each concept?
///
///   pi_ij = test AUC of a helper network that predicts concept j from representation i
///
/// Helper: width -> 32 ReLU -> 1, Glorot-uniform, Adam 1e-3, 25 epochs, on 80 % of the samples in
/// random order; the AUC is that of the other 20 %, the same for all pairs. A concept of C > 2
/// labels has C outputs under softmax, and the mean AUC of one against the rest over the labels
/// present.
///
/// c_hat      n x (k' * width): representation i has columns i*width ... i*width+width-1
/// concepts   n x k whole numbers from 0, k >= 2
/// returns    k' x k, in [0, 1]; 1/2: knows nothing. Below 1/2 on the diagonal of a supervised
///            model: that fit has failed.
/// throws     std::invalid_argument: shapes that do not fit, k < 2, n < 2, an entry not finite or
///            no label; joint with other than binary concepts; epochs, batch or hidden < 1
///            std::domain_error: a concept that is constant, or has one label in the test part
///
/// Source: Espinosa Zarlenga et al., AAAI 2023, Def. 2 and App. A.3. Its code has batches of 512,
/// which at n = 1000 are 50 steps instead of 175, and networks that have not learnt their own concept.
/// All networks see the samples in one order.
Matrix purity_matrix(const MatrixRef& c_hat, Index width, const MatrixRef& concepts,
                     const PurityOptions& options = {});

/// The purity matrix of the true concepts themselves: what their own dependence allows. On a split of
/// its own, as in the reference. The diagonal is 1; joint: what the networks reach.
Matrix oracle_matrix(const MatrixRef& concepts, const PurityOptions& options = {});

/// How far is the impurity from that of the true concepts?
///
///   OIS = 2/k |pi(c_hat, c) - pi(c, c)|_F
///
/// purity, oracle  k x k (rows aligned with the concepts), k >= 1, in [0, 1]
/// include_diagonal  false: both diagonals count as 1, impurity alone
/// returns    [0, 2]; 0: as pure as the concepts themselves. The papers claim at most 1, which
///            holds only while no AUC is below 1/2.
/// throws     std::invalid_argument: matrices that are not k x k, an entry not in [0, 1]
///
/// Source: Espinosa Zarlenga et al., AAAI 2023, Def. 3. With an alignment its code leaves 2/k out.
double ois(const MatrixRef& purity, const MatrixRef& oracle, bool include_diagonal = true);

/// Both matrices of a subject.
struct PurityMatrices {
  Matrix purity, oracle;
  IndexVector optimal = {};  ///< the alignment with the largest sum
  Index failed = 0;          ///< representations that are worse than chance at their own concept
  std::string caveat = {};
};

/// Derived once: subject.once(purity_matrices).
/// throws  NotApplicable: one concept, or fewer representations; as purity_matrix
PurityMatrices purity_matrices(const Subject& subject);

namespace declare {
/// ois and ois_off_diagonal of representations as they stand, k' = k (parts: the purity matrix, row
/// after row); ois_aligned_greedy and ois_aligned_optimal after an alignment, k' >= k (parts: the row
/// of each concept); ois_failed_fits: diagonal AUCs below 1/2, which make an OIS meaningless.
/// ois_reference: as ois, with the published code's batches of 512, of which ois_failed_fits(batch=512)
/// counts the failed ones.
std::vector<Metric> ois();
}  // namespace declare

}  // namespace conoscope::metrics
