// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace conoscope::results {

/// A file of this folder or of the site's, or of what draws the pictures, as it was when the library was built.
struct EmbeddedFile {
  std::string_view name;  ///< without folder: "page.js", "board.vl.json", "vega.min.js"
  std::string_view text;
  std::string_view sha256;  ///< hexadecimal
};

/// In the order of the build: the page's own files, then the bundle, of which each file needs those
/// before it.
std::span<const EmbeddedFile> embedded_files();

/// throws  std::logic_error: no file of this name is in this build
std::string_view embedded_text(std::string_view name);

}  // namespace conoscope::results
