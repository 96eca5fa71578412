// SPDX-License-Identifier: Apache-2.0
#include "datasets/formats/safetensors.h"

#include <algorithm>
#include <boost/algorithm/string/join.hpp>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace conoscope::formats {
namespace {

struct Kind {
  std::string_view name;
  std::size_t bytes;
  std::optional<DType> dtype;  ///< none: not read, but its size is known
};

constexpr Kind kKinds[] = {{"F64", 8, DType::f8},  {"F32", 4, DType::f4}, {"F16", 2, DType::f2},
                           {"BF16", 2, DType::f4}, {"I64", 8, DType::i8}, {"I32", 4, DType::i4},
                           {"I16", 2, DType::i2},  {"I8", 1, DType::i1},  {"U64", 8, DType::u8},
                           {"U32", 4, DType::u4},  {"U16", 2, DType::u2}, {"U8", 1, DType::u1},
                           {"BOOL", 1, DType::b1}, {"F8_E4M3", 1, {}},    {"F8_E5M2", 1, {}}};

const Kind* kind_of(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name, &Kind::name);
  return found == std::end(kKinds) ? nullptr : found;
}

/// The JSON of such a header and no other: objects of texts, numbers and lists of numbers. A library's
/// parser takes the last of two equal keys, 10^20 for a rounded one, and 1.5 GB for 20 MB of "[".
class Header {
 public:
  Header(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  [[noreturn]] void fail(const std::string& why) const {
    throw std::invalid_argument(path_ + ": the header at byte " + std::to_string(8 + at_) + ": " +
                                why);
  }

  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!take(c)) fail(std::string("'") + c + "' is expected");
  }

  std::string text() {
    expect('"');
    std::string out;
    for (;; ++at_) {
      if (at_ >= text_.size()) fail("a text does not end");
      const char c = text_[at_];
      if (c == '"') break;
      if (c != '\\') {
        out += c;
        continue;
      }
      if (++at_ >= text_.size()) fail("a text does not end");
      // \u and the like stand in no array's name that one could type: kept as they are written.
      if (text_[at_] != '"' && text_[at_] != '\\' && text_[at_] != '/') out += '\\';
      out += text_[at_];
    }
    ++at_;
    return out;
  }

  std::int64_t number() {
    skip_blanks();
    std::int64_t value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) fail("a whole number of 0 or more is expected");
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  std::vector<std::int64_t> numbers() {
    std::vector<std::int64_t> out;
    expect('[');
    if (take(']')) return out;
    do out.push_back(number());
    while (take(','));
    expect(']');
    return out;
  }

  /// Calls member(key) at each value of an object.
  template <typename Member>
  void object(Member&& member) {
    expect('{');
    if (take('}')) return;
    std::set<std::string> keys;
    do {
      const std::string key = text();
      if (!keys.insert(key).second) fail("'" + key + "' is listed twice");
      expect(':');
      member(key);
    } while (take(','));
    expect('}');
  }

  void expect_end() {
    skip_blanks();
    if (at_ < text_.size()) fail("something follows the header's last brace");
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  std::string_view text_;
  const std::string& path_;
  std::size_t at_ = 0;
};

/// The upper half of a float32 each.
std::shared_ptr<std::vector<char>> widen_bf16(std::span<const char> bytes) {
  auto out = std::make_shared<std::vector<char>>(bytes.size() * 2, '\0');
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2)
    std::memcpy(out->data() + 2 * i + 2, bytes.data() + i, 2);
  return out;
}

}  // namespace

Safetensors::Safetensors(const std::string& path)
    : path_(path), file_(std::make_shared<const MappedFile>(path)) {
  const std::span<const char> all = file_->bytes();
  std::uint64_t length = 0;
  if (all.size() < 8)
    throw std::invalid_argument(path + ": cut short: " + std::to_string(all.size()) +
                                " bytes, too few for a .safetensors header");
  std::memcpy(&length, all.data(), 8);
  if (length > all.size() - 8)
    throw std::invalid_argument(path + ": the header is said to have " + std::to_string(length) +
                                " bytes, but the file has " + std::to_string(all.size()) +
                                ": cut short, or not a .safetensors file");
  const std::span<const char> data = all.subspan(8 + static_cast<std::size_t>(length));
  Header header({all.data() + 8, static_cast<std::size_t>(length)}, path);

  using Range = std::pair<std::int64_t, std::int64_t>;
  std::vector<std::pair<Range, std::string>> ranges;
  header.object([&](const std::string& name) {
    if (name == "__metadata__") return header.object([&](const std::string&) { header.text(); });
    Entry entry;
    std::vector<std::int64_t> offsets;
    bool shaped = false;
    header.object([&](const std::string& key) {
      if (key == "dtype") {
        entry.dtype = header.text();
      } else if (key == "shape") {
        entry.shape = header.numbers();
        shaped = true;
      } else if (key == "data_offsets") {
        offsets = header.numbers();
      } else {
        header.fail("'" + key + "' is not a key of the array '" + name + "'");
      }
    });
    const std::string origin = path + ": " + name;
    if (entry.dtype.empty() || !shaped || offsets.size() != 2)
      throw std::invalid_argument(origin + ": the header has not its dtype, shape and two offsets");
    const auto held = static_cast<std::int64_t>(data.size());
    if (offsets[0] > offsets[1] || offsets[1] > held)
      throw std::invalid_argument(origin + ": its bytes are said to be " +
                                  std::to_string(offsets[0]) + " to " + std::to_string(offsets[1]) +
                                  ", but the file has " + std::to_string(held) +
                                  " behind the header");
    const Kind* kind = kind_of(entry.dtype);
    if (kind == nullptr)
      throw std::invalid_argument(origin + ": dtype " + entry.dtype + " is not one that is known");
    std::int64_t needed = 0;
    if (__builtin_mul_overflow(element_count(entry.shape, origin),
                               static_cast<std::int64_t>(kind->bytes), &needed) ||
        needed != offsets[1] - offsets[0])
      throw std::invalid_argument(origin + ": " + std::to_string(offsets[1] - offsets[0]) +
                                  " bytes, expected " + std::to_string(needed) + " (" +
                                  shape_text(entry.shape) + ", " + entry.dtype + ")");
    entry.bytes =
        data.subspan(static_cast<std::size_t>(offsets[0]), static_cast<std::size_t>(needed));
    ranges.push_back({{offsets[0], offsets[1]}, name});
    names_.push_back(name);
    entries_.push_back(std::move(entry));
  });
  header.expect_end();

  std::ranges::sort(ranges);
  std::int64_t end = 0;
  for (const auto& [range, name] : ranges) {
    if (range.first != end)
      throw std::invalid_argument(path + ": " + name + ": its bytes begin at " +
                                  std::to_string(range.first) + ", but those before it end at " +
                                  std::to_string(end));
    end = range.second;
  }
  if (end != static_cast<std::int64_t>(data.size()))
    throw std::invalid_argument(path + ": " + std::to_string(data.size()) +
                                " bytes behind the header, but the arrays have " +
                                std::to_string(end));
}

bool Safetensors::has(const std::string& name) const {
  return std::ranges::find(names_, name) != names_.end();
}

const Safetensors::Entry& Safetensors::entry(const std::string& name) const {
  const auto found = std::ranges::find(names_, name);
  if (found == names_.end()) {
    throw std::invalid_argument(path_ + ": no array '" + name + "'; it holds " +
                                (names_.empty() ? "none" : boost::algorithm::join(names_, ", ")));
  }
  return entries_[static_cast<std::size_t>(found - names_.begin())];
}

ArrayLayout Safetensors::layout(const std::string& name) const {
  const Entry& found = entry(name);
  const auto dtype = kind_of(found.dtype)->dtype;
  if (!dtype)
    throw std::invalid_argument(path_ + ": " + name + ": dtype " + found.dtype +
                                " is not one that is read; save it as float32");
  return {*dtype, found.shape};
}

Array Safetensors::get(const std::string& name) const {
  const Entry& found = entry(name);
  ArrayLayout layout = this->layout(name);
  Array array{layout.dtype, std::move(layout.shape), found.bytes, file_, path_ + ": " + name};
  if (found.dtype == "BF16") {
    const auto widened = widen_bf16(found.bytes);
    array.bytes = *widened;
    array.owner = widened;
  }
  return array;
}

void Safetensors::read_rows(const std::string& name, std::span<const std::int64_t> rows,
                            const RowVisitor& visit) const {
  const Array array = get(name);
  if (array.shape.empty())
    throw std::invalid_argument(array.origin + ": a single number has no rows");
  check_rows(rows, array.shape[0], array.origin);
  const std::size_t width =
      array.shape[0] == 0 ? 0 : array.bytes.size() / static_cast<std::size_t>(array.shape[0]);
  for (std::size_t i = 0; i < rows.size(); ++i)
    visit(i, array.bytes.subspan(static_cast<std::size_t>(rows[i]) * width, width));
}

}  // namespace conoscope::formats
