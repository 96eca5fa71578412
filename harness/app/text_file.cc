#include "harness/app/text_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

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

void write_text(const fs::path& file, std::string_view text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out)
    throw StoreError(StoreProblem::cannot_open,
                     file.string() + ": cannot be written: " + std::strerror(errno));
}

void replace_file(const fs::path& path, std::string_view text) {
  std::error_code error;
  const bool is_new = !fs::exists(path, error);
  const bool whole = is_new || fs::is_regular_file(path, error);
  const fs::path target = is_new || !whole ? path : fs::canonical(path, error);
  fs::path part = target;
  if (whole) part += ".part";
  errno = 0;
  std::ofstream out(part, std::ios::binary);
  if (out) {
    out << text;
    out.close();
  }
  const int problem = errno;
  error.clear();
  if (out && whole) fs::rename(part, target, error);
  if (out && !error) return;
  const std::string why = error ? error.message() : std::strerror(problem);
  if (whole) fs::remove(part, error);
  throw StoreError(StoreProblem::cannot_open, "cannot write " + path.string() + ": " + why);
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
