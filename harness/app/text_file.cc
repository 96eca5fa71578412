#include "harness/app/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

#include "harness/core/artifacts/work_folders.h"
#include "harness/core/write_all.h"
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
  // A name that nobody can foresee: another process may write the same page.
  if (whole) part += '.' + core::random_name();
  const int how = whole ? O_CREAT | O_EXCL | O_NOFOLLOW : O_TRUNC;
  const int fd = ::open(part.c_str(), O_WRONLY | O_CLOEXEC | how, 0666);
  int problem = fd < 0 ? errno : 0;
  if (fd >= 0 && !core::write_all(fd, text.data(), text.size())) problem = errno;
  if (fd >= 0 && whole && problem == 0 && ::fsync(fd) != 0) problem = errno;
  if (fd >= 0 && ::close(fd) != 0 && problem == 0) problem = errno;
  error.clear();
  if (problem == 0 && whole) fs::rename(part, target, error);
  if (problem == 0 && !error) return;
  const std::string why = problem != 0 ? std::strerror(problem) : error.message();
  if (whole && fd >= 0) fs::remove(part, error);
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
