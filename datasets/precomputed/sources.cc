// SPDX-License-Identifier: Apache-2.0
#include "datasets/precomputed/sources.h"

#include <algorithm>
#include <boost/algorithm/string/join.hpp>
#include <stdexcept>
#include <utility>

#include "datasets/formats/read_array.h"

namespace conoscope::datasets {

Sources::Sources(const sdk::Params& params, std::span<const sdk::Parameter> declared,
                 std::string who, const std::set<std::string_view>& no_arrays)
    : who_(std::move(who)) {
  for (const sdk::Parameter& parameter : declared)
    if (parameter.type == sdk::ParameterType::file && parameter.name != "archive" &&
        !no_arrays.contains(parameter.name))
      files_[std::string(parameter.name)] = params.file(parameter.name);
  for (const std::string& entry : params.texts("members")) {
    const std::size_t equals = entry.find('=');
    const std::string name = entry.substr(0, equals);
    if (equals == entry.npos || equals + 1 == entry.size() || !files_.contains(name))
      throw std::invalid_argument(who_ + ": members has '" + entry +
                                  "', expected NAME=ARRAY with the name of an array parameter");
    if (!members_.emplace(name, entry.substr(equals + 1)).second)
      throw std::invalid_argument(who_ + ": members names " + name + " twice");
  }
  const std::string archive = params.file("archive");
  if (!archive.empty()) archive_.emplace(archive);
}

formats::Array Sources::read_file(const std::string& name, const std::string& path) const {
  if (const auto named = members_.find(name); named != members_.end())
    return formats::read_array(path, named->second);
  if (!formats::archive_kind(path)) return formats::read_array(path);
  const formats::ArrayFile file(path);
  const auto names = file.names();
  if (names.size() == 1) return file.get(names.front());
  if (file.has(name)) return file.get(name);
  throw std::invalid_argument(path + ": holds " + std::to_string(names.size()) +
                              " arrays, none of them called " + name + " (" +
                              boost::algorithm::join(names, ", ") +
                              "); say which it is, as members = [\"" + name + "=ARRAY\"]");
}

std::optional<formats::Array> Sources::find(const std::string& name) const {
  const auto named = members_.find(name);
  const std::string& path = files_.at(name);
  if (!path.empty()) return read_file(name, path);
  if (archive_ && named != members_.end()) return archive_->get(named->second);
  if (archive_ && archive_->has(name)) return archive_->get(name);
  return std::nullopt;
}

formats::Array Sources::get(const std::string& name) const {
  if (auto found = find(name)) return *found;
  if (archive_) return archive_->get(name);  // refuses, and lists what the archive holds
  throw std::invalid_argument(who_ + ": " + name + " is not given, nor an archive that holds it");
}

std::vector<formats::Array> Sources::whole_or_halves(const std::string& name) const {
  auto whole = find(name), train = find("train_" + name), test = find("test_" + name);
  if (whole && (train || test))
    throw std::invalid_argument(who_ + ": " + name + " (" + whole->origin + ") and " +
                                (train ? "train_" : "test_") + name + " (" +
                                (train ? train : test)->origin +
                                ") are both given; give the whole or the two halves");
  if (train.has_value() != test.has_value())
    throw std::invalid_argument(who_ + ": " + std::string(train ? "train_" : "test_") + name +
                                " (" + (train ? train : test)->origin + ") is given without " +
                                (train ? "test_" : "train_") + name);
  if (whole) return {*whole};
  if (train) return {*train, *test};
  return {};
}

std::vector<std::string> Sources::unused() const {
  std::vector<std::string> names;
  if (archive_)
    for (const std::string& name : archive_->names())
      if (!files_.contains(name) &&
          std::ranges::find(members_, name, &decltype(members_)::value_type::second) ==
              members_.end())
        names.push_back(name);
  return names;
}

}  // namespace conoscope::datasets
