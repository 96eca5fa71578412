// SPDX-License-Identifier: Apache-2.0
#include "harness/app/text_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

#include "harness/core/artifacts/whole_file.h"
#include "results/store/error.h"

namespace conoscope::app {

namespace fs = std::filesystem;

using results::StoreError;
using results::StoreProblem;

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw StoreError(StoreProblem::cannot_open,
                     folder.string() + ": cannot be made: " + error.message());
}

namespace {

/// Returns 0, or the errno of what failed.
int write_in_place(const fs::path& file, std::string_view text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  return out ? 0 : errno;
}

}  // namespace

void write_text(const fs::path& file, std::string_view text) {
  if (const int problem = write_in_place(file, text); problem != 0)
    throw StoreError(StoreProblem::cannot_open,
                     file.string() + ": cannot be written: " + std::strerror(problem));
}

void replace_file(const fs::path& path, std::string_view text) {
  std::error_code error;
  const bool is_new = !fs::exists(path, error);
  const bool whole = is_new || fs::is_regular_file(path, error);
  const fs::path target = is_new || !whole ? path : fs::canonical(path, error);
  const int problem = whole ? core::write_whole(target, text) : write_in_place(target, text);
  if (problem != 0)
    throw StoreError(StoreProblem::cannot_open,
                     "cannot write " + path.string() + ": " + std::strerror(problem));
}

ExitCode saved_or_not(const std::function<void()>& write) {
  try {
    write();
  } catch (const std::runtime_error& e) {
    std::cerr << "conoscope: " << e.what() << '\n';
    return kNotSaved;
  }
  return kOk;
}

}  // namespace conoscope::app
