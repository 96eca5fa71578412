// SPDX-License-Identifier: Apache-2.0
#include "datasets/celeba/annotations.h"

#include <algorithm>
#include <boost/algorithm/string/join.hpp>
#include <charconv>
#include <set>
#include <stdexcept>
#include <string_view>

#include "datasets/formats/file.h"

namespace conoscope::datasets::celeba {
namespace {

/// The lines of a text file, each as fields with blanks between.
class Lines {
 public:
  explicit Lines(const std::string& path) : path_(path), file_(path) {
    left_ = {file_.bytes().data(), file_.bytes().size()};
  }

  /// False: the end. Empty lines are passed over.
  bool next(std::vector<std::string_view>& fields) {
    fields.clear();
    while (fields.empty() && !left_.empty()) {
      ++number_;
      const std::size_t end = std::min(left_.find('\n'), left_.size());
      constexpr std::string_view kBlank = " \t\r";
      std::string_view line = left_.substr(0, end);
      left_.remove_prefix(std::min(end + 1, left_.size()));
      while (true) {
        line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
        if (line.empty()) break;
        fields.push_back(line.substr(0, line.find_first_of(kBlank)));
        line.remove_prefix(fields.back().size());
      }
    }
    return !fields.empty();
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw std::invalid_argument(path_ + ":" + std::to_string(std::max<std::size_t>(number_, 1)) +
                                ": " + why);
  }

 private:
  std::string path_;
  formats::MappedFile file_;
  std::string_view left_;
  std::size_t number_ = 0;
};

}  // namespace

std::size_t Attributes::index(const std::string& name) const {
  const auto at = std::ranges::find(names, name);
  if (at == names.end())
    throw std::invalid_argument(path + ": no attribute '" + name + "'; it has " +
                                boost::algorithm::join(names, ", "));
  return static_cast<std::size_t>(at - names.begin());
}

Attributes read_attributes(const std::string& path) {
  Lines lines(path);
  std::vector<std::string_view> fields;
  std::size_t count = 0;
  if (!lines.next(fields) || fields.size() != 1 ||
      std::from_chars(fields[0].begin(), fields[0].end(), count).ptr != fields[0].end())
    lines.fail("expected the number of images");
  Attributes out;
  out.path = path;
  if (!lines.next(fields)) lines.fail("expected the names of the attributes");
  out.names.assign(fields.begin(), fields.end());
  std::set<std::string> seen;
  while (lines.next(fields)) {
    if (fields.size() != out.names.size() + 1)
      lines.fail(std::to_string(fields.size()) + " fields, expected a name and " +
                 std::to_string(out.names.size()) + " attributes");
    out.images.emplace_back(fields[0]);
    if (!seen.insert(out.images.back()).second)
      lines.fail(out.images.back() + " has a line already");
    for (std::size_t a = 0; a < out.names.size(); ++a) {
      if (fields[a + 1] != "1" && fields[a + 1] != "-1")
        lines.fail(out.names[a] + " is '" + std::string(fields[a + 1]) + "', expected 1 or -1");
      out.values.push_back(fields[a + 1] == "1" ? 1 : 0);
    }
  }
  if (out.images.size() != count)
    lines.fail("the file ends after " + std::to_string(out.images.size()) + " images, of " +
               std::to_string(count) + " that its first line says");
  return out;
}

std::map<std::string, int> read_partition(const std::string& path) {
  Lines lines(path);
  std::vector<std::string_view> fields;
  std::map<std::string, int> out;
  while (lines.next(fields)) {
    if (fields.size() != 2 || fields[1].size() != 1 || fields[1][0] < '0' || fields[1][0] > '2')
      lines.fail("expected the name of an image and 0, 1 or 2");
    if (!out.emplace(fields[0], fields[1][0] - '0').second)
      lines.fail(std::string(fields[0]) + " has a line already");
  }
  return out;
}

}  // namespace conoscope::datasets::celeba
