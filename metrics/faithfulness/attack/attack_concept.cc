// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/attack/attack_concept.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace conoscope::metrics {

namespace {

double largest_distance(const Matrix& weighed_cavs, const SilentMoves::Space& space,
                        double epsilon) {
  const Matrix rows = space.project(weighed_cavs);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(rows * rows.transpose(),
                                                              Eigen::EigenvaluesOnly);
  return epsilon * std::sqrt(std::max(0.0, solver.eigenvalues().maxCoeff()));
}

}  // namespace

Result attack_concept(const ExplainedHead& of, std::uint64_t seed, const AttackOptions& options) {
  return times_noise(attack(of, 1, contribution_distance, largest_distance, seed, options));
}

std::vector<Metric> declare::attack_concept() {
  return {{.name = "attack_concept",
           .group = "attacks",
           .question = "How many times as far as noise can a move of the activations that the "
                       "model does not notice push the concepts' contributions?",
           .direction = Direction::kLower,
           .unit = "times noise",
           .source = "ours, after Brown and Kvinge, arXiv 2110.07120",
           .needs = {"head_view", "explanation"},
           .compute = [](const Subject& subject) {
             require_pooled_softmax(subject);
             return metrics::attack_concept(subject.once(explained_head), subject.seed());
           }}};
}

}  // namespace conoscope::metrics
