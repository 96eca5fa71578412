// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metrics/purity/niche_network.h"
#include "metrics/types.h"

namespace conoscope::metrics {

struct Metric;

/// Which of three readings of the score.
enum class NicheVariant {
  kMasked,   ///< the paper's: the niche set to 0, AUC of each output by itself
  kSoftmax,  ///< the authors' code, with which Table 1 was made: a softmax over the concepts of a
             ///< sample before the AUC
  kComplement,  ///< what a later port runs: signed correlation, all *outside* the niche set to 0;
                ///< it measures the opposite. For comparison with published numbers only, and not
                ///< of vectors (width > 1), where the port also masks the wrong features: its mask
                ///< is in the order of concepts, its features in that of dimensions
};

/// The niche of each concept at a threshold: representations with nicher > beta.
/// returns  k' x k of 0 and 1
Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> concept_niches(
    const MatrixRef& nicher, double beta);

struct NicheImpurity {
  Vector beta;     ///< thresholds 0, 0.05, ..., 1
  Vector by_beta;  ///< NI at each: mean over the concepts of an AUC
  double score =
      0.0;            ///< area under by_beta to 0.95, where the authors' code ends: chance is 0.475
  double full = 0.0;  ///< area to 1, as defined: chance is 0.5
  Index skipped = 0;  ///< concepts that are constant in the test part and left out
};

/// How well do the representations outside of a concept's niche still predict it?
///
///   nu, from the training part;   N_j(beta) = {i: nu_ij > beta}
///   NI(beta) = mean_j AUC of output j with the features of N_j(beta) set to 0
///   NIS      = trapezoids over beta = 0, 0.05, ..., 1
///
/// network   predicts the k concepts from all k' * width features
/// nicher    k' x k, of the training part: concept_nicher()
/// c_hat, concepts  the test part: n x (k' * width), n x k of 0 and 1
/// returns   full in [0, 1], score in [0, 0.95]
/// throws    std::invalid_argument: shapes that do not fit, an entry not finite, concepts not 0 or
///           1
///           std::domain_error: all concepts are constant
///
/// Source: Espinosa Zarlenga et al., AAAI 2023, Def. 4 and 5. Masking is with 0, not with the mean,
/// and nothing is trained again.
NicheImpurity niche_impurity(const NicheNetwork& network, const MatrixRef& nicher,
                             const MatrixRef& c_hat, Index width, const MatrixRef& concepts,
                             NicheVariant variant = NicheVariant::kMasked);

struct NicheScores {
  NicheImpurity masked, softmax, complement;
};

/// The whole score: 80 % of the samples train the network and give the nicher, the rest is judged.
/// The three variants share the network. The seed draws the split; the network's start is the
/// reference's fixed one, unless the training says otherwise.
///
/// c_hat     n x (k' * width).   concepts  n x k of 0 and 1, k >= 2
/// throws    std::invalid_argument: as above; k < 2; n < 2
///           std::domain_error: a concept that is constant
NicheScores nis(const MatrixRef& c_hat, Index width, const MatrixRef& concepts,
                std::uint64_t seed = 0, const NicheTraining& training = {});

namespace declare {
/// To beta = 0.95  nis  nis_softmax  nis_complement
/// To beta = 1     nis_full_grid  nis_rescaled: 2 (NIS - 1/2), chance is 0
/// Of binary concepts; parts: NI at each threshold.
std::vector<Metric> nis();
}  // namespace declare

}  // namespace conoscope::metrics
