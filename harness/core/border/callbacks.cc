#include "harness/core/border/callbacks.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "harness/core/artifacts/views.h"
#include "harness/core/border/output_check.h"
#include "numerics/whole_blocks.h"

namespace conoscope::core {

namespace {

/// throws  std::invalid_argument: the explanation has no such output
const metrics::Explanation& with_output(const metrics::Explanation& e, std::int64_t output) {
  if (output < 0 || output >= e.outputs())
    throw std::invalid_argument("output " + std::to_string(output) + " of " +
                                std::to_string(e.outputs()));
  return e;
}

void check_columns(const char* call, const metrics::Matrix& in, metrics::Index columns) {
  if (in.cols() != columns)
    throw std::invalid_argument(std::string(call) + ": " + std::to_string(in.cols()) +
                                " columns, expected " + std::to_string(columns));
}

}  // namespace

template <typename Body>
cono_status Callback::guard(const char* who, Body&& body) noexcept {
  try {
    body();
    return CONO_OK;
  } catch (const CallFault& e) {
    fault_ = std::string(who) + e.what();
    return e.status();
  } catch (const OutputFault& e) {
    fault_ = std::string(who) + e.what();
    return outcome_of_call().status;
  } catch (...) {
    const sdk::Outcome outcome = outcome_of_call();
    fault_ = outcome.text;
    return outcome.status;
  }
}

ForwardCallback::ForwardCallback(Forward forward) : forward_(std::move(forward)) {
  raw_.struct_size = sizeof(raw_);
  raw_.self = this;
  raw_.forward = [](void* self, const cono_tensor* inputs, cono_tensor* activations) {
    auto& mine = *static_cast<ForwardCallback*>(self);
    return mine.guard("the model says: ", [&] { mine.forward_(*inputs, *activations); });
  };
}

template <typename Map>
cono_status SubjectCallbacks::run(const cono_tensor* in, cono_tensor* out, Map&& map) noexcept {
  return guard("", [&] {
    const metrics::Matrix result = map(to_matrix(sdk::Tensor(*in), 1));
    const auto target = sdk::Tensor(*out).values<double>();
    if (static_cast<std::size_t>(result.size()) != target.size())
      throw std::invalid_argument("room for " + std::to_string(target.size()) +
                                  " numbers, expected " + std::to_string(result.size()));
    std::copy_n(result.data(), target.size(), target.begin());
  });
}

SubjectCallbacks::SubjectCallbacks(const metrics::Views& subject) : subject_(subject) {
  raw_.struct_size = sizeof(raw_);
  raw_.self = this;
  if (subject.explanation != nullptr)
    raw_.project = [](void* self, std::int64_t output, const cono_tensor* rows,
                      cono_tensor* scores) {
      auto& mine = *static_cast<SubjectCallbacks*>(self);
      return mine.run(rows, scores, [&](const metrics::Matrix& in) -> metrics::Matrix {
        const auto& e = with_output(*mine.subject_.explanation, output);
        check_columns("project", in, e.cavs.cols());
        if (e.project) return e.project(output, in);
        return numerics::product_by_whole_blocks<double>(
            in, e.cavs.middleRows(e.first_row(output), e.concepts(output)));
      });
    };
  if (subject.explanation != nullptr && subject.explanation->reconstruct)
    raw_.reconstruct = [](void* self, std::int64_t output, const cono_tensor* scores,
                          cono_tensor* rows) {
      auto& mine = *static_cast<SubjectCallbacks*>(self);
      return mine.run(scores, rows, [&](const metrics::Matrix& in) {
        const auto& e = with_output(*mine.subject_.explanation, output);
        check_columns("reconstruct", in, e.concepts(output));
        return e.reconstruct(output, in);
      });
    };
  if (subject.concepts != nullptr && subject.concepts->intervene)
    raw_.intervene = [](void* self, const cono_tensor* concepts, cono_tensor* outputs) {
      auto& mine = *static_cast<SubjectCallbacks*>(self);
      return mine.run(concepts, outputs, [&](const metrics::Matrix& in) {
        const auto& view = *mine.subject_.concepts;
        check_columns("intervene", in, view.scores.cols());
        return view.intervene(in);
      });
    };
}

}  // namespace conoscope::core
