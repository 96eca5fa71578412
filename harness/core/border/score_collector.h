// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

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

  /// No value: a reason instead, see score_refusal().
  void take(const std::string& name, std::optional<double> value, const std::string& reason,
            const std::string& message, std::vector<double> parts);

  /// Gives every declared score that was not given this reason instead of a number.
  void give_rest(const std::string& reason, const std::string& message);

  std::vector<metrics::Score> scores;
  std::string fault;  ///< why a score was refused; empty: none was

 private:
  const Metadata& metadata_;
};

}  // namespace conoscope::core
