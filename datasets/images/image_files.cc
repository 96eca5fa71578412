// SPDX-License-Identifier: Apache-2.0
#include "datasets/images/image_files.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "datasets/samples.h"

namespace conoscope::datasets {
namespace {

bool is_image_name(std::string name) {
  std::ranges::transform(name, name.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return !name.starts_with(".") &&
         (name.ends_with(".png") || name.ends_with(".jpg") || name.ends_with(".jpeg"));
}

}  // namespace

std::vector<std::string> image_names(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator at(folder, error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error))
    if (const std::string name = at->path().filename().string(); is_image_name(name))
      names.push_back(name);
  if (error) throw std::invalid_argument(folder + ": " + error.message());
  std::ranges::sort(names);
  return names;
}

void write_image_inputs(const std::vector<std::string>& paths, const ImageParameters& how,
                        const sdk::Context& context, sdk::Sink& out) {
  std::span<float> inputs;
  int height = 0, width = 0;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    tick(context, i, paths.size());
    formats::Image image = formats::read_image(paths[i], how.colour);
    if (how.size > 0) image = formats::centre_square(image, how.size);
    if (i == 0) {
      height = image.height;
      width = image.width;
      inputs = out.create<float>(
          "inputs", {static_cast<std::int64_t>(paths.size()), height, width, image.channels});
    } else if (image.height != height || image.width != width) {
      throw std::invalid_argument(paths[i] + ": " + std::to_string(image.height) + " x " +
                                  std::to_string(image.width) + " pixels, but " + paths[0] +
                                  " has " + std::to_string(height) + " x " + std::to_string(width) +
                                  "; give a size that all are brought to");
    }
    std::ranges::transform(image.numbers,
                           inputs.begin() + static_cast<std::ptrdiff_t>(i * image.numbers.size()),
                           [](std::uint8_t v) { return static_cast<float>(v) / 255.0F; });
  }
}

}  // namespace conoscope::datasets
