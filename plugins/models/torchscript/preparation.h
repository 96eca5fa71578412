#pragma once

#include <string>
#include <vector>

#include "plugins/models/torch/tensors.h"

namespace conoscope::models {

/// From a data set's inputs to what a network trained elsewhere wants to see.
///
///   x -> scale * x -> resize -> repeat the channel -> (x - mean) / std
class Preparation {
 public:
  /// From the parameters scale, size, channels, mean and std.
  /// throws  std::invalid_argument: mean or std is no list of numbers, or a std is not above 0
  explicit Preparation(const sdk::Params& params);

  /// The data set's n x height x width x channels as n x channels x height x width; n x d as it is.
  /// throws  sdk::NotApplicable: inputs are neither
  ///         std::invalid_argument: empty; size or channels for a table; channels for colours
  Tensor read(const sdk::Tensor& inputs) const;

  /// Some rows of what read() gave, ready for the network.
  /// throws  std::invalid_argument: mean or std is of another length than the channels
  Tensor operator()(const Tensor& rows) const;

 private:
  double scale_;
  std::int64_t size_, channels_;
  std::vector<double> mean_, std_;
};

}  // namespace conoscope::models

/// The parameters of Preparation, for the metadata of a plugin.
#define CONOSCOPE_PREPARATION_PARAMETERS                                                         \
  "\n[parameters.scale]\ntype = \"real\"\ndefault = 1.0\n"                                       \
  "help = \"inputs are multiplied by it before all else, as 255 or 0.00392156862745098\"\n"      \
  "\n[parameters.size]\ntype = \"integer\"\ndefault = 0\nmin = 0\nmax = 4096\n"                  \
  "help = \"images: height and width that they are resized to, bilinear; 0: as they are\"\n"     \
  "\n[parameters.channels]\ntype = \"integer\"\ndefault = 0\nmin = 0\nmax = 4096\n"              \
  "help = \"images of one channel: how often it is repeated, as 3 for a network of colours; 0: " \
  "as they are\"\n"                                                                              \
  "\n[parameters.mean]\ntype = \"text\"\ndefault = \"0\"\n"                                      \
  "help = \"subtracted: one number, or one for each channel or column, as 0.485,0.456,0.406\"\n" \
  "\n[parameters.std]\ntype = \"text\"\ndefault = \"1\"\n"                                       \
  "help = \"divided by after that: one number, or one for each channel or column\"\n"
