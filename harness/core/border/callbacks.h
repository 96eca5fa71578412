#pragma once

#include <optional>
#include <string>

#include "conoscope/sdk/abi.h"
#include "harness/core/border/calls.h"
#include "metrics/views.h"

namespace conoscope::core {

// What a plugin may call while its own call is going on: the host's functions as tables of C calls.
// The plugin gets a status; the host keeps the reason.

class Callback {
 public:
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;

  /// Why the last call failed; empty: none did.
  const std::string& fault() const { return fault_; }

 protected:
  Callback() = default;
  ~Callback() = default;
  /// A body's exception as a status and a reason; a refusal of the plugin that was called in turn
  /// keeps its status, after `who` in the text.
  template <typename Body>
  cono_status guard(const char* who, Body&& body) noexcept;

 private:
  std::string fault_;
};

/// A model, for an explainer: as much of it as is given.
class ModelCallback : public Callback {
 public:
  /// shape  of what `head` reads and answers
  ModelCallback(std::optional<Forward> forward, metrics::HeadCalls head, HeadShape shape);
  const cono_model_call* raw() const { return &raw_; }

 private:
  /// m x P x D, as (m * P) x D. throws std::invalid_argument: of another shape
  metrics::Matrix positions_of(const cono_tensor& activations) const;

  std::optional<Forward> forward_;
  metrics::HeadCalls head_;
  HeadShape shape_;
  cono_model_call raw_{};
};

/// A subject's functions, for a metric.
class SubjectCallbacks : public Callback {
 public:
  explicit SubjectCallbacks(const metrics::Views& subject);
  const cono_calls* raw() const { return &raw_; }

 private:
  template <typename Map>
  cono_status run(const cono_tensor* in, cono_tensor* out, Map&& map) noexcept;

  metrics::Views subject_;
  cono_calls raw_{};
};

}  // namespace conoscope::core
