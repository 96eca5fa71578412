// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace conoscope::results {

/// 8 bits a channel, the rows from the top, the channels of a pixel side by side.
struct Picture {
  std::uint32_t width = 0, height = 0, channels = 0;  ///< 1: grey, 3: red, green and blue
  std::string bytes;
};

/// A PNG in a data: address.
///
/// throws  std::invalid_argument: other than 1 or 3 channels, bytes of another size
std::string png_address(const Picture& picture);

/// The images of a page or a drawing, each in it once however often it is shown.
class PictureSheet {
 public:
  /// The element that shows an image in a box: as large as fits, in its middle, pixels with sharp edges.
  std::string use(const Picture& picture, double x, double y, double side);

  bool empty() const { return ids_.empty(); }
  /// So many bytes of images that a page becomes too large to be mailed with more.
  bool full() const { return definitions_.size() > kMost; }
  /// What `use` refers to, to stand inside an <svg>.
  std::string definitions() const;

 private:
  static constexpr std::size_t kMost = std::size_t{6} << 20;

  std::map<std::string, std::string> ids_;  ///< by address
  std::string definitions_;
};

}  // namespace conoscope::results
