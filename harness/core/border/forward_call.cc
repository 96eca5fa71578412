#include "harness/core/border/forward_call.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

#include "harness/core/border/loader.h"
#include "harness/core/border/output_check.h"

namespace conoscope::core {

ForwardShape ForwardShape::of(const ArrayBag& dataset, const ArrayBag& model) {
  const sdk::Tensor inputs = dataset.get("inputs"), activations = model.get("activations");
  ForwardShape out;
  for (int axis = 1; axis < inputs.dimensions(); ++axis) out.input.push_back(inputs.shape(axis));
  out.positions = activations.dimensions() == 3 ? activations.shape(1) : 1;
  out.width = activations.shape(activations.dimensions() - 1);
  return out;
}

void run_forward(const ForwardFunction& forward, const ForwardShape& shape,
                 const cono_tensor& inputs, cono_tensor& activations) {
  const sdk::Tensor in(inputs, "forward: inputs"), out(activations, "forward: activations");
  bool same = in.dimensions() == static_cast<int>(shape.input.size()) + 1;
  std::string expected = "m";
  for (std::size_t axis = 0; axis < shape.input.size(); ++axis) {
    same = same && in.shape(static_cast<int>(axis) + 1) == shape.input[axis];
    expected += " x " + std::to_string(shape.input[axis]);
  }
  if (!same)
    throw std::invalid_argument(in.name() + " are " + in.shape_text() + ", expected " + expected);
  if (out.dimensions() != 3 || out.rows() != in.rows() || out.shape(1) != shape.positions ||
      out.shape(2) != shape.width)
    throw std::invalid_argument(
        out.name() + " are " + out.shape_text() + ", expected " + std::to_string(in.rows()) +
        " x " + std::to_string(shape.positions) + " x " + std::to_string(shape.width));
  const auto values = out.values<double>();
  std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
  if (in.rows() == 0) return;
  forward(inputs, activations);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      throw OutputFault("the model's forward call left NaN or infinity at number " +
                        std::to_string(i) + " of " + out.shape_text());
}

ForwardCall::ForwardCall(ForwardFunction forward, ForwardShape shape)
    : forward_(std::move(forward)), shape_(std::move(shape)) {
  raw_.struct_size = sizeof(raw_);
  raw_.self = this;
  raw_.forward = [](void* self, const cono_tensor* inputs, cono_tensor* activations) {
    return static_cast<ForwardCall*>(self)->run(inputs, activations);
  };
}

cono_status ForwardCall::run(const cono_tensor* inputs, cono_tensor* activations) noexcept {
  try {
    run_forward(forward_, shape_, *inputs, *activations);
    return CONO_OK;
  } catch (const CallFault& e) {
    fault_ = std::string("the model says: ") + e.what();
    return e.status();
  } catch (const std::invalid_argument& e) {
    fault_ = e.what();
    return CONO_INVALID_ARGUMENT;
  } catch (const std::bad_alloc&) {
    fault_ = "out of memory";
    return CONO_OUT_OF_MEMORY;
  } catch (const std::exception& e) {
    fault_ = e.what();
    return CONO_INTERNAL;
  } catch (...) {
    fault_ = "threw something that is not a std::exception";
    return CONO_INTERNAL;
  }
}

}  // namespace conoscope::core
