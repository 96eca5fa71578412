#include "datasets/formats/array_file.h"

#include <cstring>
#include <string_view>

#include "datasets/formats/file.h"
#include "datasets/formats/hdf5.h"
#include "datasets/formats/npz.h"
#include "datasets/formats/pickle.h"
#include "datasets/formats/safetensors.h"

namespace conoscope::formats {

class ArrayFile::Kind {
 public:
  virtual ~Kind() = default;
  virtual bool is_hdf5() const = 0;
  virtual std::vector<std::string> names() const = 0;
  virtual bool has(const std::string& key) const = 0;
  virtual ArrayLayout layout(const std::string& key) const = 0;
  virtual Array get(const std::string& key) const = 0;
  virtual void read_rows(const std::string& key, std::span<const std::int64_t> rows,
                         const RowVisitor& visit) const = 0;
};

template <typename File>
class ArrayFile::Of final : public Kind {
 public:
  explicit Of(const std::string& path) : file_(path) {}
  bool is_hdf5() const override { return std::is_same_v<File, Hdf5>; }
  std::vector<std::string> names() const override { return file_.names(); }
  bool has(const std::string& key) const override { return file_.has(key); }
  ArrayLayout layout(const std::string& key) const override { return file_.layout(key); }
  Array get(const std::string& key) const override { return file_.get(key); }
  void read_rows(const std::string& key, std::span<const std::int64_t> rows,
                 const RowVisitor& visit) const override {
    file_.read_rows(key, rows, visit);
  }

 private:
  File file_;
};

std::optional<ArchiveKind> archive_kind(const std::string& path) {
  const MappedFile file(path);
  const std::string_view bytes(file.bytes().data(), file.bytes().size());
  if (bytes.starts_with("\x89HDF\r\n\x1a\n")) return ArchiveKind::hdf5;
  if (bytes.starts_with("PK")) return ArchiveKind::npz;
  if (bytes.size() > 1 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5)
    refuse_pickle(path);  // the protocol's number
  if (path.ends_with(".safetensors")) return ArchiveKind::safetensors;
  if (bytes.size() > 8 && bytes[8] == '{') {
    std::uint64_t header = 0;
    std::memcpy(&header, bytes.data(), sizeof(header));
    if (header <= bytes.size() - 8) return ArchiveKind::safetensors;
  }
  return std::nullopt;
}

ArrayFile::ArrayFile(const std::string& path) : path_(path) {
  switch (archive_kind(path).value_or(ArchiveKind::npz)) {
    case ArchiveKind::hdf5:
      file_ = std::make_shared<const Of<Hdf5>>(path);
      break;
    case ArchiveKind::safetensors:
      file_ = std::make_shared<const Of<Safetensors>>(path);
      break;
    case ArchiveKind::npz:
      file_ = std::make_shared<const Of<Npz>>(path);
      break;
  }
}

bool ArrayFile::is_hdf5() const { return file_->is_hdf5(); }
std::vector<std::string> ArrayFile::names() const { return file_->names(); }
bool ArrayFile::has(const std::string& key) const { return file_->has(key); }
ArrayLayout ArrayFile::layout(const std::string& key) const { return file_->layout(key); }
Array ArrayFile::get(const std::string& key) const { return file_->get(key); }
void ArrayFile::read_rows(const std::string& key, std::span<const std::int64_t> rows,
                          const RowVisitor& visit) const {
  file_->read_rows(key, rows, visit);
}

}  // namespace conoscope::formats
