// SPDX-License-Identifier: Apache-2.0
// The library conoscope_npz.so: Npz's functions.

#include <zip.h>

#include <algorithm>
#include <boost/algorithm/string/join.hpp>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "datasets/formats/npy.h"
#include "datasets/formats/pickle.h"
#include "datasets/formats/reader_library.h"

namespace conoscope::formats {
namespace {

bool begins_as_zip(const std::string& path) {
  char start[4] = {};
  return std::ifstream(path, std::ios::binary).read(start, 4) &&
         std::string_view(start, 4) == "PK\x03\x04";
}

class NpzReader final : public NamedArrays {
 public:
  explicit NpzReader(const std::string& path);

  std::vector<std::string> names() const override { return names_; }
  bool has(const std::string& name) const override;
  ArrayLayout layout(const std::string& name) const override;
  Array get(const std::string& name) const override;
  void read_rows(const std::string& name, std::span<const std::int64_t> rows,
                 const RowVisitor& visit) const override;

 private:
  class Member;
  std::string path_;
  std::unique_ptr<zip_t, void (*)(zip_t*)> archive_{nullptr, zip_discard};
  std::vector<std::string> names_;
};

NpzReader::NpzReader(const std::string& path) : path_(path) {
  int code = 0;
  zip_t* archive = zip_open(path.c_str(), ZIP_RDONLY, &code);
  if (archive == nullptr) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    std::string text = zip_error_strerror(&error);
    zip_error_fini(&error);
    bool cut = code == ZIP_ER_NOZIP;
#ifdef ZIP_ER_TRUNCATED_ZIP  // since libzip 1.11
    cut |= code == ZIP_ER_TRUNCATED_ZIP;
#endif
    if (cut && begins_as_zip(path))
      text = "cut short: it begins as a zip archive, but the directory at its end is missing";
    throw std::invalid_argument(path + ": " + text);
  }
  archive_.reset(archive);
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* name = zip_get_name(archive, static_cast<zip_uint64_t>(i), 0);
    const std::string text = name != nullptr ? name : "";
    if (text == "data.pkl" || text.ends_with("/data.pkl")) refuse_pickle(path);
    if (text.size() <= 4 || !text.ends_with(".npy")) continue;
    names_.push_back(text.substr(0, text.size() - 4));
  }
  auto sorted = names_;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    throw std::invalid_argument(path + ": the archive holds " + *twice +
                                ".npy twice, and programs differ in which they read; save it anew");
}

bool NpzReader::has(const std::string& name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

/// A member that is being unpacked.
class NpzReader::Member {
 public:
  Member(const NpzReader& archive, const std::string& name)
      : origin_(archive.path_ + ": " + name), file_(nullptr, zip_fclose) {
    if (!archive.has(name)) {
      throw std::invalid_argument(
          archive.path_ + ": no array '" + name + "'; it holds " +
          (archive.names_.empty() ? "none" : boost::algorithm::join(archive.names_, ", ")));
    }
    const std::string member = name + ".npy";
    zip_stat_t status;
    if (zip_stat(archive.archive_.get(), member.c_str(), 0, &status) != 0)
      damaged(zip_strerror(archive.archive_.get()));
    size_ = status.size;
    file_.reset(zip_fopen(archive.archive_.get(), member.c_str(), 0));
    if (file_ == nullptr) damaged(zip_strerror(archive.archive_.get()));
  }

  const std::string& origin() const { return origin_; }
  std::uint64_t claimed_size() const { return size_; }  ///< only what the directory says

  /// Fills as much as there is left; fewer bytes than asked for: the end.
  std::size_t read(std::span<char> to) {
    std::size_t filled = 0;
    while (filled < to.size()) {
      const zip_int64_t got = zip_fread(file_.get(), to.data() + filled, to.size() - filled);
      if (got < 0) damaged(zip_file_strerror(file_.get()));  // at the end: a wrong checksum, too
      if (got == 0) break;
      filled += static_cast<std::size_t>(got);
    }
    return filled;
  }

  /// The .npy header, which read() then has passed.
  NpyLayout read_layout() {
    std::vector<char> head(12);
    head.resize(read(head));
    if (head.size() == 12) {
      const auto byte = [&head](std::size_t i) {
        return static_cast<std::size_t>(static_cast<unsigned char>(head[i]));
      };
      const bool wide = byte(6) >= 2;
      const std::size_t length = (wide ? 12 : 10) + (byte(8) | byte(9) << 8 |
                                                     (wide ? byte(10) << 16 | byte(11) << 24 : 0));
      // A header of some hundred bytes describes any array; a claim of gigabytes is no header.
      if (length > 12 && length < (std::size_t{1} << 20)) {
        head.resize(length);
        head.resize(12 + read(std::span(head).subspan(12)));
      }
    }
    return parse_npy_layout(head, origin_);
  }

 private:
  [[noreturn]] void damaged(const std::string& why) const {
    throw std::invalid_argument(origin_ + ": cannot be unpacked: " + why);
  }

  std::string origin_;
  std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file_;
  std::uint64_t size_ = 0;
};

Array NpzReader::get(const std::string& name) const {
  Member member(*this, name);
  // Grow with what is really there.
  constexpr std::size_t kStep = std::size_t{1} << 24;
  auto bytes = std::make_shared<std::vector<char>>();
  for (;;) {
    const std::size_t filled = bytes->size();
    const std::size_t claimed = member.claimed_size() > filled ? member.claimed_size() - filled : 1;
    const std::size_t step = std::min(claimed, std::max(kStep, filled));
    bytes->resize(filled + step);
    const std::size_t got = member.read(std::span(*bytes).subspan(filled));
    bytes->resize(filled + got);
    if (got < step) break;
  }
  return parse_npy(*bytes, bytes, member.origin());
}

ArrayLayout NpzReader::layout(const std::string& name) const {
  NpyLayout header = Member(*this, name).read_layout();
  return {header.dtype, std::move(header.shape)};
}

void NpzReader::read_rows(const std::string& name, std::span<const std::int64_t> rows,
                          const RowVisitor& visit) const {
  Member member(*this, name);
  const NpyLayout header = member.read_layout();
  const auto fail = [&member](const std::string& why) {
    throw std::invalid_argument(member.origin() + ": " + why);
  };
  if (header.shape.empty()) fail("a single number has no rows");
  if (header.fortran_order && header.shape.size() > 1)
    fail(
        "is in Fortran order, in which rows cannot be read one by one; save it as "
        "np.ascontiguousarray(a)");
  if (header.big_endian)
    fail(
        "is big-endian, in which rows are not read one by one; save it in the order of this "
        "machine, as a.astype(a.dtype.newbyteorder('<'))");
  check_rows(rows, header.shape[0], member.origin());
  const auto width = static_cast<std::size_t>(
      byte_count(std::span(header.shape).subspan(1), header.dtype, member.origin()));
  std::vector<char> row(width);
  std::int64_t next = 0;  // the first row that is not unpacked yet
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (; next <= rows[i]; ++next)
      if (const std::size_t got = member.read(row); got < width)
        fail("cut short: row " + std::to_string(next) + " of " + std::to_string(header.shape[0]) +
             " has " + std::to_string(got) + " of " + std::to_string(width) + " bytes");
    visit(i, row);
  }
}

}  // namespace
}  // namespace conoscope::formats

CONOSCOPE_READER(const std::string& path) { return new conoscope::formats::NpzReader(path); }
