// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "results/store/store.h"

namespace conoscope::results {

/// Adds to a store what another one has more, in one transaction; the other one is only read.
/// In any order and any number of times: what is there already is left alone.
///
/// returns  rows added by table, tables without news included
/// throws   StoreError: newer_schema; corrupt (the other one is not what was written, see verify());
///          conflict (what a component, metric, cell, environment, run or attempt of both stores
///          stands for is not the same: one of the two files was tampered with); cannot_open,
///          not_a_database, disk_full
///          std::invalid_argument: both are the same file
std::map<std::string, std::int64_t> merge(Store& into, Store& other);
std::map<std::string, std::int64_t> merge(Store& into, const std::filesystem::path& from);

/// The same for some attempts that count, with all that they refer to. Of the runs that made them, the
/// rows of `run` alone come along, not what these runs ask for.
///
/// attempts  ids; one that the other store does not have brings nothing
std::map<std::string, std::int64_t> merge_attempts(Store& into, Store& other,
                                                   std::span<const std::string> attempts);

}  // namespace conoscope::results
