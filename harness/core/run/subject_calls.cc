#include "harness/core/run/subject_calls.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "conoscope/sdk/tensor.h"

namespace conoscope::core {

namespace {

/// The rows of cavs that are the output's: [first, last).
std::pair<metrics::Index, metrics::Index> concepts_of(const metrics::Explanation& e,
                                                      std::int64_t output) {
  const metrics::Index outputs = e.class_agnostic
                                     ? e.importance_by_output.rows()
                                     : static_cast<metrics::Index>(e.offset.size()) - 1;
  if (output < 0 || output >= outputs)
    throw std::invalid_argument("output " + std::to_string(output) + " of " +
                                std::to_string(outputs));
  if (e.class_agnostic) return {0, e.cavs.rows()};
  return {e.offset[static_cast<std::size_t>(output)],
          e.offset[static_cast<std::size_t>(output) + 1]};
}

void check_columns(const char* call, const metrics::Matrix& in, metrics::Index columns) {
  if (in.cols() != columns)
    throw std::invalid_argument(std::string(call) + ": " + std::to_string(in.cols()) +
                                " columns, expected " + std::to_string(columns));
}

}  // namespace

template <typename Map>
cono_status SubjectCalls::run(const cono_tensor* in, cono_tensor* out, Map&& map) noexcept {
  try {
    const sdk::Tensor from(*in), to(*out);
    metrics::Matrix matrix(from.rows(), from.size() / std::max<std::int64_t>(from.rows(), 1));
    from.for_each([&](std::int64_t i, double value) { matrix.data()[i] = value; });
    const metrics::Matrix result = map(matrix);
    const auto target = to.values<double>();
    if (static_cast<std::size_t>(result.size()) != target.size())
      throw std::invalid_argument("room for " + std::to_string(target.size()) +
                                  " numbers, expected " + std::to_string(result.size()));
    std::copy_n(result.data(), target.size(), target.begin());
    return CONO_OK;
  } catch (const std::invalid_argument& e) {
    fault = e.what();
    return CONO_INVALID_ARGUMENT;
  } catch (const std::exception& e) {
    fault = e.what();
    return CONO_INTERNAL;
  } catch (...) {
    fault = "threw something that is not a std::exception";
    return CONO_INTERNAL;
  }
}

SubjectCalls::SubjectCalls(const metrics::Views& subject) : subject_(subject) {
  raw_.struct_size = sizeof(raw_);
  raw_.self = this;
  if (subject.explanation != nullptr)
    raw_.project = [](void* self, std::int64_t output, const cono_tensor* rows,
                      cono_tensor* scores) {
      auto& calls = *static_cast<SubjectCalls*>(self);
      const auto& e = *calls.subject_.explanation;
      return calls.run(rows, scores, [&](const metrics::Matrix& in) -> metrics::Matrix {
        const auto [first, last] = concepts_of(e, output);
        check_columns("project", in, e.cavs.cols());
        if (e.project) return e.project(output, in);
        return in * e.cavs.middleRows(first, last - first).transpose();
      });
    };
  if (subject.explanation != nullptr && subject.explanation->reconstruct)
    raw_.reconstruct = [](void* self, std::int64_t output, const cono_tensor* scores,
                          cono_tensor* rows) {
      auto& calls = *static_cast<SubjectCalls*>(self);
      const auto& e = *calls.subject_.explanation;
      return calls.run(scores, rows, [&](const metrics::Matrix& in) {
        const auto [first, last] = concepts_of(e, output);
        check_columns("reconstruct", in, last - first);
        return e.reconstruct(output, in);
      });
    };
  if (subject.concepts != nullptr && subject.concepts->intervene)
    raw_.intervene = [](void* self, const cono_tensor* concepts, cono_tensor* outputs) {
      auto& calls = *static_cast<SubjectCalls*>(self);
      const auto& view = *calls.subject_.concepts;
      return calls.run(concepts, outputs, [&](const metrics::Matrix& in) {
        check_columns("intervene", in, view.scores.cols());
        return view.intervene(in);
      });
    };
}

}  // namespace conoscope::core
