#pragma once

#include <filesystem>
#include <string>

namespace conoscope::core {

// What is wrong with a path that somebody named, in words: "no such file", or, where it cannot be
// looked at, why ("File name too long", "Permission denied"). Empty: nothing. Unlike those of
// std::filesystem, none of these throws.

/// Anything may be there.
inline std::string fault_of_path(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status)) return "";
  return std::filesystem::status_known(status) ? "no such file" : error.message();
}

inline std::string fault_of_file(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error)) return "";
  const std::string fault = fault_of_path(path);
  return fault.empty() ? "no such file" : fault;
}

inline std::string fault_of_folder(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) return "";
  return std::filesystem::status_known(status) ? "no such folder" : error.message();
}

}  // namespace conoscope::core
