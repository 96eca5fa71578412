// SPDX-License-Identifier: Apache-2.0
#include "results/store/merge.h"

#include <csignal>
#include <iostream>
#include <set>
#include <utility>
#include <vector>

#include "harness/app/command.h"
#include "harness/app/options.h"
#include "harness/app/verify.h"
#include "results/store/identity.h"
#include "results/store/sqlite.h"
#include "results/store/store.h"

namespace conoscope::app {

namespace {

std::set<std::string> texts_of(results::Store& store, std::string_view sql) {
  results::Statement rows(store.connection(), sql);
  std::set<std::string> out;
  while (rows.step()) out.insert(rows.text(0));
  return out;
}

/// Says what of a store nothing here can check.
void say_what_is_unchecked(results::Store& other, std::size_t not_drawn) {
  std::cerr << other.path().string() << ": not checked: ";
  if (not_drawn > 0)
    std::cerr << not_drawn << (not_drawn == 1 ? " attempt that was" : " attempts that were")
              << " not drawn; ";
  if (const auto failed = other.connection().integer(
          "SELECT count(*) FROM valid_attempt WHERE status NOT IN ('ok', 'not_applicable')");
      failed > 0)
    std::cerr << failed << (failed == 1 ? " attempt that" : " attempts that") << " failed; ";
  std::cerr << "times, memory, logs and messages; citations; events (docs/verify.md)\n";
}

/// Runs some of what a store would bring again. False: not all of it came out as it is there, or it
/// retracts what it did not bring.
///
/// merged  `into` as it would be afterwards: what counts there need not count in the other store
bool is_verified(results::Store& other, results::Store& into, results::Store& merged,
                 const Options& options) {
  const std::string file = other.path().string();
  const auto known = texts_of(into, "SELECT id FROM attempt");
  const auto retracted = texts_of(into, "SELECT attempt FROM retraction");
  for (const auto& attempt : texts_of(other, "SELECT attempt FROM retraction"))
    if (known.contains(attempt) && !retracted.contains(attempt)) {
      std::cerr << file << ": retracts attempt " << attempt << " of " << into.path().string()
                << '\n';
      return false;
    }
  // What was taken before says nothing about the rest.
  auto outcomes = results::outcomes_that_count(merged, "", known);
  const auto brought = texts_of(other, "SELECT id FROM attempt");
  std::erase_if(outcomes, [&](const auto& one) { return !brought.contains(one.attempt); });
  const std::size_t all = outcomes.size();
  outcomes = sampled(std::move(outcomes), options.number("verify", 1), options);
  if (outcomes.empty()) return true;
  const Verification verification = run_again(merged, outcomes, options);
  print_verification(verification, options.format());
  std::cerr << file << ": " << verification.summary() << '\n';
  say_what_is_unchecked(other, all - outcomes.size());
  return verification.passed();
}

}  // namespace

int merge_command(const Arguments& arguments) {
  Options options(
      "merge FILE... [options]",
      "Adds the results of other stores to this one, in any order and any number of times.\n"
      "FILE published: the results that ship.\n"
      "With --verify, only if cells of each of them, drawn at random from those that are new,\n"
      "come out the same when they are run again here, as by `conoscope verify`.\n"
      "Exit code 6: some did not, or could not be run; nothing was taken.",
      {"conoscope merge shard1.db shard2.db --store all.db",
       "conoscope merge published --store mine.db",
       "conoscope merge shard1.db --verify 2 --store board.db"});
  options.positional("files", -1);
  options.with_store();
  options.integer("verify", "N", "first run N of its cells again");
  add_run_again_options(options);
  if (!options.parse(arguments)) return kOk;
  if (!options.has("files")) throw UsageError("merge: which stores?");
  check_run_again_options(options);
  if (options.has("verify")) options.number("verify", 1);
  const auto& files = options.list("files");
  const auto file_of = [&files](std::size_t i) { return store_named(files[i]); };
  // All are opened before there is a store to merge into: a mistyped name must not leave an empty one.
  const bool verifies = options.has("verify");
  std::vector<results::Store> others;  // read once: what is run again is what is taken
  for (std::size_t i = 0; i < files.size(); ++i) {
    auto other = results::Store::open(file_of(i),
                                      verifies ? results::Mode::kCopy : results::Mode::kReadOnly);
    results::require_identities(other);
    if (verifies) others.push_back(std::move(other));
  }
  auto store = results::Store::open(options.store(), results::Mode::kReadWrite);
  if (verifies) try {
      auto merged = results::Store::open(options.store(), results::Mode::kCopy);
      for (auto& other : others) results::merge(merged, other);
      for (auto& other : others)
        if (!is_verified(other, store, merged, options)) {
          std::cerr << "nothing was taken\n";
          return kDifferent;
        }
    } catch (const Stopped& stopped) {
      std::cerr << "stopped; nothing was taken\n";
      return stopped.signal == SIGINT ? kInterrupted : kStopped;
    }
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::int64_t rows = 0, attempts = 0;
    // One at a time: a thousand stores would not fit into memory.
    for (const auto& [table, added] :
         verifies ? results::merge(store, others[i]) : results::merge(store, file_of(i))) {
      rows += added;
      if (table == "attempt") attempts = added;
    }
    std::cerr << files[i] << ": " << attempts << " new attempts, " << rows << " new rows\n";
  }
  return kOk;
}

}  // namespace conoscope::app
