// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "conoscope/sdk/eigen.h"
#include "conoscope/sdk/model.h"

namespace conoscope::models {

/// h -> W h + b.
struct HeadLayer {
  sdk::Matrix weight, bias;
};

/// The last layer's numbers for each row; the activation (relu, tanh, sigmoid) lies between layers.
inline sdk::Matrix outputs_of(std::span<const HeadLayer> layers, const std::string& activation,
                              sdk::Matrix rows) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (i > 0 && activation == "relu") rows = rows.cwiseMax(0.0);
    if (i > 0 && activation == "tanh") rows = rows.array().tanh();
    if (i > 0 && activation == "sigmoid") rows = (1.0 + (-rows.array()).exp()).inverse();
    sdk::Matrix next = rows * layers[i].weight.transpose();
    next.rowwise() += layers[i].bias.reshaped().transpose();
    rows = std::move(next);
  }
  return rows;
}

/// What the head makes of concepts that an intervention has set.
/// throws  sdk::NotApplicable: no layer
///         std::invalid_argument: not as many concepts as the first layer takes
inline void answer(std::span<const HeadLayer> layers, const std::string& activation,
                   const sdk::Tensor& concepts, std::span<double> outputs) {
  if (layers.empty()) throw sdk::NotApplicable("no head came with the concept scores");
  const sdk::Matrix rows = sdk::to_matrix(concepts);
  if (rows.cols() != layers.front().weight.cols())
    throw std::invalid_argument("concepts: " + concepts.shape_text() + ", expected m x " +
                                std::to_string(layers.front().weight.cols()));
  sdk::as_matrix(outputs, rows.rows(), layers.back().weight.rows()) =
      outputs_of(layers, activation, rows);
}

}  // namespace conoscope::models
