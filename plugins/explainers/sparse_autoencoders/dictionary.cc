// SPDX-License-Identifier: Apache-2.0
#include "plugins/explainers/sparse_autoencoders/dictionary.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "numerics/checks.h"
#include "numerics/kmeans.h"
#include "numerics/whole_blocks.h"
#include "plugins/explainers/sparse_autoencoders/thresholds.h"
#include "plugins/explainers/sparse_autoencoders/topk.h"
#include "plugins/explainers/topk_sae/sae.h"

namespace conoscope::methods {
namespace {

/// As many rows at most are looked at for centroids, and for how many latents are active.
constexpr Index kMostRows = 65536;

Matrix evenly_spaced_rows(const RowSource& x) {
  const Index rows = std::min(x.rows(), kMostRows);
  Matrix out(rows, x.cols()), row;
  for (Index i = 0; i < rows; ++i) {
    x.read(i * x.rows() / rows, 1, row);
    out.row(i) = row.row(0);
  }
  return out;
}

struct Moments {
  Vector mean;
  Matrix covariance;  ///< empty unless asked for
  double rms;         ///< of centred entries
  double power;       ///< sqrt(mean |x|^2)
};

Moments moments_of(const RowSource& x, bool covariance) {
  const Index width = x.cols();
  const auto n = static_cast<double>(x.rows());
  Moments out{Vector::Zero(width), Matrix(), 0.0, 0.0};
  numerics::for_each_block(x, 1, [&](Index, const Matrix& block) {
    out.mean += block.colwise().sum().transpose() / n;
    out.power += block.squaredNorm() / n;
  });
  out.power = std::sqrt(out.power);
  if (covariance) out.covariance = Matrix::Zero(width, width);
  double squares = 0.0;
  numerics::for_each_block(x, 1, [&](Index, const Matrix& block) {
    const Matrix centred = block.rowwise() - out.mean.transpose();
    squares += centred.squaredNorm();
    if (covariance) out.covariance.noalias() += centred.transpose() * centred;
  });
  if (covariance) out.covariance /= std::max(1.0, n - 1.0);
  out.rms = std::sqrt(squares / (n * static_cast<double>(width)));
  return out;
}

RowSource divided(const RowSource& x, double scale) {
  return {x.rows(), x.cols(), [x, scale](Index first, Index count, double* out) {
            Matrix rows;
            x.read(first, count, rows);
            Eigen::Map<Matrix>(out, count, x.cols()) = rows / scale;
          }};
}

Matrix normal_matrix(Index rows, Index cols, numerics::Seed seed) {
  numerics::Random random(seed);
  Matrix out(rows, cols);
  for (Index i = 0; i < out.size(); ++i) out.data()[i] = random.normal();
  return out;
}

/// K x D: what the atoms start as.
Matrix first_atoms(Index latents, Index width, numerics::Seed seed) {
  Matrix out = normal_matrix(latents, width, seed.child("atoms"));
  out.rowwise().normalize();
  return out;
}

TrainerOptions trainer_of(const Recipe& recipe, Twin twin) {
  TrainerOptions out = recipe.trainer;
  if (twin == Twin::kFrozenDecoder || twin == Twin::kFrozenDecoderCovariance)
    for (const Part part : {Part::kAtoms, Part::kWeights, Part::kRelaxation, Part::kLogScale})
      out.frozen.push_back(part);
  if (twin == Twin::kFrozenEncoder) out.frozen.push_back(Part::kEncoder);
  if (twin == Twin::kSoftFrozenDecoder) out.least_cosine = 0.8;
  return out;
}

/// Trains in the units of `x`.
Parts<float> train(const RowSource& x, const Recipe& recipe, Twin twin, Parts<float> start,
                   std::unique_ptr<Objective<float>> objective, numerics::Seed seed,
                   const std::function<void(double)>& after) {
  DictionaryTrainer<float> trainer(std::move(objective), std::move(start),
                                   trainer_of(recipe, twin));
  const Index n = x.rows(), batch = std::min(recipe.schedule.batch, n);
  const Index steps = recipe.schedule.steps(n);
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  numerics::Random shuffling(seed.child("order"));
  MatrixF rows(batch, x.cols());
  Matrix row;
  Index done = 0;
  while (done < steps) {
    shuffling.shuffle(order);
    for (Index at = 0; at < n && done < steps; at += batch, ++done) {
      const Index count = std::min(batch, n - at);
      for (Index i = 0; i < count; ++i) {
        x.read(order[static_cast<std::size_t>(at + i)], 1, row);
        rows.row(i) = row.row(0).cast<float>();
      }
      const StepState state{trainer.dead(), recipe.schedule.pressure_at(done, steps)};
      const double loss =
          trainer.step(rows.topRows(count), recipe.schedule.rate_at(done, steps), state).loss;
      if (!std::isfinite(loss))
        throw std::domain_error("fit_dictionary: the loss is " + std::to_string(loss) +
                                " in step " + std::to_string(done + 1) + " of " +
                                std::to_string(steps) + "; is the learning rate very large?");
    }
    if (after) after(static_cast<double>(done) / static_cast<double>(steps));
  }
  Parts<float> out = trainer.parts();
  trainer.objective().constrain(out);
  return out;
}

Vector row_of(const Parts<float>& parts, Part part) {
  return parts[part].row(0).transpose().cast<double>();
}

/// From parts in the units of x / scale. `atoms`: of any norm.
Dictionary in_units(const Parts<float>& parts, Matrix atoms, const Recipe& recipe, double scale) {
  const Index latents = recipe.latents, width = atoms.cols();
  Dictionary out;
  out.reading = recipe.reading;
  out.pursuit = recipe.pursuit;
  out.scale = atoms.rowwise().norm();
  for (Index j = 0; j < latents; ++j) {
    if (out.scale[j] == 0.0)
      throw std::domain_error("fit_dictionary: atom " + std::to_string(j) + " is 0");
    atoms.row(j) /= out.scale[j];
  }
  // What training keeps at norm 1 is so but for float32's last digits.
  if (recipe.trainer.unit_atoms && recipe.points == 0) out.scale.setOnes();
  out.atoms = std::move(atoms);
  out.encoder =
      parts.has(Part::kEncoder) ? Matrix(parts[Part::kEncoder].cast<double>()) : out.atoms;
  out.bias = parts.has(Part::kEncoderBias) ? Vector(row_of(parts, Part::kEncoderBias) * scale)
                                           : Vector(Vector::Zero(latents));
  out.centre = parts.has(Part::kDecoderBias) ? Vector(row_of(parts, Part::kDecoderBias) * scale)
                                             : Vector(Vector::Zero(width));
  out.threshold = Vector::Zero(latents);
  if (parts.has(Part::kThreshold)) {
    out.threshold = row_of(parts, Part::kThreshold);
    if (recipe.log_threshold) out.threshold = out.threshold.array().exp().matrix();
    out.threshold *= scale;
  }
  if (parts.has(Part::kGain)) {
    out.gain = row_of(parts, Part::kGain).array().exp().matrix();
    out.magnitude = row_of(parts, Part::kMagnitudeBias) * scale;
  }
  return out;
}

}  // namespace

Matrix dictionary_codes(const MatrixRef& x, const Dictionary& dictionary) {
  numerics::require_filled("dictionary_codes", "x", x);
  const Index latents = dictionary.atoms.rows();
  if (x.cols() != dictionary.atoms.cols())
    throw std::invalid_argument("dictionary_codes: rows of width " + std::to_string(x.cols()) +
                                " for atoms " + numerics::shape_of(dictionary.atoms));
  Matrix gram;
  if (dictionary.reading == Reading::kPursuit)
    gram = dictionary.atoms * dictionary.atoms.transpose();
  Matrix codes = Matrix::Zero(x.rows(), latents);
  const Index block = numerics::rows_per_block<double>(latents);
  std::vector<std::int32_t> active;
  for (Index at = 0; at < x.rows(); at += block) {
    const Index count = std::min(block, x.rows() - at);
    const Matrix centred = x.middleRows(at, count).rowwise() - dictionary.centre.transpose();
    const Matrix pre = numerics::product_by_whole_blocks<double>(centred, dictionary.encoder);
    for (Index i = 0; i < count; ++i) {
      const Index row = at + i;
      Eigen::RowVectorXd z = pre.row(i);
      switch (dictionary.reading) {
        case Reading::kThreshold:
          z += dictionary.bias.transpose();
          for (Index j = 0; j < latents; ++j)
            if (z[j] > dictionary.threshold[j]) codes(row, j) = z[j];
          break;
        case Reading::kGated:
          for (Index j = 0; j < latents; ++j)
            if (z[j] + dictionary.bias[j] > 0.0)
              codes(row, j) = std::max(0.0, dictionary.gain[j] * z[j] + dictionary.magnitude[j]);
          break;
        case Reading::kTopK:
          z += dictionary.bias.transpose();
          largest_positive(z.data(), latents, dictionary.pursuit.rounds, active);
          for (const std::int32_t j : active) codes(row, j) = z[j];
          break;
        case Reading::kPursuit:
          pursue<double>(z, gram, dictionary.pursuit,
                         [&](Index j, double value) { codes(row, j) += value; });
          break;
      }
      codes.row(row).array() *= dictionary.scale.transpose().array();
    }
  }
  return codes;
}

Twin twin_named(std::string_view name) {
  static const std::pair<std::string_view, Twin> kTwins[] = {
      {"", Twin::kNone},
      {"untrained_dictionary", Twin::kUntrained},
      {"frozen_decoder", Twin::kFrozenDecoder},
      {"frozen_decoder_covariance", Twin::kFrozenDecoderCovariance},
      {"frozen_encoder", Twin::kFrozenEncoder},
      {"soft_frozen_decoder", Twin::kSoftFrozenDecoder},
      {"random_l0", Twin::kRandomL0},
  };
  for (const auto& [known, twin] : kTwins)
    if (known == name) return twin;
  throw std::invalid_argument("twin_named: no twin " + std::string(name));
}

std::string twin_refusal(Twin twin, const Recipe& recipe) {
  if (recipe.points > 0 && twin == Twin::kFrozenDecoderCovariance)
    return "atoms made of points have no other start";
  if (recipe.points > 0 && twin == Twin::kSoftFrozenDecoder)
    return "atoms made of points cannot be kept near their start";
  if (recipe.reading == Reading::kPursuit && twin == Twin::kFrozenEncoder)
    return "matching pursuit has no encoder to freeze";
  return "";
}

Index Schedule::steps(Index rows) const {
  const Index size = std::min(batch, rows), per_epoch = (rows + size - 1) / size;
  return static_cast<Index>(std::llround(epochs * static_cast<double>(per_epoch)));
}

double Schedule::rate_at(Index step, Index steps) const {
  const auto at = static_cast<double>(step), all = static_cast<double>(steps);
  const double rise = warm_up > 0 ? std::min(1.0, (at + 1.0) / static_cast<double>(warm_up)) : 1.0;
  const double fall = decay > 0.0 ? std::min(1.0, (all - at) / (decay * all)) : 1.0;
  return rate * std::min(rise, fall);
}

double Schedule::pressure_at(Index step, Index steps) const {
  const double rising = pressure_steps > 0 ? static_cast<double>(pressure_steps)
                                           : pressure_share * static_cast<double>(steps);
  return rising > 0.0 ? std::min(1.0, static_cast<double>(step) / rising) : 1.0;
}

Dictionary fit_dictionary(const RowSource& x, const Recipe& recipe, Twin twin, numerics::Seed seed,
                          const std::function<void(double)>& after) {
  const Index latents = recipe.latents;
  numerics::require_at_least("fit_dictionary", "latents", latents, 1);
  numerics::require_at_least("fit_dictionary", "rows of x", x.rows(), 1);
  numerics::require_at_least("fit_dictionary", "batch", recipe.schedule.batch, 1);
  numerics::require_weight("fit_dictionary", "epochs", recipe.schedule.epochs);
  numerics::require_weight("fit_dictionary", "learning_rate", recipe.schedule.rate);
  require_finite_rows("fit_dictionary", "x", x, 1);
  if (const std::string why = twin_refusal(twin, recipe); !why.empty())
    throw std::invalid_argument("fit_dictionary: " + why);
  const bool by_covariance = twin == Twin::kFrozenDecoderCovariance;
  const Moments moments = moments_of(x, by_covariance);
  const double scale = recipe.unit_power ? moments.power : moments.rms;
  if (!(moments.rms > 0.0)) throw std::domain_error("fit_dictionary: the rows of x do not differ");
  const RowSource rows = divided(x, scale);

  Parts<float> start;
  MatrixF points;
  Matrix atoms = first_atoms(latents, x.cols(), seed);
  if (by_covariance)
    atoms =
        covariance_atoms(normal_matrix(latents, x.cols(), seed.child("atoms")), moments.covariance);
  if (recipe.points > 0) {
    const MatrixF drawn = evenly_spaced_rows(rows).cast<float>();
    const Index count = std::min(recipe.points, drawn.rows());
    points =
        numerics::kmeans(drawn, count, seed.child("points"), {.n_init = 1}).centres.cast<float>();
    start[Part::kWeights].setZero(latents, count);
    for (Index j = 0; j < latents; ++j) {
      start[Part::kWeights](j, j % count) = 1.0F;
      atoms.row(j) = points.row(j % count).cast<double>();
    }
    // Points lie far from 0: atoms as long as they would take a row's code, which is a product with one of norm
    // 1, to many times the row.
    start[Part::kLogScale].setConstant(
        1, 1, static_cast<float>(-std::log(atoms.rowwise().norm().mean())));
    atoms.rowwise().normalize();
    start[Part::kRelaxation].setZero(latents, x.cols());
  } else {
    start[Part::kAtoms] = atoms.cast<float>();
  }
  if (recipe.reading != Reading::kPursuit) {
    start[Part::kEncoder] = (atoms * recipe.encoder_norm).cast<float>();
    start[Part::kEncoderBias].setZero(1, latents);
  }
  if (recipe.has_centre)
    start[Part::kDecoderBias] = (moments.mean.transpose() / scale).cast<float>();
  recipe.complete(start);

  const bool trains = twin != Twin::kUntrained && recipe.schedule.steps(x.rows()) > 0;
  Parts<float> parts = start;
  if (trains)
    parts = train(rows, recipe, twin, std::move(start), recipe.objective(points), seed, after);
  Matrix learnt = parts[Part::kAtoms].cast<double>();
  if (recipe.points > 0) {
    learnt = parts[Part::kRelaxation].cast<double>();
    learnt += parts[Part::kWeights].cast<double>() * points.cast<double>();
    learnt *= std::exp(static_cast<double>(parts[Part::kLogScale](0, 0)));
  }
  Dictionary out = in_units(parts, learnt, recipe, scale);
  if (recipe.batch_k > 0.0)
    out.threshold.setConstant(
        scale * mean_batch_minimum(rows, parts, recipe.batch_k, recipe.schedule.batch));
  if (twin != Twin::kRandomL0) return out;

  const Matrix shown = evenly_spaced_rows(x);
  const Matrix codes = dictionary_codes(shown, out);
  const double active =
      static_cast<double>((codes.array() != 0.0).count()) / static_cast<double>(shown.rows());
  Dictionary random;
  random.reading = Reading::kThreshold;
  random.atoms = random.encoder = first_atoms(latents, x.cols(), seed);
  random.bias = Vector::Zero(latents);
  random.scale = Vector::Ones(latents);
  random.centre = recipe.has_centre ? moments.mean : Vector(Vector::Zero(x.cols()));
  const Matrix pre = numerics::product_by_whole_blocks<double>(
      Matrix(shown.rowwise() - random.centre.transpose()), random.encoder);
  // Where half of the latents or more are active, so are those that are not above 0.
  random.threshold = Vector::Constant(latents, active < static_cast<double>(latents)
                                                   ? std::max(0.0, counted_threshold(pre, active))
                                                   : 0.0);
  return random;
}

template <typename T>
double mean_batch_minimum(const RowSource& x, const Parts<T>& parts, double k, Index batch) {
  numerics::require_at_least("mean_batch_minimum", "batch", batch, 1);
  TopKOptions options;
  options.k = k;
  TopKObjective<T> objective(parts[Part::kAtoms].rows(), options);
  Parts<T> gradient;
  double sum = 0.0, counted = 0.0;
  Matrix rows;
  for (Index at = 0; at < x.rows(); at += batch) {
    x.read(at, std::min(batch, x.rows() - at), rows);
    objective.differentiate(RowMajor<T>(rows.cast<T>()), parts, {}, gradient);
    if (objective.least_code() <= 0.0) continue;
    sum += objective.least_code();
    counted += 1.0;
  }
  return counted > 0.0 ? sum / counted : 0.0;
}

Matrix covariance_atoms(const Matrix& normal, const Matrix& covariance) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(covariance);
  const Eigen::VectorXd roots = solved.eigenvalues().cwiseMax(0.0).cwiseSqrt();
  Matrix out =
      normal * solved.eigenvectors() * roots.asDiagonal() * solved.eigenvectors().transpose();
  out.rowwise().normalize();
  return out;
}

template double mean_batch_minimum(const RowSource&, const Parts<float>&, double, Index);
template double mean_batch_minimum(const RowSource&, const Parts<double>&, double, Index);

}  // namespace conoscope::methods
