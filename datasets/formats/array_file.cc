#include "datasets/formats/array_file.h"

#include <algorithm>
#include <string_view>

#include "datasets/formats/file.h"
#include "datasets/formats/hdf5.h"
#include "datasets/formats/npz.h"

namespace conoscope::formats {

class ArrayFile::Kind {
 public:
  virtual ~Kind() = default;
  virtual bool is_hdf5() const = 0;
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
  ArrayLayout layout(const std::string& key) const override { return file_.layout(key); }
  Array get(const std::string& key) const override { return file_.get(key); }
  void read_rows(const std::string& key, std::span<const std::int64_t> rows,
                 const RowVisitor& visit) const override {
    file_.read_rows(key, rows, visit);
  }

 private:
  File file_;
};

ArrayFile::ArrayFile(const std::string& path) : path_(path) {
  constexpr std::string_view kHdf5 = "\x89HDF\r\n\x1a\n";
  const MappedFile file(path);
  const auto bytes = file.bytes().first(std::min(file.bytes().size(), kHdf5.size()));
  if (std::string_view(bytes.data(), bytes.size()) == kHdf5)
    file_ = std::make_shared<const Of<Hdf5>>(path);
  else
    file_ = std::make_shared<const Of<Npz>>(path);
}

bool ArrayFile::is_hdf5() const { return file_->is_hdf5(); }
ArrayLayout ArrayFile::layout(const std::string& key) const { return file_->layout(key); }
Array ArrayFile::get(const std::string& key) const { return file_->get(key); }
void ArrayFile::read_rows(const std::string& key, std::span<const std::int64_t> rows,
                          const RowVisitor& visit) const {
  file_->read_rows(key, rows, visit);
}

}  // namespace conoscope::formats
