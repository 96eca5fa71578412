// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace conoscope::datasets {

/// What TabularToy asks about its latents: how many there are, and the label that the concepts
/// make.
///
/// majority                    3 latents, y = [c1 + c2 + c3 >= 2]
/// two_concepts                3 latents of which two are concepts, y = [c1 + c2 >= 1]
/// misspecified_as_printed     3 latents, y = [c1 + c2 + c3 - c1 c2 >= 2]
/// misspecified_coefficient_2  3 latents, y = [c1 + c2 + c3 - 2 c1 c2 >= 2]
/// blocks                      5 latents, y = [c1 + c2 + c3 <= 1 and c4 + c5 = 2]
enum class TabularToyTask {
  majority,
  two_concepts,
  misspecified_as_printed,
  misspecified_coefficient_2,
  blocks
};

/// throws  std::invalid_argument: not the name of a task
inline TabularToyTask tabular_toy_task(std::string_view name) {
  if (name == "majority") return TabularToyTask::majority;
  if (name == "two_concepts") return TabularToyTask::two_concepts;
  if (name == "misspecified_as_printed") return TabularToyTask::misspecified_as_printed;
  if (name == "misspecified_coefficient_2") return TabularToyTask::misspecified_coefficient_2;
  if (name == "blocks") return TabularToyTask::blocks;
  throw std::invalid_argument("tabular_toy: task is " + std::string(name));
}

inline std::size_t tabular_toy_latents(TabularToyTask task) {
  return task == TabularToyTask::blocks ? 5 : 3;
}

inline std::size_t tabular_toy_concepts(TabularToyTask task) {
  return task == TabularToyTask::two_concepts ? 2 : tabular_toy_latents(task);
}

/// How many inputs three or five latents make: 7 or 12.
/// throws  std::invalid_argument: another number of latents
inline std::size_t tabular_toy_width(std::size_t latents) {
  if (latents != 3 && latents != 5)
    throw std::invalid_argument("tabular_toy_width: " + std::to_string(latents) +
                                " latents, expected 3 or 5");
  return latents == 3 ? 7 : 12;
}

/// x = (sin z1 + z1, cos z1 + z1, ..., sin z3 + z3, cos z3 + z3, z1^2 + z2^2 + z3^2), and for five
/// latents the same of (z4, z5) after it.
///
/// z       3 or 5 latents
/// x       7 or 12 inputs, written
/// throws  std::invalid_argument: another number of latents, or x of another width
///
/// Source: Mahinpei et al., Promises and Pitfalls of Black-Box Concept Learning Models, 2021; five
/// latents: Espinosa Zarlenga et al., AAAI 2023, the notebook on niching.
inline void tabular_toy_inputs(std::span<const double> z, std::span<double> x) {
  if (x.size() != tabular_toy_width(z.size()))
    throw std::invalid_argument("tabular_toy_inputs: " + std::to_string(x.size()) + " inputs for " +
                                std::to_string(z.size()) + " latents");
  std::size_t at = 0;
  double squares = 0.0;
  for (std::size_t j = 0; j < z.size(); ++j) {
    x[at++] = std::sin(z[j]) + z[j];
    x[at++] = std::cos(z[j]) + z[j];
    squares += z[j] * z[j];
    if (j == 2 || j == 4) {
      x[at++] = squares;
      squares = 0.0;
    }
  }
}

/// c_j = [z_j > 0].
inline std::int64_t tabular_toy_concept(double z) { return z > 0.0 ? 1 : 0; }

/// y, see TabularToyTask.
///
/// c       0 or 1, one for each latent (two_concepts looks at the first two)
/// throws  std::invalid_argument: another number of concepts than the task has latents
///
/// Source: Parisini et al., Leakage and Interpretability in Concept-Based Models, appendix A.1.
/// The misspecified label as printed is c3 and (c1 or c2), which a linear head learns perfectly;
/// with the coefficient 2 it is c3 and (c1 xor c2), which none can, as the paper's accuracy of
/// 0.687 says. blocks is the argmax of ([c1 + c2 + c3 > 1], [c4 + c5 > 1]), 0 where they are equal.
inline std::int64_t tabular_toy_label(std::span<const std::int64_t> c, TabularToyTask task) {
  if (c.size() != tabular_toy_latents(task))
    throw std::invalid_argument("tabular_toy_label: " + std::to_string(c.size()) +
                                " concepts, expected " + std::to_string(tabular_toy_latents(task)));
  const std::int64_t sum = c[0] + c[1] + c[2];
  switch (task) {
    case TabularToyTask::two_concepts:
      return c[0] + c[1] >= 1;
    case TabularToyTask::misspecified_as_printed:
      return sum - c[0] * c[1] >= 2;
    case TabularToyTask::misspecified_coefficient_2:
      return sum - 2 * c[0] * c[1] >= 2;
    case TabularToyTask::blocks:
      return sum <= 1 && c[3] + c[4] > 1;
    case TabularToyTask::majority:
      break;
  }
  return sum >= 2;
}

}  // namespace conoscope::datasets
