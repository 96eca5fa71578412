#pragma once

#include <string>

#include "conoscope/sdk/abi.h"
#include "metrics/views.h"

namespace conoscope::core {

/// Hands a subject's functions to a metric plugin as C calls.
class SubjectCalls {
 public:
  explicit SubjectCalls(const metrics::Views& subject);
  SubjectCalls(const SubjectCalls&) = delete;
  SubjectCalls& operator=(const SubjectCalls&) = delete;

  const cono_calls* raw() const { return &raw_; }

  /// Why the last call failed; empty: none did.
  std::string fault;

 private:
  template <typename Map>
  cono_status run(const cono_tensor* in, cono_tensor* out, Map&& map) noexcept;

  metrics::Views subject_;
  cono_calls raw_{};
};

}  // namespace conoscope::core
