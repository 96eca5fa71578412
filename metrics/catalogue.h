#pragma once

#include <limits>
#include <string_view>
#include <vector>

#include "metrics/types.h"
#include "metrics/views.h"

namespace conoscope::metrics {

/// Which end of a metric's range is the better one; kNone: it describes, it does not rank.
enum class Direction { kNone, kLower, kHigher };

inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// What there is to know about one metric without running it.
struct MetricInfo {
  std::string_view name;      ///< as in Score::name
  std::string_view group;     ///< the function that computes it, together with others
  std::string_view question;  ///< one line, answered by the number
  Direction direction = Direction::kNone;
  double low = 0.0, high = kUnbounded;  ///< closed range; kUnbounded and its negative: no bound
  std::string_view unit;                ///< empty: none
  std::string_view citation;
  /// head_view, train_head_view, explanation, concept_view, train_concept_view, latent_view,
  /// labels, targets, concepts, factors, inputs, forward
  std::vector<std::string_view> needs;
};

/// One pass that yields several metrics; what it cannot compute comes back with a reason.
struct MetricGroup {
  std::string_view name;
  std::vector<Score> (*score)(const Subject& subject);
};

/// Every metric there is, group after group.
class Catalogue {
 public:
  void add(MetricGroup group, std::vector<MetricInfo> metrics);

  const std::vector<MetricInfo>& metrics() const { return metrics_; }
  const std::vector<MetricGroup>& groups() const { return groups_; }

  /// Null if there is none of that name.
  const MetricInfo* metric(std::string_view name) const;
  const MetricGroup* group(std::string_view name) const;

  /// The metrics that a name stands for: all of a group, or the one of that name; empty if neither.
  std::vector<const MetricInfo*> select(std::string_view metric_or_group) const;

 private:
  std::vector<MetricInfo> metrics_;
  std::vector<MetricGroup> groups_;
};

/// The catalogue of this build. Safe to call from any thread.
const Catalogue& catalogue();

/// `lower`, `higher` or `none`, as stored and printed.
std::string_view to_string(Direction direction);

}  // namespace conoscope::metrics
