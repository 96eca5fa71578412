// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "numerics/random.h"
#include "plugins/explainers/sparse_autoencoders/pursuit.h"
#include "plugins/explainers/sparse_autoencoders/trainer.h"

namespace conoscope::methods {

/// How a row is read once training has ended.
enum class Reading {
  kThreshold,  ///< f = z where z > theta, a number for each latent
  kGated,      ///< f = [h + b_g > 0] ReLU(gain h + b_m)
  kTopK,       ///< the k largest ReLU(z) of the row
  kPursuit,    ///< matching pursuit by the atoms
};

/// A trained autoencoder in the units of its rows: x^ = f w + b.
struct Dictionary {
  Reading reading = Reading::kThreshold;
  Matrix encoder;          ///< K x D; z = E (x - b) + bias
  Vector bias;             ///< K; the gate's, of a gated one
  Vector threshold;        ///< K
  Vector gain;             ///< K; e^r, of a gated one
  Vector magnitude;        ///< K; b_m, of a gated one
  Vector scale;            ///< K: what codes are multiplied by, the norms that the atoms had
  Matrix atoms;            ///< K x D, of norm 1
  Vector centre;           ///< D: b
  PursuitOptions pursuit;  ///< rounds: k of kTopK, too
};

/// Codes of rows, n x K, each row the same bits wherever it stands.
///
/// throws      std::invalid_argument: x is empty, not finite, or has another width
Matrix dictionary_codes(const MatrixRef& x, const Dictionary& dictionary);

/// A dictionary that has not learnt what it seems to have learnt: same start, rows and steps.
///
///   kUntrained                the start; thresholds are calibrated
///   kFrozenDecoder            the atoms keep their start
///   kFrozenDecoderCovariance  that start is drawn from N(0, Cov x), see covariance_atoms()
///   kFrozenEncoder            the encoder's matrix keeps its start
///   kSoftFrozenDecoder        cosines of the atoms with their start stay at 0.8 or more
///   kRandomL0                 the start, read by one threshold under which as many latents are
///                             active as of the trained one
///
/// Source: arXiv:2602.14111 (frozen ones); arXiv:2605.18229 (random_l0, counted: ours).
enum class Twin {
  kNone,
  kUntrained,
  kFrozenDecoder,
  kFrozenDecoderCovariance,
  kFrozenEncoder,
  kSoftFrozenDecoder,
  kRandomL0,
};
/// By the name of its control; empty: kNone.
/// throws      std::invalid_argument: there is none of that name
Twin twin_named(std::string_view name);

/// How long and how fast one learns.
struct Schedule {
  double epochs = 25;  ///< passes over the rows; 2.5: two and a half
  Index batch = 512;
  double rate = 3e-3;
  Index warm_up = 50;           ///< steps in which the rate rises to it
  double decay = 0.2;           ///< share of the steps, the last ones, in which it falls to 0
  double pressure_share = 0.0;  ///< of the steps, in which the weight of sparsity rises from 0
  Index pressure_steps = 0;     ///< as many steps instead

  Index steps(Index rows) const;
  double rate_at(Index step, Index steps) const;
  double pressure_at(Index step, Index steps) const;
};

/// One kind of autoencoder, to be fitted.
struct Recipe {
  Index latents = 0;
  Reading reading = Reading::kThreshold;
  /// Of points of the rows in the units of training, where it asks for them.
  std::function<std::unique_ptr<Objective<float>>(const MatrixF& points)> objective;
  /// Adds what the kind has beside encoder, atoms and biases, in the units of training.
  std::function<void(Parts<float>& start)> complete = [](Parts<float>&) {};
  Index points = 0;           ///< archetypes: centroids of the rows, which W starts at in turn
  bool has_centre = true;     ///< b_dec
  bool log_threshold = true;  ///< the part kThreshold is log theta
  double batch_k = 0.0;       ///< above 0: one threshold, calibrated by BatchTopK's codes
  bool unit_power =
      false;  ///< rows are divided by sqrt(mean |x|^2), not by the rms of centred entries
  double encoder_norm = 1.0;  ///< of the encoder's rows at the start
  PursuitOptions pursuit;
  TrainerOptions trainer;
  Schedule schedule;
};

/// Why this kind cannot have the twin; empty: it can.
std::string twin_refusal(Twin twin, const Recipe& recipe);

/// Fits it in float32, on rows divided by s, the rms of their centred entries; all that is returned
/// is scaled back. Atoms start as random unit vectors, the encoder as the atoms, biases at 0, b_dec
/// at the mean row. Rows are read when their turn comes, in a fresh random order each pass; the
/// last batch of a pass may be smaller. after(share of the steps) is called after each pass, and
/// may throw to stop. One thread; same bits always.
///
/// throws      std::invalid_argument: x empty or not finite; latents, batch below 1; epochs or rate
///             negative or not finite; a twin that this kind cannot have
///             std::domain_error: the rows do not vary; the loss is no longer finite; an atom is 0
Dictionary fit_dictionary(const RowSource& x, const Recipe& recipe, Twin twin, numerics::Seed seed,
                          const std::function<void(double)>& after = {});

/// BatchTopK's threshold, calibrated: one pass in row order, the mean over batches of the smallest
/// of the floor(k B) largest positive pre-codes. A batch without a positive one does not count; 0
/// if none does.
///
/// throws      std::invalid_argument: as TopKObjective; batch < 1
///
/// Source: Bussmann et al., arXiv:2412.06410, who take batches of training; after it: ours.
template <typename T>
double mean_batch_minimum(const RowSource& x, const Parts<T>& parts, double k, Index batch);

/// Rows of N(0, Cov x), at norm 1: g Cov^(1/2), the symmetric root.
///
/// normal      g, K x D: standard normal entries
/// covariance  D x D
///
/// Source: arXiv:2602.14111; which root: ours.
Matrix covariance_atoms(const Matrix& normal, const Matrix& covariance);

}  // namespace conoscope::methods
