// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>

namespace conoscope::testing {

/// A folder of the test's own, removed at the end.
class Scratch {
 public:
  Scratch() {
    std::random_device random;
    do {
      folder_ = std::filesystem::temp_directory_path() /
                ("conoscope-test-" + std::to_string(random()) + std::to_string(random()));
    } while (!std::filesystem::create_directory(folder_));
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::filesystem::path& path() const { return folder_; }
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace conoscope::testing
