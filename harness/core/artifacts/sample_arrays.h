#pragma once

#include <array>
#include <string_view>

namespace conoscope::core {

// Arrays with a row for each sample (abi.h); all others (weights, indices) belong to no split.

inline constexpr std::array<std::string_view, 5> kAnnotationArrays = {"inputs", "labels", "targets",
                                                                      "concepts", "factors"};

inline constexpr std::array<std::string_view, 11> kModelArrays = {"activations",
                                                                  "logits",
                                                                  "concept_scores",
                                                                  "concept_probabilities",
                                                                  "task_outputs",
                                                                  "reference_outputs",
                                                                  "concept_active",
                                                                  "concept_inactive",
                                                                  "codes",
                                                                  "codes_log_variance",
                                                                  "reconstruction_loss"};

}  // namespace conoscope::core
