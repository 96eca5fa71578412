// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conoscope/sdk/plugin.h"
#include "datasets/formats/array.h"
#include "datasets/formats/array_file.h"

namespace conoscope::datasets {

/// Where the arrays of a `precomputed` plugin come from: a file for each name, or a member of one
/// archive. A file wins over the archive's member of the same name. Of a file of several arrays a
/// name means the one that is called so; the parameter `members`, texts NAME=ARRAY, says which it is
/// where that has another name.
class Sources {
 public:
  /// Of the declared parameters every file names an array, but `archive` and `no_arrays`.
  /// who     the plugin's id, with which messages begin
  /// throws  std::invalid_argument: the archive cannot be read, or `members` is not as above
  Sources(const sdk::Params& params, std::span<const sdk::Parameter> declared, std::string who,
          const std::set<std::string_view>& no_arrays = {});

  /// throws  std::invalid_argument: the file or member cannot be read, or the file holds several
  ///         arrays and none of the name (lists them)
  std::optional<formats::Array> find(const std::string& name) const;

  /// throws  std::invalid_argument: neither given, or it cannot be read
  formats::Array get(const std::string& name) const;

  /// The array `name`, or else `train_name` and `test_name` in this order, or nothing.
  /// throws  std::invalid_argument: both forms are given, or one half without the other
  std::vector<formats::Array> whole_or_halves(const std::string& name) const;

  /// Members of the archive that have none of the names.
  std::vector<std::string> unused() const;

 private:
  formats::Array read_file(const std::string& name, const std::string& path) const;

  std::string who_;
  std::map<std::string, std::string> files_;    ///< name -> path, "" when not given
  std::map<std::string, std::string> members_;  ///< name -> array of the file or of the archive
  std::optional<formats::ArrayFile> archive_;
};

}  // namespace conoscope::datasets
