// SPDX-License-Identifier: Apache-2.0
#include "harness/core/border/exchange_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "conoscope/sdk/npy.h"
#include "harness/core/artifacts/element_count.h"
#include "harness/core/border/output_check.h"
#include "harness/core/write_all.h"

namespace conoscope::core {

namespace {

constexpr std::size_t kBuffer = 1 << 20;
constexpr std::size_t kLongestHeader = 1 << 16;

/// A file that is written from its beginning to its end.
class FreshFile {
 public:
  FreshFile(const ExchangeFolder& folder, const std::string& name)
      : name_((folder.path() / name).string()) {
    folder.remove(name);
    fd_ = ::openat(folder.descriptor(), name.c_str(),
                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd_ < 0) fail();
  }
  ~FreshFile() { ::close(fd_); }
  FreshFile(const FreshFile&) = delete;
  FreshFile& operator=(const FreshFile&) = delete;

  void write(const char* data, std::size_t size) {
    if (!write_all(fd_, data, size)) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw std::runtime_error(name_ + ": cannot be written: " + std::strerror(errno));
  }

  std::string name_;
  int fd_ = -1;
};

/// The same array without its first axis, from element `i` of it on.
cono_tensor element(const cono_tensor& tensor, std::int64_t i) {
  return sdk::Tensor(tensor).at(i).raw();
}

/// All bytes in row-major order, through a buffer where they do not lie together.
template <typename Put>
void walk(const cono_tensor& tensor, Put&& put) {
  const std::size_t size = sdk::dtype_size(tensor.dtype);
  const sdk::Tensor view(tensor);
  if (view.size() == 0) return;
  if (view.contiguous())
    return put(static_cast<const char*>(tensor.data), static_cast<std::size_t>(view.size()) * size);
  if (tensor.ndim > 1) {
    for (std::int64_t i = 0; i < tensor.shape[0]; ++i) walk(element(tensor, i), put);
    return;
  }
  for (std::int64_t i = 0; i < tensor.shape[0]; ++i) {
    const std::int64_t row = tensor.row_index != nullptr ? tensor.row_index[i] : i;
    put(static_cast<const char*>(tensor.data) +
            row * tensor.strides[0] * static_cast<std::int64_t>(size),
        size);
  }
}

}  // namespace

ExchangeFolder::ExchangeFolder(std::filesystem::path folder) : path_(std::move(folder)) {
  std::filesystem::create_directories(path_);
  fd_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd_ < 0)
    throw std::runtime_error(path_.string() + ": cannot be opened: " + std::strerror(errno));
}

ExchangeFolder::~ExchangeFolder() { ::close(fd_); }

void ExchangeFolder::remove(const std::string& name) const { ::unlinkat(fd_, name.c_str(), 0); }

void ExchangeFolder::write(const std::string& name, const cono_tensor& tensor) const {
  FreshFile out(*this, name);
  const std::string header = sdk::make_npy_header(
      tensor.dtype, std::span(tensor.shape, static_cast<std::size_t>(tensor.ndim)));
  std::string pending = header;
  walk(tensor, [&](const char* data, std::size_t size) {
    if (pending.size() + size > kBuffer) out.write(pending.data(), pending.size()), pending.clear();
    if (size > kBuffer)
      out.write(data, size);
    else
      pending.append(data, size);
  });
  out.write(pending.data(), pending.size());
}

LeftArray::LeftArray(const ExchangeFolder& folder, std::string name, std::string what)
    : folder_(folder), name_(std::move(name)), what_(std::move(what)) {
  const auto refuse = [this](const std::string& why) {
    if (fd_ >= 0) ::close(fd_);
    throw OutputFault(what_ + ": " + why);
  };
  if (name_.empty() || name_[0] == '.' || name_.find('/') != name_.npos)
    refuse("\"" + name_ + "\" is not the plain name of a file in the exchange folder");
  // Not a link, nor what never ends: the other side may do more than read and write its own files.
  fd_ =
      ::openat(folder.descriptor(), name_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat info {};
  if (fd_ < 0 || ::fstat(fd_, &info) != 0 || !S_ISREG(info.st_mode))
    refuse("the plugin named a file that is not there: " + name_);
  std::string head(kLongestHeader, '\0');
  const ssize_t n = ::pread(fd_, head.data(), head.size(), 0);
  head.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  sdk::NpyHeader header;
  try {
    header = sdk::parse_npy_header(std::span(head.data(), head.size()), name_);
  } catch (const std::invalid_argument& e) {
    refuse(e.what());
  }
  dtype_ = sdk::dtype_of_npy(header.descr);
  if (dtype_ == 0)
    refuse("dtype " + header.descr + " is none of float16, float32, float64, int32, int64, uint8");
  shape_ = header.shape;
  offset_ = header.data_offset;
  if (header.fortran_order && shape_.size() > 1) refuse("is in Fortran order; write it row by row");
  if (shape_.empty() || shape_.size() > CONO_MAX_DIMENSIONS)
    refuse("has " + std::to_string(shape_.size()) + " dimensions, expected 1 to " +
           std::to_string(CONO_MAX_DIMENSIONS));
  const auto count = element_count(shape_);
  if (!count) refuse("is larger than any memory");
  bytes_ = *count * sdk::dtype_size(dtype_);
  const auto size = static_cast<std::size_t>(info.st_size), held = size - std::min(offset_, size);
  if (bytes_ != held)
    refuse("holds " + std::to_string(held) + " bytes, its header promises " +
           std::to_string(bytes_));
}

LeftArray::~LeftArray() {
  ::close(fd_);
  folder_.remove(name_);
}

void LeftArray::take(void* data) const {
  auto* at = static_cast<char*>(data);
  for (std::size_t done = 0; done < bytes_;) {
    const ssize_t n = ::pread(fd_, at + done, bytes_ - done, static_cast<off_t>(offset_ + done));
    if (n == 0) throw OutputFault(what_ + ": was cut short while it was read");
    if (n < 0 && errno != EINTR)
      throw std::runtime_error(what_ + ": cannot be read: " + std::strerror(errno));
    if (n > 0) done += static_cast<std::size_t>(n);
  }
}

void LeftArray::convert_to(double* out) const {
  if (dtype_ == CONO_F64) return take(out);
  std::vector<char> bytes(bytes_);
  take(bytes.data());
  const cono_tensor held = sdk::make_tensor(bytes.data(), dtype_, shape_);
  sdk::Tensor(held, what_).copy_to(std::span(out, bytes_ / sdk::dtype_size(dtype_)));
}

}  // namespace conoscope::core
