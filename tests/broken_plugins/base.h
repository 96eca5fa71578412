// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the broken explainers share: one valid CAV per output, so that each has one fault only.

#include "conoscope/sdk/explainer.h"

namespace conoscope::broken {

/// The first CAV is (1, 0, ...), importances are 1.
inline sdk::Explanation explain(const sdk::HeadView& head, sdk::ExplanationOut& out) {
  const std::vector<std::int64_t> one_each(static_cast<std::size_t>(head.outputs()), 1);
  const sdk::Explanation made = out.class_specific(one_each, head.width());
  for (std::size_t c = 0; c < made.importance.size(); ++c) {
    made.cavs[c * static_cast<std::size_t>(head.width())] = 1.0;
    made.importance[c] = 1.0;
  }
  return made;
}

}  // namespace conoscope::broken

/// An explainer without parameters whose fit() is `body`.
#define BROKEN_EXPLAINER(id, body)                                    \
  namespace {                                                         \
  namespace sdk = conoscope::sdk;                                     \
  class Broken final : public sdk::Explainer {                        \
   public:                                                            \
    explicit Broken(const sdk::Params&) {}                            \
    void fit([[maybe_unused]] const sdk::HeadView& head,              \
             [[maybe_unused]] const sdk::Context& context,            \
             [[maybe_unused]] sdk::ExplanationOut& out) override body \
  };                                                                  \
  }                                                                   \
  CONOSCOPE_EXPLAINER(Broken, id, "1.0.0", BROKEN_METADATA)

#define BROKEN_METADATA                                                      \
  "summary = \"has one fault\"\nlicence = \"Apache-2.0\"\ncitation = \"\"\n" \
  "needs = [\"head_view\"]\noffers = [\"explanation\"]\nseeded = false\n"
