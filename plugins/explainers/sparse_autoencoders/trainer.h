// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "numerics/adam.h"
#include "plugins/explainers/sparse_autoencoders/objective.h"

namespace conoscope::methods {

struct TrainerOptions {
  double beta1 = 0.9, beta2 = 0.999;
  double clip = 1.0;           ///< largest norm of all gradients together; 0: none
  bool unit_atoms = true;      ///< w have norm 1, and their gradient has no part along them
  std::vector<Part> frozen;    ///< keep their start; their gradient does not count in the clip
  double least_cosine = -1.0;  ///< of each atom with its start: see keep_in_cones()
  int dead_after = 100;        ///< steps without firing
};

/// Steps of Adam on one kind of sparse autoencoder, in this order: constraints, gradient, minus its
/// part along each atom, clip, Adam, atoms at norm 1, cones.
template <typename T>
class DictionaryTrainer {
 public:
  /// throws    std::invalid_argument: start without atoms (or weights of points), an entry that is
  ///           not finite, clip negative
  DictionaryTrainer(std::unique_ptr<Objective<T>> objective, Parts<T> start,
                    const TrainerOptions& options);

  /// One step; returns the losses before it. x: b x D, any b >= 1.
  SparseLosses step(const RowMajorRef<T>& x, double rate, const StepState& state = {});
  /// Which latents have not fired for so many steps, if any.
  std::vector<char> dead() const;

  const Parts<T>& parts() const { return parts_; }
  Objective<T>& objective() { return *objective_; }
  /// Adam's moments of a part, after so many steps.
  void resume(Part part, const RowMajor<T>& mean, const RowMajor<T>& square, long steps);

 private:
  bool learns(std::size_t part) const;

  std::unique_ptr<Objective<T>> objective_;
  Parts<T> parts_, gradient_;
  TrainerOptions options_;
  std::vector<numerics::Adam<T>> adam_;  ///< one per part
  RowMajor<T> first_atoms_;
  std::vector<int> silent_;  ///< K: steps since it fired
};

/// Each row of norm 1 moves to the nearest unit vector whose cosine with its start is at least
/// `cosine`:
///
///   w  <-  c w0 + sqrt(1 - c^2) u,   u = unit of w - <w, w0> w0,   where <w, w0> < c
///
/// A row opposite to its start has no nearest one, and goes back to the start.
///
/// atoms, start  K x D, rows of norm 1
/// returns       how many moved
///
/// Source: the bound is that of arXiv:2602.14111, which prints no projection; this one is ours.
template <typename T>
Index keep_in_cones(RowMajor<T>& atoms, const RowMajor<T>& start, double cosine);

}  // namespace conoscope::methods
