// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/setting.h"
#include "metrics/subject.h"
#include "metrics/types.h"

namespace conoscope::metrics {

struct Peers;

/// Which end of a metric's range is the better one; kNone: it describes, it does not rank.
enum class Direction { kNone, kLower, kHigher };

/// `lower`, `higher` or `none`, as stored and printed.
std::string_view to_string(Direction direction);

inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// What a computation gives: one number, what it is made of, and what the reader must know of it.
struct Result {
  double value = 0.0;
  std::vector<double> parts = {};  ///< per-sample, per-concept or per-pair values; may be empty
  std::string caveat = {};         ///< such as "3 concepts left out: their truth is constant"
};

/// Thrown by a computation: the subject is of a kind for which this number was not made (a head that
/// is no softmax, say). A std::domain_error instead means: of the right kind, but the number does
/// not exist for it.
class NotApplicable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// All there is to say about one metric, in one place: what it is called, what it answers, what it
/// needs and how it is computed. Nothing else lists its name.
struct Metric {
  std::string name;
  std::string_view group;  ///< a word that stands for several metrics in run files and on boards
  std::string question;    ///< one line, answered by the number; readable on its own
  Direction direction = Direction::kNone;
  double low = 0.0, high = kUnbounded;  ///< closed range; kUnbounded and its negative: no bound
  std::string_view unit = {};           ///< empty: none
  std::string_view source;
  /// Without one of these there is no number: the names of need_text().
  std::vector<std::string_view> needs = {};
  /// Taken where the subject has them; the number exists without.
  std::vector<std::string_view> uses = {};
  /// Computed only where it is named: it takes much longer than others, or room, or ranks nothing.
  bool on_request = false;
  /// What each part is of, in this order: annotated "concept"s or "factor"s, "code"s, "output"s, a
  /// "concept pair" ((0,1), (0,2), ..., (1,2), ...), or of a matrix by rows "code x factor". All count:
  /// one that is left out has NaN. Empty: samples, points of a curve, or something else.
  std::string_view parts = {};
  /// Called only with all that `needs` says. Throws NotApplicable, std::domain_error (undefined) or
  /// std::invalid_argument (the subject contradicts itself).
  std::function<Result(const Subject&)> compute = {};
  /// In place of compute: of a metric that compares a cell with others, see peer_metric.h.
  std::function<Result(const Peers&)> compare = {};
  /// What compute takes for granted and a run file may change; most metrics have none.
  std::vector<Setting> settings = {};
  /// compute with other settings: all of `settings`, in their order. With the declared ones where compute
  /// is empty.
  std::function<Result(const Subject&, const std::vector<Setting>&)> compute_with = {};

  bool asks_for(std::string_view view) const;
};

/// One score of one subject: the number, or why there is none. not_applicable: a need is not there
/// or the computation says so; undefined: its domain_error.
///
/// throws  std::logic_error: a number that is not finite, or outside the declared range by more than
///         rounding; std::invalid_argument: a label of no class; what compute throws otherwise
Score score(const Metric& metric, const Subject& subject);

/// A need in words: "a head view". throws std::logic_error: there is none of that name.
std::string_view need_text(std::string_view need);

}  // namespace conoscope::metrics
