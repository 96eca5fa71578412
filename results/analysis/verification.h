// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "results/store/store.h"

namespace conoscope::results {

// Does a store hold what comes out when its cells are run again? What is run again, where it was made
// and how the two outcomes compare; the running itself is the host's.

/// A good attempt whose outcome counts: newest of its cell, or with a score that no newer one has.
struct Outcome {
  std::string attempt, cell, run;
  std::string subject;      ///< of the cell, for people: digits x cnn x svd #0
  std::string status;       ///< ok or not_applicable
  std::string environment;  ///< the text, a "name: value" line each
  std::string binaries;     ///< "id version hash; ...": by which plugin files
  /// Keys of the cells that its scores compare it with; empty: scored by itself.
  std::vector<std::string> peers = {};
  std::string row = {};  ///< of a board: the keys of dataset, model and explainer
};

/// In the order of cells and attempts.
///
/// run    key of a run: only of the cells that it asks for; empty: of every cell
/// known  attempts to leave out
std::vector<Outcome> outcomes_that_count(Store& store, const std::string& run,
                                         const std::set<std::string>& known = {});

/// n of them at random, all where there are fewer. Which ones follows from the seed and from what
/// they are, not from their order.
std::vector<Outcome> sample_of(std::vector<Outcome> outcomes, std::size_t n, std::uint64_t seed);

/// The same of each row, which is scored at several seeds and beside its controls.
std::vector<Outcome> sample_of_rows(std::vector<Outcome> outcomes, std::size_t n,
                                    std::uint64_t seed);

/// Something that decides digits, and is not the same in two places.
struct EnvironmentDifference {
  std::string what;  ///< cpu, openblas, compiler, ...; "plugin svd": its version and file
  std::string stored, again;

  bool operator==(const EnvironmentDifference&) const = default;
};

/// Where two outcomes of a cell were made by something that may give other digits: processor, C
/// library, kernels of OpenBLAS, this program and its compiler, plugin files, packages of plugins in
/// Python. Kernel and confinement do not count. Empty: every bit has to be the same.
std::vector<EnvironmentDifference> environment_differences(const Outcome& stored,
                                                           const Outcome& again);

/// How far two numbers may be apart that were not made in the same environment:
///
///   |a - b| <= 1e-6 max(1, |a|, |b|)
///
/// Another order of sums changes a double by some 1e-16 of its size, and the least-squares problems
/// and whitenings between data and score may enlarge that by their condition number, which up to 1e8
/// loses half of the digits. Where it grows beyond, as in the training of a network, the digits
/// that are left say nothing, and the difference is one. A count, of FLOP, parameters, classes or rows,
/// is the same everywhere.
inline constexpr double kElsewhere = 1e-6;

/// A score that is not the same again. Of its parts only the worst is named.
struct ScoreDifference {
  std::string metric;
  std::optional<std::int64_t> part;  ///< of the score, where it is a part that differs
  std::string stored, again;         ///< all digits, or the reason why there is no number
  std::optional<double> by;          ///< of two numbers, the absolute difference
  bool within = false;               ///< kElsewhere
};

struct ScoreComparison {
  std::size_t scores = 0;  ///< that were compared, without their parts
  std::vector<ScoreDifference> differences;
};

/// Every score of a stored attempt, and every part that it has kept, with that of an attempt at the
/// same cell in another store. What the other one has more does not count, nor do messages.
ScoreComparison compare_scores(Store& stored, const std::string& attempt, Store& again,
                               const std::string& other_attempt);

/// What an attempt scored of which the stored cell says nothing, although the run of its attempt asks
/// for it: neither a number, nor a reason, nor that it failed. A run leaves no such gap.
std::vector<ScoreDifference> scores_left_out(Store& stored, const Outcome& outcome, Store& again,
                                             const std::string& other_attempt);

/// Does a cell come out as it is stored? kWithin: every number is within kElsewhere.
enum class Repetition { kSame, kWithin, kDiffers };

struct RepeatedOutcome {
  Repetition repetition = Repetition::kSame;
  std::vector<EnvironmentDifference> elsewhere;
  std::vector<ScoreDifference> differences;  ///< kDiffers: all that count; kWithin: the furthest
};

/// Where nothing that decides digits differs every bit counts, elsewhere what is not within
/// kElsewhere; another status counts everywhere.
RepeatedOutcome compare_outcomes(const Outcome& stored, const Outcome& again,
                                 const ScoreComparison& scores);

}  // namespace conoscope::results
