// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace conoscope::datasets::celeba {

/// list_attr_celeba.txt of CelebA (Liu et al., ICCV 2015): the number of images, the names of the
/// attributes, then a line for each image: its name and 1 or -1 for each attribute.
struct Attributes {
  std::vector<std::string> names;
  std::vector<std::string> images;
  std::vector<std::uint8_t> values;  ///< images x names, 0 or 1

  /// throws  std::invalid_argument: no such attribute (lists them), beginning with the path
  std::size_t index(const std::string& name) const;

  std::string path;
};

/// throws  std::invalid_argument, beginning with path:line: no such file, another number of images
///         than the first line says, a line with another number of fields, a value that is not 1 or
///         -1, or an image that has two lines
Attributes read_attributes(const std::string& path);

/// list_eval_partition.txt: a line for each image, its name and 0 (train), 1 (validation) or 2
/// (test).
///
/// throws  std::invalid_argument, beginning with path:line: as read_attributes()
std::map<std::string, int> read_partition(const std::string& path);

}  // namespace conoscope::datasets::celeba
