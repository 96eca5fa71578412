// SPDX-License-Identifier: Apache-2.0
// The library conoscope_hdf5.so: Hdf5's functions.

#include <hdf5.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "datasets/formats/reader_library.h"

namespace conoscope::formats {
namespace {

/// What went wrong in the last call: the innermost description on the library's error stack.
std::string last_error() {
  std::string text = "unknown error";
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned n, const H5E_error2_t* error, void* to) -> herr_t {
        if (n == 0 && error->desc != nullptr) *static_cast<std::string*>(to) = error->desc;
        return 0;
      },
      &text);
  return text;
}

/// A handle of the library, closed at the end.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

std::optional<DType> dtype_of(hid_t type) {
  const std::size_t size = H5Tget_size(type);
  switch (H5Tget_class(type)) {
    case H5T_FLOAT:
      if (size == 4 || size == 2) return DType::f4;  // the library widens float16
      if (size == 8) return DType::f8;
      return std::nullopt;
    case H5T_INTEGER: {
      const bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
      if (size == 1) return is_signed ? DType::i1 : DType::u1;
      if (size == 2) return is_signed ? DType::i2 : DType::u2;
      if (size == 4) return is_signed ? DType::i4 : DType::u4;
      if (size == 8) return is_signed ? DType::i8 : DType::u8;
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

/// Little endian, as Array promises; the library swaps the bytes of big-endian files.
hid_t memory_type(DType dtype) {
  switch (dtype) {
    case DType::f4:
      return H5T_IEEE_F32LE;
    case DType::f8:
      return H5T_IEEE_F64LE;
    case DType::i1:
      return H5T_STD_I8LE;
    case DType::i2:
      return H5T_STD_I16LE;
    case DType::i4:
      return H5T_STD_I32LE;
    case DType::i8:
      return H5T_STD_I64LE;
    case DType::u2:
      return H5T_STD_U16LE;
    case DType::u4:
      return H5T_STD_U32LE;
    case DType::u8:
      return H5T_STD_U64LE;
    default:
      return H5T_STD_U8LE;
  }
}

hid_t open_file(const std::string& path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // it would print
  if (!std::ifstream(path)) throw std::invalid_argument(path + ": No such file or directory");
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) throw std::invalid_argument(path + ": not a whole HDF5 file: " + last_error());
  return file;
}

std::vector<std::string> dataset_names(hid_t file) {
  std::vector<std::string> names;
  // `auto`: the struct's name differs between versions of the library.
  const auto note = [](hid_t, const char* name, const auto* info, void* to) -> herr_t {
    if (info->type == H5O_TYPE_DATASET)
      static_cast<std::vector<std::string>*>(to)->emplace_back(name);
    return 0;
  };
  H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, note, &names, H5O_INFO_BASIC);
  return names;
}

/// "/images, /labels"
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "/" : ", /") + name;
  return text.empty() ? "none" : text;
}

constexpr std::uint64_t kSmall = std::uint64_t{1} << 26;  // whatever the file holds of it
constexpr std::size_t kLargestCache = std::size_t{1} << 29;

/// Access properties for reading rows in ascending order: a cache that holds one layer of chunks,
/// so that each chunk is unpacked once.
hid_t access_by_rows(hid_t dataset, const ArrayLayout& layout) {
  const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
  const Handle created(H5Dget_create_plist(dataset), H5Pclose);
  if (H5Pget_layout(created) != H5D_CHUNKED) return access;
  std::vector<hsize_t> chunk(layout.shape.size());
  H5Pget_chunk(created, static_cast<int>(chunk.size()), chunk.data());
  std::size_t bytes = size_of(layout.dtype) * chunk[0], chunks = 1;
  for (std::size_t axis = 1; axis < chunk.size(); ++axis) {
    const std::size_t across =
        (static_cast<std::size_t>(layout.shape[axis]) + chunk[axis] - 1) / chunk[axis];
    chunks *= across;
    bytes *= across * chunk[axis];
  }
  H5Pset_chunk_cache(access, 10 * chunks + 1, std::min(bytes, kLargestCache), 1.0);
  return access;
}

/// What lies in another file is no part of what identifies this one: it may change, or be missing,
/// for which the library puts in zeros without a word.
[[noreturn]] void refuse_other_file(const std::string& origin, const std::string& what) {
  throw std::invalid_argument(origin + ": " + what +
                              "; copy it into one file, as with h5py: "
                              "one.create_dataset(name, data=many[name][()])");
}

/// The dataset's handle; negative: there is none.
/// throws  std::invalid_argument: a link on the way leads into another file
hid_t open_dataset(hid_t file, const std::string& key, const std::string& origin) {
  std::string other;
  const auto stop = [](const char*, const char*, const char* target, const char* object, unsigned*,
                       hid_t, void* to) -> herr_t {
    *static_cast<std::string*>(to) = std::string(target) + ": " + object;
    return -1;
  };
  const Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  H5Pset_elink_cb(access, stop, &other);
  const hid_t dataset = H5Dopen2(file, key.c_str(), access);
  if (!other.empty()) refuse_other_file(origin, "a link into another file, " + other);
  return dataset;
}

class Hdf5Reader final : public NamedArrays {
 public:
  explicit Hdf5Reader(const std::string& path) : path_(path), file_(open_file(path), H5Fclose) {}

  std::vector<std::string> names() const override { return dataset_names(file_); }
  bool has(const std::string& key) const override;
  ArrayLayout layout(const std::string& key) const override;
  Array get(const std::string& key) const override;
  void read_rows(const std::string& key, std::span<const std::int64_t> rows,
                 const RowVisitor& visit) const override;

 private:
  class Dataset;
  std::string path_;
  Handle file_;
};

class Hdf5Reader::Dataset {
 public:
  Dataset(const Hdf5Reader& file, const std::string& key)
      : origin_(file.path_ + ": " + key), id_(open_dataset(file.file_, key, origin_), H5Dclose) {
    if (id_ < 0)
      throw std::invalid_argument(file.path_ + ": no dataset '" + key + "'; it holds " +
                                  listed(dataset_names(file.file_)));
    refuse_other_files();
    const Handle type(H5Dget_type(id_), H5Tclose);
    const auto dtype = dtype_of(type);
    if (!dtype)
      throw std::invalid_argument(origin_ +
                                  ": its type is not one that is read: whole numbers of 8 to 64 "
                                  "bits, float16, float32 or float64");
    layout_.dtype = *dtype;
    const Handle space(H5Dget_space(id_), H5Sclose);
    std::vector<hsize_t> extents(
        static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
    H5Sget_simple_extent_dims(space, extents.data(), nullptr);
    for (const hsize_t extent : extents)
      if (!std::in_range<std::int64_t>(extent))
        throw std::invalid_argument(origin_ + ": an extent is " + std::to_string(extent) +
                                    ", expected at most 2^63 - 1");
    layout_.shape.assign(extents.begin(), extents.end());
    check_size(file.path_);
  }

  const std::string& origin() const { return origin_; }
  const ArrayLayout& layout() const { return layout_; }
  hid_t id() const { return id_; }

  void read(hid_t dataset, hid_t memory, hid_t file, char* to) const {
    if (H5Dread(dataset, memory_type(layout_.dtype), memory, file, H5P_DEFAULT, to) < 0)
      throw std::invalid_argument(origin_ + ": cannot be read: " + last_error());
  }

 private:
  void refuse_other_files() const {
    const Handle created(H5Dget_create_plist(id_), H5Pclose);
    if (H5Pget_layout(created) == H5D_VIRTUAL)
      refuse_other_file(origin_, "a virtual dataset, whose numbers lie in other datasets");
    if (H5Pget_external_count(created) > 0)
      refuse_other_file(origin_, "its numbers are stored outside of the file");
  }

  /// A few bytes of a header can ask for terabytes. deflate packs a thousand to one at most.
  void check_size(const std::string& path) const {
    const auto bytes =
        static_cast<std::uint64_t>(byte_count(layout_.shape, layout_.dtype, origin_));
    const std::uint64_t stored =
        std::min<std::uint64_t>(H5Dget_storage_size(id_), std::filesystem::file_size(path));
    if (bytes > kSmall && bytes / 2000 > stored)
      throw std::invalid_argument(origin_ + ": says that it has " + std::to_string(bytes) +
                                  " bytes, of which the file holds " + std::to_string(stored));
  }

  std::string origin_;
  Handle id_;
  ArrayLayout layout_;
};

bool Hdf5Reader::has(const std::string& key) const {
  const auto known = names();
  if (std::find(known.begin(), known.end(), key.substr(key.starts_with('/') ? 1 : 0)) !=
      known.end())
    return true;
  // Links are no names of datasets; one into another file must not pass for no array at all.
  const Handle by_link(open_dataset(file_, key, path_ + ": " + key), H5Dclose);
  return false;
}

ArrayLayout Hdf5Reader::layout(const std::string& key) const {
  return Dataset(*this, key).layout();
}

Array Hdf5Reader::get(const std::string& key) const {
  const Dataset dataset(*this, key);
  Array array;
  array.dtype = dataset.layout().dtype;
  array.shape = dataset.layout().shape;
  array.origin = dataset.origin();
  auto bytes = std::make_shared<std::vector<char>>(
      static_cast<std::size_t>(byte_count(array.shape, array.dtype, array.origin)));
  if (!bytes->empty()) dataset.read(dataset.id(), H5S_ALL, H5S_ALL, bytes->data());
  array.bytes = *bytes;
  array.owner = bytes;
  return array;
}

void Hdf5Reader::read_rows(const std::string& key, std::span<const std::int64_t> rows,
                           const RowVisitor& visit) const {
  const Dataset dataset(*this, key);
  const auto& shape = dataset.layout().shape;
  if (shape.empty())
    throw std::invalid_argument(dataset.origin() + ": a single number has no rows");
  check_rows(rows, shape[0], dataset.origin());
  const auto across = std::span(shape).subspan(1);
  std::vector<char> row(
      static_cast<std::size_t>(byte_count(across, dataset.layout().dtype, dataset.origin())));
  // A chunk cache is chosen when a dataset is opened: it takes a second time.
  const Handle access(access_by_rows(dataset.id(), dataset.layout()), H5Pclose);
  const Handle opened(H5Dopen2(file_, key.c_str(), access), H5Dclose);
  if (opened < 0)
    throw std::invalid_argument(dataset.origin() + ": cannot be read: " + last_error());
  const Handle space(H5Dget_space(opened), H5Sclose);
  const auto count = static_cast<hsize_t>(element_count(across, dataset.origin()));
  const Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
  std::vector<hsize_t> from(shape.size(), 0), extent(shape.begin(), shape.end());
  extent[0] = 1;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    from[0] = static_cast<hsize_t>(rows[i]);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, from.data(), nullptr, extent.data(), nullptr);
    dataset.read(opened, memory, space, row.data());
    visit(i, row);
  }
}

}  // namespace
}  // namespace conoscope::formats

CONOSCOPE_READER(const std::string& path) { return new conoscope::formats::Hdf5Reader(path); }
