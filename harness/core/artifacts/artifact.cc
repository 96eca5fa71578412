// SPDX-License-Identifier: Apache-2.0
#include "harness/core/artifacts/artifact.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <stdexcept>
#include <system_error>

#include "conoscope/sdk/npy.h"
#include "harness/core/artifacts/element_count.h"
#include "harness/core/artifacts/file_memory.h"
#include "harness/core/artifacts/manifest.h"
#include "harness/core/artifacts/sha256.h"
#include "harness/core/names.h"

namespace conoscope::core {

namespace {

/// The array that a file's bytes are.
/// throws  DamagedArtifact: they are none that an ArtifactWriter has written
cono_tensor tensor_in(char* bytes, std::size_t size, const std::string& file) {
  const auto damaged = [&file](const std::string& why) {
    return DamagedArtifact(file + ": damaged: " + why);
  };
  sdk::NpyHeader header;
  try {
    header = sdk::parse_npy_header({bytes, size}, "header");
  } catch (const std::invalid_argument& e) {
    throw damaged(e.what());
  }
  const std::int32_t dtype = sdk::dtype_of_npy(header.descr);
  if (dtype == 0) throw damaged("dtype " + header.descr);
  if (header.fortran_order) throw damaged("column-major");
  if (header.shape.empty() || header.shape.size() > CONO_MAX_DIMENSIONS)
    throw damaged(std::to_string(header.shape.size()) + " dimensions");
  const auto count = element_count(header.shape);
  const std::size_t held = size - header.data_offset;
  if (!count || *count * sdk::dtype_size(dtype) != held)
    throw damaged(std::to_string(size) + " bytes, expected " +
                  (count ? std::to_string(header.data_offset + *count * sdk::dtype_size(dtype))
                         : std::string("more than any file holds")));
  return sdk::make_tensor(bytes + header.data_offset, dtype, header.shape);
}

/// SHA-256 of a file in memory. A large file's pages are given back as they have been read: a worker
/// opens more arrays than it computes with, and would hold all of them.
std::string hash_of(void* memory, std::size_t size) {
  constexpr std::size_t kPart = std::size_t{16} << 20;
  char* const bytes = static_cast<char*>(memory);
  Sha256 hash;
  for (std::size_t at = 0; at < size; at += kPart) {
    const std::size_t part = std::min(kPart, size - at);
    hash.update({bytes + at, part});
    if (size > kPart) ::madvise(bytes + at, part, MADV_DONTNEED);
  }
  return hash.hex();
}

}  // namespace

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= 100 && name[0] != '.' &&
         name.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") == name.npos;
}

void ArrayBag::take_texts(const std::string& lines) {
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    const std::string line = lines.substr(begin, end - begin);
    const std::size_t tab = line.find('\t');
    if (tab != line.npos) texts_[line.substr(0, tab)] = line.substr(tab + 1);
    begin = end + 1;
  }
}

void ArrayBag::take_array(const std::filesystem::path& file, std::shared_ptr<void> memory,
                          std::size_t size) {
  add(file.stem().string(), tensor_in(static_cast<char*>(memory.get()), size, file.string()));
  owners_.push_back(std::move(memory));
}

ArrayBag ArrayBag::open(const std::filesystem::path& folder, HashedFiles hashed) {
  ArrayBag bag;
  const auto entries = read_manifest(folder);
  std::size_t room = 0;
  for (const ManifestEntry& entry : entries) room += FileReader::room_of(entry.size);
  FileReader reader(room);
  for (const ManifestEntry& entry : entries) {
    const std::filesystem::path file = folder / entry.name;
    std::size_t size = 0;
    auto memory = reader.read(file, size);
    const char* const bytes = static_cast<const char*>(memory.get());
    const auto hash = [&] { return hash_of(memory.get(), size); };
    if (size != entry.size || !hashed.holds(file, entry.sha256, hash))
      throw DamagedArtifact(file.string() + ": damaged: its bytes are not those that were written");
    if (entry.name == kTextsFile)
      bag.take_texts(std::string(bytes, size));
    else
      bag.take_array(file, std::move(memory), size);
  }
  return bag;
}

ArrayBag ArrayBag::open_fresh(const std::filesystem::path& folder) {
  ArrayBag bag;
  const auto texts = file_text(folder / kTextsFile);
  if (!texts) throw DamagedArtifact(folder.string() + ": not a finished artifact");
  bag.take_texts(*texts);
  std::vector<std::filesystem::path> files;
  std::size_t room = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".npy") continue;
    files.push_back(entry.path());
    room += FileReader::room_of(entry.file_size());
  }
  FileReader reader(room);
  for (const auto& file : files) {
    std::size_t size = 0;
    auto memory = reader.read(file, size);
    bag.take_array(file, std::move(memory), size);
  }
  return bag;
}

std::optional<sdk::Tensor> ArrayBag::find(std::string_view name) const {
  const auto it = arrays_.find(name);
  if (it == arrays_.end()) return std::nullopt;
  return sdk::Tensor(it->second, name);
}

sdk::Tensor ArrayBag::get(std::string_view name) const {
  if (auto found = find(name)) return *found;
  throw std::runtime_error("array " + std::string(name) + " is missing");
}

std::string ArrayBag::text(std::string_view key, std::string_view otherwise) const {
  const auto it = texts_.find(key);
  return it == texts_.end() ? std::string(otherwise) : it->second;
}

std::vector<std::string> ArrayBag::names() const {
  std::vector<std::string> out;
  for (const auto& [name, tensor] : arrays_) out.push_back(name);
  return out;
}

void ArrayBag::add(const std::string& name, const cono_tensor& tensor) { arrays_[name] = tensor; }

char* ArrayBag::add_empty(const std::string& name, std::int32_t dtype,
                          const std::vector<std::int64_t>& shape) {
  cono_tensor tensor = sdk::make_tensor(nullptr, dtype, shape);
  const auto bytes = static_cast<std::size_t>(sdk::Tensor(tensor).size()) * sdk::dtype_size(dtype);
  auto memory = std::make_shared<std::vector<char>>(bytes);
  tensor.data = memory->data();
  owners_.push_back(memory);
  add(name, tensor);
  return memory->data();
}

void ArrayBag::adopt(ArrayBag&& other) {
  borrow_missing(other);
  owners_.insert(owners_.end(), other.owners_.begin(), other.owners_.end());
}

void ArrayBag::borrow_missing(const ArrayBag& other) {
  arrays_.insert(other.arrays_.begin(), other.arrays_.end());
  texts_.insert(other.texts_.begin(), other.texts_.end());
}

const cono_arrays* ArrayBag::raw() const {
  raw_arrays_.clear();
  raw_texts_.clear();
  for (const auto& [name, tensor] : arrays_)
    raw_arrays_.push_back({sizeof(cono_array), 0, name.c_str(), tensor});
  for (const auto& [key, value] : texts_)
    raw_texts_.push_back({sizeof(cono_text), 0, key.c_str(), value.c_str()});
  raw_ = {sizeof(cono_arrays),
          static_cast<std::uint32_t>(raw_arrays_.size()),
          static_cast<std::uint32_t>(raw_texts_.size()),
          0,
          raw_arrays_.data(),
          raw_texts_.data()};
  return &raw_;
}

ArtifactWriter::ArtifactWriter(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) throw std::system_error(error, folder_.string() + ": cannot be made");
  sink_.struct_size = sizeof(sink_);
  sink_.self = this;
  sink_.create = [](void* self, const char* name, std::int32_t dtype, std::int32_t ndim,
                    const std::int64_t* shape, cono_tensor* out) {
    return static_cast<ArtifactWriter*>(self)->create(name, dtype, ndim, shape, out);
  };
  sink_.text = [](void* self, const char* key, const char* value) {
    return static_cast<ArtifactWriter*>(self)->text(key, value);
  };
}

ArtifactWriter::~ArtifactWriter() = default;

cono_status ArtifactWriter::create(const char* name, std::int32_t dtype, std::int32_t ndim,
                                   const std::int64_t* shape, cono_tensor* out) {
  const auto refuse = [this](std::string why, cono_status status = CONO_INVALID_ARGUMENT) {
    fault_ = std::move(why);
    return status;
  };
  if (name == nullptr || !is_plain_name(name))
    return refuse("output name \"" + std::string(name == nullptr ? "" : name) +
                  "\": expected letters, digits, _ and .");
  if (contains(names_, name)) return refuse(std::string(name) + ": made twice");
  if (sdk::dtype_size(dtype) == 0)
    return refuse(std::string(name) + ": unknown dtype " + std::to_string(dtype));
  if (ndim < 1 || ndim > CONO_MAX_DIMENSIONS)
    return refuse(std::string(name) + ": " + std::to_string(ndim) + " dimensions, expected 1 to " +
                  std::to_string(CONO_MAX_DIMENSIONS));
  const std::span<const std::int64_t> extents(shape, static_cast<std::size_t>(ndim));
  const auto count = element_count(extents);
  if (!count) {
    std::size_t axis = 0;  // the first that is at fault
    while (element_count(extents.first(axis + 1))) ++axis;
    return refuse(std::string(name) + ": extent " + std::to_string(shape[axis]) + " of axis " +
                  std::to_string(axis) + " cannot be");
  }

  const std::string header = sdk::make_npy_header(dtype, extents);
  const std::size_t length = header.size() + *count * sdk::dtype_size(dtype);
  try {
    files_.emplace_back(folder_ / (std::string(name) + ".npy"), length);
  } catch (const std::system_error& e) {
    disk_fault_ = true;
    return refuse(e.what(), CONO_OUT_OF_MEMORY);
  }
  char* const bytes = files_.back().bytes();
  std::memcpy(bytes, header.data(), header.size());
  *out = sdk::make_tensor(bytes + header.size(), dtype, extents);
  names_.emplace_back(name);
  return CONO_OK;
}

cono_status ArtifactWriter::text(const char* key, const char* value) {
  if (key == nullptr || value == nullptr || !is_plain_name(key) ||
      std::strpbrk(value, "\t\n") != nullptr) {
    fault_ = "text " + std::string(key == nullptr ? "" : key) +
             ": the key must be plain, the value one line without tabs";
    return CONO_INVALID_ARGUMENT;
  }
  texts_[key] = value;
  return CONO_OK;
}

void ArtifactWriter::finish() {
  for (NewFile& file : files_) file.finish();
  std::string lines;
  for (const auto& [key, value] : texts_) lines.append(key).append(1, '\t').append(value) += '\n';
  NewFile texts(folder_ / kTextsFile, lines.size());
  lines.copy(texts.bytes(), lines.size());
  texts.finish();
}

}  // namespace conoscope::core
