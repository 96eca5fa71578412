// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conoscope/sdk/abi.h"
#include "harness/core/border/metadata.h"

namespace conoscope::core {

/// The parameters as they cross the border. Keep it alive during the call.
class ParamTable {
 public:
  ParamTable(const Metadata& metadata, const std::vector<Value>& values);
  const cono_params* raw() const { return &raw_; }

 private:
  const std::vector<Value> values_;
  std::vector<std::string> names_;
  std::vector<std::vector<const char*>> lists_;  ///< of texts
  std::vector<cono_param> items_;
  cono_params raw_{};
};

}  // namespace conoscope::core
