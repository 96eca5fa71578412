#include "datasets/dsprites/official.h"

#include <algorithm>
#include <stdexcept>

#include "datasets/dsprites/render.h"
#include "datasets/dsprites/task.h"

namespace conoscope::datasets::dsprites {
namespace {

FactorTable read_table(const formats::Array& classes) {
  if (classes.shape.size() != 2 || classes.shape[1] != kFactors + 1 ||
      formats::is_floating(classes.dtype))
    throw std::invalid_argument(classes.origin + ": " + classes.shape_text() + " " +
                                formats::name_of(classes.dtype) +
                                ", expected n x 6 whole numbers: color, shape, scale, "
                                "orientation, posX, posY");
  const auto values = formats::to_vector<std::int64_t>(classes);
  FactorTable table{{kSizes.begin(), kSizes.end()}, {}};
  table.classes.reserve(values.size() / (kFactors + 1) * kFactors);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t column = i % (kFactors + 1);
    const std::int64_t size = column == 0 ? 1 : kSizes[column - 1];
    if (values[i] < 0 || values[i] >= size)
      throw std::invalid_argument(
          classes.origin + ": " + std::string(column == 0 ? "color" : kFactorNames[column - 1]) +
          " at [" + std::to_string(i / (kFactors + 1)) + "] is " + std::to_string(values[i]) +
          ", expected 0 to " + std::to_string(size - 1));
    if (column > 0) table.classes.push_back(static_cast<std::uint8_t>(values[i]));
  }
  return table;
}

}  // namespace

OfficialFile::OfficialFile(const std::string& path, const std::string& images_key,
                           const std::string& classes_key)
    : file_(path), images_key_(images_key) {
  if (images_key_.empty()) images_key_ = file_.is_hdf5() ? "/imgs" : "imgs";
  const formats::ArrayLayout images = file_.layout(images_key_);
  if (images.dtype != formats::DType::u1 || images.shape.size() != 3 || images.shape[1] != kSide ||
      images.shape[2] != kSide)
    throw std::invalid_argument(path + ": " + images_key_ + ": " +
                                formats::shape_text(images.shape) + " " +
                                formats::name_of(images.dtype) + ", expected n x 64 x 64 uint8");
  table_ = read_table(file_.get(!classes_key.empty() ? classes_key
                                : file_.is_hdf5()    ? "/latents/classes"
                                                     : "latents_classes"));
  if (table_.rows() != images.shape[0])
    throw std::invalid_argument(
        path + ": " + images_key_ + " has " + std::to_string(images.shape[0]) +
        " images, but there are classes of " + std::to_string(table_.rows()));
}

void OfficialFile::read(
    std::span<const std::int64_t> rows,
    const std::function<void(std::size_t, std::span<const std::uint8_t>)>& visit) const {
  file_.read_rows(images_key_, rows, [&](std::size_t i, std::span<const char> bytes) {
    const std::span pixels(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    const auto wrong = std::ranges::find_if(pixels, [](std::uint8_t pixel) { return pixel > 1; });
    if (wrong != pixels.end())
      throw std::invalid_argument(file_.path() + ": " + images_key_ + ": a pixel of image " +
                                  std::to_string(rows[i]) + " is " + std::to_string(*wrong) +
                                  ", expected 0 or 1");
    visit(i, pixels);
  });
}

}  // namespace conoscope::datasets::dsprites
