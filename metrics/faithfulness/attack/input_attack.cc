// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/attack/input_attack.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "metrics/faithfulness/affine.h"
#include "metrics/faithfulness/image_model.h"
#include "metrics/faithfulness/model_logits.h"
#include "numerics/checks.h"
#include "numerics/random.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "attack_input";
// Of the augmented Lagrangian; and steps, as shares of epsilon, from the first to the last. Tried on
// networks of random weights: 60 steps come within 5 % of what 1,000 find.
constexpr double kPenalty = 0.3, kFirst = 0.5, kLast = 0.02;
constexpr double kWithin = 0.999;  // of the room that is left

/// Moved samples, as the model and the explanation see them.
struct Seen {
  Matrix logits;          ///< S x C
  std::vector<Vector> z;  ///< of each sample's own class, K_c
};

/// Units to divide by: what noise does not move has none.
template <typename Values>
Values or_one(const Values& values) {
  return (values.array() > 0.0).select(values, Values::Ones(values.rows(), values.cols()));
}

class InputAttack {
 public:
  InputAttack(const ExplainedHead& of, const ImageView& images, const AttackAim& aim,
              const InputAttackOptions& options);

  AttackedInputs run(std::uint64_t seed);

 private:
  void choose_samples();
  Seen see(const Matrix& pixels) const;
  Vector changes(const Seen& seen) const;
  void add_noise();
  void limit_logits();

  Matrix random_signs();
  Matrix drawn_back(const Matrix& pixels, const Seen& seen) const;
  bool allowed(const Seen& seen, Index row) const;
  void take(const Matrix& pixels, const Seen& seen);
  Matrix climb(const Matrix& pixels, const Seen& seen, double step);
  Matrix varied(double share);
  bool by_gradient() const {
    return images_.forward_gradient != nullptr && of_.explanation()->linear();
  }

  const ExplainedHead& of_;
  const ImageView& images_;
  const AttackAim& aim_;
  const InputAttackOptions& options_;
  double epsilon_ = 0.0;

  // S samples that are attacked, one after the other in the rows of all that follows.
  IndexVector samples_;
  std::vector<IndexVector> members_;  ///< of each output, the rows of its samples
  Matrix start_, low_, high_;         ///< pixels, and where they may go
  Seen before_;
  Matrix noise_logits_, room_;  ///< mean |change| of a logit by noise, and what it may change
  Vector noise_distance_;       ///< mean |z - z'| by noise
  std::vector<numerics::Random> random_;
  Matrix multiplier_;  ///< of the bounds on each logit
  AttackedInputs found_;
  Matrix best_;
  Seen after_;  ///< the model and the explanation of best_
};

InputAttack::InputAttack(const ExplainedHead& of, const ImageView& images, const AttackAim& aim,
                         const InputAttackOptions& options)
    : of_(of), images_(images), aim_(aim), options_(options) {
  if (!(options.share > 0.0)) numerics::refuse(kName, "the share is not above 0");
  require_images(kName, images, of.head());
  numerics::require_finite_rows(kName, "inputs", images.pixels, 1);
  double least = std::numeric_limits<double>::infinity(), most = -least;
  numerics::for_each_block(images.pixels, 1, [&](Index, const Matrix& block) {
    least = std::min(least, block.minCoeff());
    most = std::max(most, block.maxCoeff());
  });
  epsilon_ = options.share * (most - least);
  if (!(epsilon_ > 0.0)) throw std::domain_error("every input is " + std::to_string(least));
  choose_samples();
  low_ = (start_.array() - epsilon_).max(least);
  high_ = (start_.array() + epsilon_).min(most);
}

Seen InputAttack::see(const Matrix& pixels) const {
  const HeadView& head = of_.head();
  const Matrix pooled = detail::pool_positions(seen_by_model(kName, images_, head, pixels));
  Seen seen{model_logits(pooled, head.weight, head.bias), std::vector<Vector>(samples_.size())};
  for (std::size_t c = 0; c < members_.size(); ++c) {
    if (members_[c].empty()) continue;
    const auto output = static_cast<Index>(c);
    const Matrix scores = of_.project(output, pooled(members_[c], Eigen::all));
    const Vector importance = of_.explanation().importance(output);
    for (std::size_t i = 0; i < members_[c].size(); ++i)
      seen.z[static_cast<std::size_t>(members_[c][i])] =
          scores.row(static_cast<Index>(i)).transpose().cwiseProduct(importance);
  }
  return seen;
}

void InputAttack::choose_samples() {
  const HeadView& head = of_.head();
  const Index count = std::min(options_.samples, head.samples());
  IndexVector all;
  for (Index j = 0; j < count; ++j) all.push_back(j * head.samples() / count);
  const Matrix pixels = numerics::rows_of_samples(images_.pixels, 1, all);
  const Matrix logits = model_logits(seen_by_model(kName, images_, head, pixels));
  members_.resize(static_cast<std::size_t>(head.outputs()));
  IndexVector kept;
  for (Index j = 0; j < count; ++j) {
    Index output = 0;
    logits.row(j).maxCoeff(&output);
    if (of_.explanation()->concepts(output) < aim_.fewest) continue;
    members_[static_cast<std::size_t>(output)].push_back(static_cast<Index>(kept.size()));
    kept.push_back(j);
    samples_.push_back(all[static_cast<std::size_t>(j)]);
  }
  if (kept.empty()) throw std::domain_error(too_few_concepts(aim_.fewest));
  start_ = pixels(kept, Eigen::all);
}

Vector InputAttack::changes(const Seen& seen) const {
  Vector out(start_.rows());
  for (std::size_t i = 0; i < samples_.size(); ++i)
    out(static_cast<Index>(i)) = aim_.change(before_.z[i], Matrix(seen.z[i].transpose()))(0);
  return out;
}

Matrix InputAttack::random_signs() {
  Matrix out(start_.rows(), start_.cols());
  for (Index i = 0; i < out.rows(); ++i)
    for (Index j = 0; j < out.cols(); ++j)
      out(i, j) = random_[static_cast<std::size_t>(i)].uniform() < 0.5 ? low_(i, j) : high_(i, j);
  return out;
}

void InputAttack::add_noise() {
  const auto draws = static_cast<double>(options_.noise);
  noise_logits_ = Matrix::Zero(start_.rows(), before_.logits.cols());
  noise_distance_ = found_.by_noise = Vector::Zero(start_.rows());
  for (Index draw = 0; draw < options_.noise; ++draw) {
    const Seen seen = see(random_signs());
    noise_logits_ += (seen.logits - before_.logits).cwiseAbs() / draws;
    found_.by_noise += changes(seen) / draws;
    for (std::size_t i = 0; i < samples_.size(); ++i)
      noise_distance_(static_cast<Index>(i)) += (seen.z[i] - before_.z[i]).norm() / draws;
  }
}

void InputAttack::limit_logits() {
  room_ = noise_logits_;
  for (std::size_t c = 0; c < members_.size(); ++c)
    for (const Index i : members_[c]) {
      const auto own = static_cast<Index>(c);
      for (Index other = 0; other < room_.cols(); ++other) {
        if (other == own) continue;
        // In another batch the class was chosen, and float32 may have rounded otherwise there.
        const double half =
            std::max(0.0, 0.5 * (before_.logits(i, own) - before_.logits(i, other)));
        room_(i, other) = std::min(room_(i, other), half);
        room_(i, own) = std::min(room_(i, own), half);
      }
    }
}

bool InputAttack::allowed(const Seen& seen, Index row) const {
  return ((seen.logits.row(row) - before_.logits.row(row)).array().abs() <= room_.row(row).array())
      .all();
}

void InputAttack::take(const Matrix& pixels, const Seen& seen) {
  const Vector found = changes(seen);
  for (Index i = 0; i < found.size(); ++i)
    if (found(i) > found_.by_attack(i) && allowed(seen, i)) {
      found_.by_attack(i) = found(i);
      best_.row(i) = pixels.row(i);
      after_.logits.row(i) = seen.logits.row(i);
      after_.z[static_cast<std::size_t>(i)] = seen.z[static_cast<std::size_t>(i)];
    }
}

/// To where, if the model were linear, no logit would have moved too far: a little short of the bound,
/// for on it rounding would decide.
Matrix InputAttack::drawn_back(const Matrix& pixels, const Seen& seen) const {
  Matrix out = pixels;
  for (Index i = 0; i < out.rows(); ++i) {
    double share = 1.0;
    for (Index c = 0; c < room_.cols(); ++c) {
      const double moved = std::abs(seen.logits(i, c) - before_.logits(i, c));
      if (moved > room_(i, c)) share = std::min(share, kWithin * room_(i, c) / moved);
    }
    out.row(i) = start_.row(i) + share * (pixels.row(i) - start_.row(i));
  }
  return out;
}

/// One step of sign up the change less the logits' excess, each in the units that noise sets.
Matrix InputAttack::climb(const Matrix& pixels, const Seen& seen, double step) {
  const HeadView& head = of_.head();
  const CheckedExplanation& explanation = of_.explanation();
  const Vector noise = or_one(noise_distance_);
  Matrix pooled(start_.rows(), head.width());  // the gradient by pooled activations
  for (std::size_t c = 0; c < members_.size(); ++c) {
    if (members_[c].empty()) continue;
    const auto output = static_cast<Index>(c);
    const Matrix weighed = explanation.importance(output).asDiagonal() * explanation.cavs(output);
    for (const Index i : members_[c]) {
      const auto at = static_cast<std::size_t>(i);
      pooled.row(i) = aim_.ascent(before_.z[at], seen.z[at], noise(i)).transpose() * weighed;
    }
  }
  // A signed multiplier for the two bounds of each logit, which is 0 within them.
  const Matrix unit = or_one(noise_logits_);
  const Matrix pull = multiplier_ + kPenalty * (seen.logits - before_.logits).cwiseQuotient(unit);
  multiplier_ = pull.cwiseSign().cwiseProduct(
      (pull.cwiseAbs() - kPenalty * room_.cwiseQuotient(unit)).cwiseMax(0.0));
  pooled -= multiplier_.cwiseQuotient(unit) * head.weight;
  // A position's share of the pooled activation.
  Matrix cotangents(pooled.rows() * head.positions, pooled.cols());
  for (Index i = 0; i < cotangents.rows(); ++i)
    cotangents.row(i) = pooled.row(i / head.positions) / static_cast<double>(head.positions);
  const Matrix gradient = images_.forward_gradient(pixels, cotangents);
  if (gradient.rows() != pixels.rows() || gradient.cols() != pixels.cols())
    numerics::refuse(kName, "the model's gradient is " + numerics::shape_of(gradient) +
                                ", expected " + numerics::shape_of(pixels));
  return (pixels + step * gradient.cwiseSign()).cwiseMax(low_).cwiseMin(high_);
}

/// The best so far, with a share of its pixels at random ends of their range.
Matrix InputAttack::varied(double share) {
  const Matrix ends = random_signs();
  Matrix out = best_;
  for (Index i = 0; i < out.rows(); ++i)
    for (Index j = 0; j < out.cols(); ++j)
      if (random_[static_cast<std::size_t>(i)].uniform() < share) out(i, j) = ends(i, j);
  return out;
}

AttackedInputs InputAttack::run(std::uint64_t seed) {
  for (const Index sample : samples_)
    random_.emplace_back(numerics::Seed(seed).child(static_cast<std::uint64_t>(sample)));
  before_ = see(start_);
  add_noise();
  limit_logits();
  found_.by_attack = Vector::Zero(start_.rows());
  best_ = start_;
  after_ = before_;
  multiplier_ = Matrix::Zero(room_.rows(), room_.cols());
  Matrix pixels = random_signs();
  const Index steps = by_gradient() ? options_.steps : 2 * options_.steps;
  for (Index step = 1;; ++step) {
    const Seen seen = see(pixels);
    take(pixels, seen);
    const Matrix back = drawn_back(pixels, seen);
    take(back, see(back));
    if (step >= steps) break;
    const double done = static_cast<double>(step) / static_cast<double>(steps);
    if (by_gradient())
      pixels = climb(pixels, seen, epsilon_ * kFirst * std::pow(kLast / kFirst, done));
    else
      pixels = varied(std::pow(1.0 / static_cast<double>(pixels.cols()), done));
  }
  if (!by_gradient())
    found_.caveat =
        std::string("by random search: ") +
        (of_.explanation()->linear() ? "the model gives no gradient" : "psi is not linear");
  found_.rows = samples_;
  found_.outputs.resize(samples_.size());
  for (std::size_t c = 0; c < members_.size(); ++c)
    for (const Index i : members_[c])
      found_.outputs[static_cast<std::size_t>(i)] = static_cast<Index>(c);
  found_.pixels = start_;
  found_.moved_pixels = best_;
  found_.logits = before_.logits;
  found_.moved_logits = std::move(after_.logits);
  found_.z = before_.z;
  found_.moved_z = std::move(after_.z);
  found_.epsilon = epsilon_;
  return std::move(found_);
}

}  // namespace

AttackedInputs attack_inputs(const ExplainedHead& of, const ImageView& images, const AttackAim& aim,
                             std::uint64_t seed, const InputAttackOptions& options) {
  return InputAttack(of, images, aim, options).run(seed);
}

}  // namespace conoscope::metrics
