#include "datasets/formats/npz.h"

#include <zip.h>

#include <algorithm>
#include <stdexcept>

#include "datasets/formats/npy.h"

namespace conoscope::formats {
namespace {

zip_t* raw(const std::shared_ptr<void>& archive) { return static_cast<zip_t*>(archive.get()); }

}  // namespace

Npz::Npz(const std::string& path) : path_(path) {
  int code = 0;
  zip_t* archive = zip_open(path.c_str(), ZIP_RDONLY, &code);
  if (archive == nullptr) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string text = zip_error_strerror(&error);
    zip_error_fini(&error);
    throw std::invalid_argument(path + ": " + text);
  }
  archive_ = std::shared_ptr<void>(archive, [](void* z) { zip_discard(static_cast<zip_t*>(z)); });
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* name = zip_get_name(archive, static_cast<zip_uint64_t>(i), 0);
    const std::string text = name != nullptr ? name : "";
    if (text.size() > 4 && text.ends_with(".npy"))
      names_.push_back(text.substr(0, text.size() - 4));
  }
}

bool Npz::has(const std::string& name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

Array Npz::get(const std::string& name) const {
  if (!has(name)) {
    std::string held;
    for (const std::string& other : names_) held += (held.empty() ? "" : ", ") + other;
    throw std::invalid_argument(path_ + ": no array '" + name + "'; it holds " +
                                (held.empty() ? "none" : held));
  }
  const std::string origin = path_ + ": " + name;
  const std::string member = name + ".npy";
  const auto damaged = [&origin](const std::string& why) {
    throw std::invalid_argument(origin + ": cannot be unpacked: " + why);
  };
  zip_stat_t status;
  if (zip_stat(raw(archive_), member.c_str(), 0, &status) != 0)
    damaged(zip_strerror(raw(archive_)));
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(
      zip_fopen(raw(archive_), member.c_str(), 0), zip_fclose);
  if (file == nullptr) damaged(zip_strerror(raw(archive_)));

  // The size in the directory is only a claim: grow with what is really there.
  constexpr std::size_t kStep = std::size_t{1} << 24;
  auto bytes = std::make_shared<std::vector<char>>();
  std::size_t filled = 0;
  for (;;) {
    if (filled == bytes->size())
      bytes->resize(filled +
                    std::clamp<std::size_t>(status.size > filled ? status.size - filled : 1, 1,
                                            std::max(kStep, filled)));
    const zip_int64_t got = zip_fread(file.get(), bytes->data() + filled, bytes->size() - filled);
    if (got < 0) damaged(zip_file_strerror(file.get()));  // the checksum is compared at the end
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  return parse_npy({bytes->data(), filled}, bytes, origin);
}

}  // namespace conoscope::formats
