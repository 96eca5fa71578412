#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conoscope/sdk/abi.h"
#include "harness/core/border/metadata.h"
#include "metrics/types.h"

namespace conoscope::core {

/// Why a score is not one that these metadata promise; empty: it is. No value: a reason instead.
std::string score_refusal(const Metadata& metadata, const std::string& name,
                          std::optional<double> value, const std::string& reason);

/// What a metric plugin gave, checked against what it declared.
class ScoreCollector {
 public:
  /// metadata  of the plugin; it must outlive this
  explicit ScoreCollector(const Metadata& metadata);
  ScoreCollector(const ScoreCollector&) = delete;
  ScoreCollector& operator=(const ScoreCollector&) = delete;

  /// The table that the plugin reports to.
  const cono_scores* raw() const { return &raw_; }

  /// Gives every declared score that was not given this reason instead of a number.
  void give_rest(const std::string& reason, const std::string& message);

  std::vector<metrics::Score> scores;
  std::string fault;  ///< why the last score was refused; empty: none was

 private:
  cono_status take(const char* name, double value, const char* reason, const char* message,
                   const double* parts, std::int64_t count);

  const Metadata& metadata_;
  cono_scores raw_{};
};

}  // namespace conoscope::core
