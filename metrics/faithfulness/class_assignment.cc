// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/class_assignment.h"

#include "metrics/faithfulness/logit_row.h"

namespace conoscope::metrics {

ClassAssignment class_assignment(const Logits& logits) {
  const detail::LogitRow row(logits.outputs());
  ClassAssignment result;
  result.members.resize(static_cast<size_t>(logits.outputs()));
  for (Index i = 0; i < logits.samples(); ++i) {
    const Index c = row.argmax(logits.row(i));
    result.predictions.push_back(c);
    result.members[static_cast<size_t>(c)].push_back(i);
  }
  return result;
}

}  // namespace conoscope::metrics
