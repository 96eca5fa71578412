#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conoscope/sdk/abi.h"
#include "conoscope/sdk/tensor.h"
#include "harness/core/artifacts/artifact.h"

namespace conoscope::core {

/// A model as a function of new inputs: m x ... -> m x P x D, filled in place.
/// throws  CallFault, OutputFault
using ForwardFunction = std::function<void(const cono_tensor& inputs, cono_tensor& activations)>;

/// What goes into a model and what comes out, apart from the number of samples.
struct ForwardShape {
  std::vector<std::int64_t> input;  ///< of one sample: height, width, channels
  std::int64_t positions = 1, width = 0;

  /// Of a model fitted on this dataset.
  /// throws  std::runtime_error: the dataset has no inputs or the model no activations
  static ForwardShape of(const ArrayBag& dataset, const ArrayBag& model);
};

/// Runs `forward` and looks at what it left.
/// throws  std::invalid_argument: shapes or dtypes that do not fit
///         OutputFault: a number that is not finite, or was not written
void run_forward(const ForwardFunction& forward, const ForwardShape& shape,
                 const cono_tensor& inputs, cono_tensor& activations);

/// Hands a model to an explainer as a C call.
class ForwardCall {
 public:
  ForwardCall(ForwardFunction forward, ForwardShape shape);
  ForwardCall(const ForwardCall&) = delete;
  ForwardCall& operator=(const ForwardCall&) = delete;

  const cono_forward_call* raw() const { return &raw_; }
  /// Why the last call failed; empty: none did.
  const std::string& fault() const { return fault_; }

 private:
  cono_status run(const cono_tensor* inputs, cono_tensor* activations) noexcept;

  ForwardFunction forward_;
  ForwardShape shape_;
  cono_forward_call raw_{};
  std::string fault_;
};

}  // namespace conoscope::core
