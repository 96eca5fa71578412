#include "harness/core/artifacts/npz_file.h"

#include <zip.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/core/artifacts/manifest.h"

namespace conoscope::core {

namespace fs = std::filesystem;

namespace {

constexpr zip_uint16_t kFirstDay = 0x21;  // 1 January 1980, where the format's time begins
constexpr zip_uint32_t kReadable = 0100644U << 16;

}  // namespace

void write_npz(const fs::path& artifact, const fs::path& file) {
  const auto fail = [&file](const std::string& why) {
    throw std::runtime_error(file.string() + ": cannot be written: " + why);
  };
  std::vector<fs::path> members;
  for (const auto& entry : fs::directory_iterator(artifact))
    if (entry.path().filename() != kManifest) members.push_back(entry.path());
  std::ranges::sort(members);

  int code = 0;
  std::unique_ptr<zip_t, void (*)(zip_t*)> archive(
      zip_open(file.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code), zip_discard);
  if (!archive) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string text = zip_error_strerror(&error);
    zip_error_fini(&error);
    fail(text);
  }
  for (const auto& member : members) {
    zip_source_t* source = zip_source_file(archive.get(), member.c_str(), 0, -1);
    if (source == nullptr) fail(zip_strerror(archive.get()));
    const zip_int64_t added =
        zip_file_add(archive.get(), member.filename().c_str(), source, ZIP_FL_ENC_UTF_8);
    if (added < 0) {
      zip_source_free(source);
      fail(zip_strerror(archive.get()));
    }
    const auto index = static_cast<zip_uint64_t>(added);
    if (zip_set_file_compression(archive.get(), index, ZIP_CM_STORE, 0) != 0 ||
        zip_file_set_dostime(archive.get(), index, 0, kFirstDay, 0) != 0 ||
        zip_file_set_external_attributes(archive.get(), index, 0, ZIP_OPSYS_UNIX, kReadable) != 0)
      fail(zip_strerror(archive.get()));
  }
  if (zip_close(archive.get()) != 0) fail(zip_strerror(archive.get()));
  static_cast<void>(archive.release());  // closing has freed it
}

}  // namespace conoscope::core
