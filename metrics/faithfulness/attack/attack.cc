// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/attack/attack.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "metrics/faithfulness/model_logits.h"
#include "numerics/random.h"
#include "numerics/to_vector.h"

namespace conoscope::metrics {

namespace {

Matrix normal(Index rows, Index cols, numerics::Random& random) {
  Matrix out(rows, cols);
  for (Index i = 0; i < out.size(); ++i) out.data()[i] = random.normal();
  return out;
}

/// Each row to the length; a row of 0 stays.
Matrix of_length(Matrix rows, double length) {
  for (Index i = 0; i < rows.rows(); ++i)
    if (const double norm = rows.row(i).norm(); norm > 0.0) rows.row(i) *= length / norm;
  return rows;
}

class Attack {
 public:
  Attack(const ExplainedHead& of, const SilentMoves& moves, ContributionChange change,
         const AttackOptions& options)
      : of_(of), moves_(moves), change_(change), options_(options) {}

  double noise(Index sample, Index output, const SilentMoves::Space& space,
               numerics::Random& random) const {
    const Matrix draws = normal(options_.noise, of_.head().width(), random);
    return changes(sample, output, of_length(space.free(draws), moves_.epsilon())).mean();
  }

  double search(Index sample, Index output, const SilentMoves::Space& space,
                numerics::Random& random) const {
    const auto silent = [&](const Matrix& rows) {
      return of_length(space.project(rows), moves_.epsilon());
    };
    constexpr Index kAtOnce = 8;
    Matrix tries = silent(normal(options_.noise, of_.head().width(), random));
    Eigen::RowVectorXd best;
    double most = -1.0;
    for (Index step = 0;; step += kAtOnce) {
      const Vector found = changes(sample, output, tries);
      Index at = 0;
      const double value = found.maxCoeff(&at);
      if (value > most) {
        most = value;
        best = tries.row(at);
      }
      if (step >= options_.steps) return most;
      // From far to near: the first steps turn by some 45 degrees, the last by a few.
      const double share = static_cast<double>(step) / static_cast<double>(options_.steps);
      tries = of_length(space.project(normal(kAtOnce, best.cols(), random)),
                        moves_.epsilon() * std::pow(0.05, share));
      tries.rowwise() += best;
      tries = silent(tries);
    }
  }

 private:
  Vector changes(Index sample, Index output, const Matrix& moves) const {
    Matrix rows(moves.rows() + 1, moves.cols());
    rows << of_.pooled().row(sample), moves;
    rows.bottomRows(moves.rows()).rowwise() += of_.pooled().row(sample);
    const Matrix z = of_.project(output, rows) * of_.explanation().importance(output).asDiagonal();
    return change_(z.row(0).transpose(), z.bottomRows(moves.rows()));
  }

  const ExplainedHead& of_;
  const SilentMoves& moves_;
  ContributionChange change_;
  const AttackOptions& options_;
};

}  // namespace

AttackedSamples attack(const ExplainedHead& of, Index fewest, ContributionChange change,
                       LargestChange closed_form, std::uint64_t seed,
                       const AttackOptions& options) {
  const SilentMoves moves(of.pooled(), of.head().weight, options.share);
  const Attack attack(of, moves, change, options);
  const CheckedExplanation& explanation = of.explanation();
  const Matrix logits = model_logits(of.pooled(), of.head().weight, of.head().bias);
  std::vector<double> by_noise, by_attack;
  Index stuck = 0;
  const Index attacked = std::min(options.samples, logits.rows());
  for (Index j = 0; j < attacked; ++j) {
    const Index i = j * logits.rows() / attacked;
    Index output = 0;
    logits.row(i).maxCoeff(&output);
    if (explanation->concepts(output) < fewest) continue;
    numerics::Random random(numerics::Seed(seed).child(static_cast<std::uint64_t>(i)));
    const SilentMoves::Space space(moves, i);
    by_noise.push_back(attack.noise(i, output, space, random));
    if (space.empty()) {
      ++stuck;
      by_attack.push_back(0.0);
    } else if (closed_form && explanation->linear()) {
      by_attack.push_back(
          closed_form(explanation.importance(output).asDiagonal() * explanation.cavs(output), space,
                      moves.epsilon()));
    } else {
      by_attack.push_back(attack.search(i, output, space, random));
    }
  }
  if (by_noise.empty()) throw std::domain_error(too_few_concepts(fewest));
  AttackedSamples out;
  const auto count = static_cast<Index>(by_noise.size());
  out.by_noise = numerics::to_vector(by_noise);
  out.by_attack = numerics::to_vector(by_attack);
  if (stuck > 0)
    out.caveat = std::to_string(stuck) + " of " + std::to_string(count) +
                 " samples have no move that the model does not notice";
  return out;
}

}  // namespace conoscope::metrics
