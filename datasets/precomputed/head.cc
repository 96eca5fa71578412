// SPDX-License-Identifier: Apache-2.0
#include "datasets/precomputed/head.h"

#include <stdexcept>

#include "datasets/precomputed/checks.h"
#include "datasets/precomputed/write.h"

namespace conoscope::datasets {

std::int64_t Head::samples() const {
  return first().shape[0] + (activations.size() > 1 ? activations.back().shape[0] : 0);
}

std::string Head::origin() const {
  return activations.size() > 1 ? first().origin + " and " + activations.back().origin + " together"
                                : first().origin;
}

std::optional<Head> read_head(const Sources& sources, std::vector<formats::Array> activations,
                              const std::string& pooling, const std::string& output,
                              const sdk::Context& context) {
  if (activations.empty()) {
    for (const char* name : {"head_weight", "head_bias", "logits"})
      if (const auto alone = sources.find(name))
        throw std::invalid_argument(alone->origin + ": " + name + " is given without activations");
    return std::nullopt;
  }
  const std::vector<std::int64_t> given = activations.front().shape;
  for (formats::Array& part : activations) {
    context.check_cancelled();
    part = as_positions(part);
  }
  const formats::Array& first = activations.front();
  const formats::Array& last = activations.back();
  if (first.shape[1] != last.shape[1] || first.shape[2] != last.shape[2])
    throw std::invalid_argument(first.origin + " has activations of " + first.shape_text() +
                                ", but " + last.origin + " of " + last.shape_text());
  Head head{activations, sources.get("head_weight"), sources.get("head_bias"),
            resolve_pooling(pooling, first), output};
  check_head(head.weight, head.bias, first, given, head.pooling, output);
  if (const auto logits = sources.find("logits"))
    check_logits(*logits, head.samples(), first, head.weight, head.bias, head.pooling);
  return head;
}

void write_head(sdk::Sink& out, const Head& head) {
  write_activations(out, head.activations,
                    {head.samples(), head.first().shape[1], head.first().shape[2]});
  write(out, "head_weight", {head.weight}, head.weight.shape);
  write(out, "head_bias", {head.bias}, head.bias.shape);
  out.text("pooling", head.pooling);
  out.text("output", head.output);
}

}  // namespace conoscope::datasets
