// SPDX-License-Identifier: Apache-2.0
#include "datasets/factorial/official.h"

#include <algorithm>
#include <stdexcept>

namespace conoscope::datasets {

OfficialFile::OfficialFile(const std::string& path, const std::string& images_key,
                           const std::string& classes_key, const OfficialLayout& layout)
    : file_(path), images_key_(images_key), black_and_white_(layout.black_and_white) {
  if (images_key_.empty()) images_key_ = (file_.is_hdf5() ? "/" : "") + layout.images;
  const formats::ArrayLayout images = file_.layout(images_key_);
  if (images.dtype != formats::DType::u1 || images.shape.size() != layout.shape.size() + 1 ||
      !std::equal(layout.shape.begin(), layout.shape.end(), images.shape.begin() + 1)) {
    std::string expected = "n";
    for (const std::int64_t side : layout.shape) expected += " x " + std::to_string(side);
    throw std::invalid_argument(
        path + ": " + images_key_ + ": " + formats::shape_text(images.shape) + " " +
        formats::name_of(images.dtype) + ", expected " + expected + " uint8");
  }
  table_ = layout.read_table(file_.get(!classes_key.empty() ? classes_key
                                       : file_.is_hdf5()    ? layout.in_hdf5
                                                            : layout.classes));
  if (table_.rows() != images.shape[0])
    throw std::invalid_argument(path + ": " + images_key_ + " has " +
                                std::to_string(images.shape[0]) + " images, but there are " +
                                layout.word + " of " + std::to_string(table_.rows()));
}

void OfficialFile::read(
    std::span<const std::int64_t> rows,
    const std::function<void(std::size_t, std::span<const std::uint8_t>)>& visit) const {
  file_.read_rows(images_key_, rows, [&](std::size_t i, std::span<const char> bytes) {
    const std::span numbers(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    if (black_and_white_)
      if (const auto wrong = std::ranges::find_if(numbers, [](auto number) { return number > 1; });
          wrong != numbers.end())
        throw std::invalid_argument(file_.path() + ": " + images_key_ + ": a pixel of image " +
                                    std::to_string(rows[i]) + " is " + std::to_string(*wrong) +
                                    ", expected 0 or 1");
    visit(i, numbers);
  });
}

}  // namespace conoscope::datasets
