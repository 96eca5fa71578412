// SPDX-License-Identifier: Apache-2.0
#include "harness/app/submission.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "harness/app/command.h"
#include "harness/app/folders.h"
#include "harness/app/text_file.h"
#include "harness/core/artifacts/sha256.h"
#include "harness/core/names.h"
#include "harness/core/path_fault.h"
#include "harness/core/run/registration.h"
#include "results/store/error.h"

namespace conoscope::app {

namespace fs = std::filesystem;

namespace {

/// A line of hashes.tsv.
struct Hash {
  std::string what, sha256, name;
};

std::vector<Hash> hashes_of(const core::Plan& plan) {
  std::vector<Hash> out = {
      {"cells", plan.run_key, plain_name(plan)},
      {"run file", core::sha256_of_text(plan.run_file.text),
       fs::absolute(plan.run_file.path).string()},
      {"command", core::sha256_of_file(own_executable()), own_executable().string()}};
  std::map<std::string, std::string> plugins;
  for (const auto* component : plan.components())
    plugins[component->plugin.file.string()] = component->plugin.sha256;
  for (const auto& [file, sha256] : plugins) out.push_back({"plugin", sha256, file});
  return out;
}

/// The fields of every line of a file of the folder.
std::vector<std::vector<std::string>> rows_of(const fs::path& file) {
  std::ifstream in(file);
  if (!in) throw std::invalid_argument(file.string() + ": cannot be read");
  std::vector<std::vector<std::string>> out;
  for (std::string line; std::getline(in, line);) {
    out.emplace_back();
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, '\t');) out.back().push_back(field);
  }
  return out;
}

[[noreturn]] void malformed(const fs::path& file) {
  throw std::invalid_argument(file.string() + ": not as `conoscope submit` wrote it");
}

/// 20261123T063000
std::string stamp() {
  std::string out;
  for (const char c : core::now_text().substr(0, 19))
    if (c == 'T' || (c >= '0' && c <= '9')) out += c;
  return out;
}

}  // namespace

fs::path Submission::store(std::size_t shard) const {
  return folder / ("shard-" + std::to_string(shard) + ".db");
}

std::string Submission::changed(const core::Plan& plan) const {
  std::map<std::string, std::vector<std::string>> then;
  const auto file = folder / "hashes.tsv";
  for (const auto& row : rows_of(file)) {
    if (row.size() != 3) malformed(file);
    then[row[0]].push_back(row[1]);
  }
  for (const Hash& now : hashes_of(plan)) {
    if (!core::contains(then[now.what], now.sha256))
      return now.what == "cells" ? "what " + now.name + " asks for (cells, data or metrics)"
                                 : now.what + ' ' + now.name;
  }
  return "";
}

core::Split Submission::split(const core::Plan& plan) const {
  const auto file = folder / "cells.tsv";
  std::map<std::string, std::size_t> shard_of;
  core::Split out;
  for (const auto& row : rows_of(file)) {
    std::size_t shard = 0;
    if (row.size() != 2) malformed(file);
    const char* last = row[1].data() + row[1].size();
    if (std::from_chars(row[1].data(), last, shard).ptr != last || shard == 0) malformed(file);
    if (row[0] == "shards")
      out.shards = shard;
    else
      shard_of[row[0]] = shard - 1;
  }
  for (const auto& cell : plan.cells) {
    const auto it = shard_of.find(cell.key);
    if (it != shard_of.end() && it->second >= out.shards) malformed(file);
    out.shard_of.push_back(it == shard_of.end() ? core::Split::kNone : it->second);
  }
  return out;
}

std::vector<Submission::Job> Submission::jobs() const {
  std::vector<Job> out;
  const auto file = folder / "jobs.tsv";
  if (!fs::exists(file)) return out;
  for (const auto& row : rows_of(file)) {
    if (row.size() != 2) malformed(file);
    out.push_back({row[0], row[1]});
  }
  return out;
}

void Submission::add_job(const Job& job) const {
  const fs::path file = folder / "jobs.tsv";
  std::ofstream out(file, std::ios::app);
  out << job.what << '\t' << job.id << '\n';
  out.close();
  if (!out)
    throw results::StoreError(results::StoreProblem::cannot_open,
                              file.string() + ": cannot be written: " + std::strerror(errno));
}

std::string plain_name(const core::Plan& plan) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
  std::string out = plan.run_file.name;
  for (char& c : out)
    if (kPlain.find(c) == kPlain.npos) c = '-';
  return out;
}

Submission freeze(const core::Plan& plan, const core::Split& split, const fs::path& parent) {
  make_folder(parent);
  const std::string name = plain_name(plan) + "-" + stamp();
  Submission out{parent / name};
  std::error_code error;
  for (int n = 2; !fs::create_directory(out.folder, error) && !error; ++n)
    out.folder = parent / (name + "-" + std::to_string(n));
  make_folder(out.folder / "log");  // says so where the folder above it cannot be made
  write_text(out.folder / fs::path(plan.run_file.path).filename(), plan.run_file.text);
  std::string cells = "shards\t" + std::to_string(split.shards) + '\n';
  for (std::size_t i = 0; i < plan.cells.size(); ++i)
    if (split.shard_of[i] != core::Split::kNone)
      cells += plan.cells[i].key + '\t' + std::to_string(split.shard_of[i] + 1) + '\n';
  write_text(out.folder / "cells.tsv", cells);
  std::string hashes;
  for (const Hash& hash : hashes_of(plan))
    hashes += hash.what + '\t' + hash.sha256 + '\t' + hash.name + '\n';
  write_text(out.folder / "hashes.tsv", hashes);  // the last: with it, the folder is a submission
  return out;
}

std::vector<Submission> submissions(const core::Plan& plan, const fs::path& parent) {
  std::vector<Submission> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    const auto hashes = entry.path() / "hashes.tsv";
    if (!fs::exists(hashes, error)) continue;
    for (const auto& row : rows_of(hashes))
      if (row.size() == 3 && row[0] == "cells" && row[2] == plain_name(plan))
        out.push_back({entry.path()});
  }
  std::sort(out.begin(), out.end(), [](const Submission& a, const Submission& b) {
    return fs::last_write_time(a.folder / "hashes.tsv") <
           fs::last_write_time(b.folder / "hashes.tsv");
  });
  return out;
}

core::Split frozen_split(const core::Plan& plan, const fs::path& folder) {
  const Submission submission{folder};
  if (!core::fault_of_file(folder / "hashes.tsv").empty())
    throw UsageError("--frozen " + folder.string() + ": no folder of `conoscope submit`");
  if (const auto what = submission.changed(plan); !what.empty())
    throw UsageError("--frozen " + folder.string() + ": " + what +
                     " has changed since the run was submitted; submit it again");
  return submission.split(plan);
}

}  // namespace conoscope::app
