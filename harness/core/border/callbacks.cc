#include "harness/core/border/callbacks.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "harness/core/artifacts/views.h"
#include "harness/core/border/output_check.h"

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

/// throws  std::invalid_argument: the caller has no room for them
void put(const metrics::Matrix& values, cono_tensor& out) {
  const auto target = sdk::Tensor(out).values<double>();
  if (static_cast<std::size_t>(values.size()) != target.size())
    throw std::invalid_argument("room for " + std::to_string(target.size()) +
                                " numbers, expected " + std::to_string(values.size()));
  std::copy_n(values.data(), target.size(), target.begin());
}

constexpr const char* kModelSays = "the model says: ";

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

ModelCallback::ModelCallback(std::optional<Forward> forward, metrics::HeadCalls head,
                             HeadShape shape)
    : forward_(std::move(forward)), head_(std::move(head)), shape_(shape) {
  raw_.struct_size = sizeof(raw_);
  raw_.self = this;
  if (forward_)
    raw_.forward = [](void* self, const cono_tensor* inputs, cono_tensor* activations) {
      auto& mine = *static_cast<ModelCallback*>(self);
      return mine.guard(kModelSays, [&] { (*mine.forward_)(*inputs, *activations); });
    };
  if (head_.outputs)
    raw_.head = [](void* self, const cono_tensor* activations, cono_tensor* outputs) {
      auto& mine = *static_cast<ModelCallback*>(self);
      return mine.guard(
          kModelSays, [&] { put(mine.head_.outputs(mine.positions_of(*activations)), *outputs); });
    };
  if (head_.vjp)
    raw_.vjp = [](void* self, const cono_tensor* activations, const cono_tensor* cotangents,
                  cono_tensor* gradients) {
      auto& mine = *static_cast<ModelCallback*>(self);
      return mine.guard(kModelSays, [&] {
        const metrics::Matrix along = to_matrix(sdk::Tensor(*cotangents), 1);
        const metrics::Matrix rows = mine.positions_of(*activations);
        if (along.rows() * mine.shape_.positions != rows.rows() ||
            along.cols() != mine.shape_.outputs)
          throw std::invalid_argument("vjp: cotangents are " +
                                      sdk::Tensor(*cotangents).shape_text() + ", expected " +
                                      std::to_string(rows.rows() / mine.shape_.positions) + " x " +
                                      std::to_string(mine.shape_.outputs));
        put(mine.head_.vjp(rows, along), *gradients);
      });
    };
}

metrics::Matrix ModelCallback::positions_of(const cono_tensor& activations) const {
  const sdk::Tensor given(activations);
  if (given.dimensions() != 3 || given.shape(1) != shape_.positions ||
      given.shape(2) != shape_.width)
    throw std::invalid_argument("head: activations are " + given.shape_text() + ", expected m x " +
                                std::to_string(shape_.positions) + " x " +
                                std::to_string(shape_.width));
  return to_matrix(given, 2);
}

template <typename Map>
cono_status SubjectCallbacks::run(const cono_tensor* in, cono_tensor* out, Map&& map) noexcept {
  return guard("", [&] { put(map(to_matrix(sdk::Tensor(*in), 1)), *out); });
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
        return e.linear_scores(output, in);
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
