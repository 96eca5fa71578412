// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <iostream>

#include "harness/app/command.h"
#include "harness/app/store_options.h"
#include "harness/core/names.h"
#include "results/boards/retractable.h"

namespace conoscope::app {

namespace {

using results::Retractable;

/// " (did you mean 3fa9, of digits x resnet20 x svd, seed 0?)" for a mistyped beginning of a key.
std::string nearest(const std::string& text, const std::vector<Retractable>& known) {
  constexpr std::size_t kMistakes = 2;
  std::size_t least = kMistakes + 1;
  std::string best;
  for (const Retractable& one : known)
    for (const std::string* key : {&one.cell, &one.attempt}) {
      const std::string beginning = key->substr(0, text.size());
      const std::size_t distance = core::edit_distance(text, beginning);
      if (beginning.empty() || distance >= least) continue;
      least = distance;
      best = " (did you mean " + beginning + ", of " + one.label + "?)";
    }
  return best.empty() ? "; `conoscope plan --cells` lists cells, `conoscope show CELL` its attempts"
                      : best;
}

/// What begins like this: an attempt, or a cell with all the attempts that count there.
std::vector<Retractable> chosen(const std::string& text, const std::vector<Retractable>& known) {
  std::vector<Retractable> attempts, of_cell;
  std::string cell;
  bool several_cells = false;
  for (const Retractable& one : known) {
    if (!one.attempt.empty() && one.attempt.starts_with(text)) attempts.push_back(one);
    if (!one.cell.starts_with(text)) continue;
    several_cells = several_cells || (!cell.empty() && cell != one.cell);
    cell = one.cell;
    if (one.good && one.retracted.empty()) of_cell.push_back(one);
  }
  const bool is_cell = !cell.empty();
  if (!is_cell && attempts.empty())
    throw UsageError("retract: no cell or attempt begins with " + text + nearest(text, known));
  if (several_cells || attempts.size() > 1 || (is_cell && !attempts.empty()))
    throw UsageError("retract: several cells or attempts begin with " + text + "; give more of it");
  if (!is_cell && !attempts[0].retracted.empty())
    throw UsageError("retract: attempt " + attempts[0].attempt +
                     " is retracted already: " + attempts[0].retracted);
  if (!is_cell) return attempts;
  if (of_cell.empty()) throw UsageError("retract: no attempt counts at cell " + cell);
  return of_cell;
}

}  // namespace

int retract_command(const Arguments& arguments) {
  Options options(
      "retract CELL|ATTEMPT --reason TEXT [options]",
      "From now on an attempt does not count: not on boards, not in comparisons, and the next\n"
      "run does its cell again. It stays in the store, and `conoscope show` says why. CELL:\n"
      "every attempt that counts at this cell. Both are given by their key or the start of\n"
      "it, as `conoscope status`, `plan --cells` and `show` print them. What the cache holds\n"
      "of trained models and explanations is used again (`conoscope cache --trim 0` empties it).",
      {"conoscope retract 3fa9 --reason \"trained on the test split\""});
  options.positional("key", 1);
  options.text("reason", "TEXT", "why; it is kept with the attempt");
  options.with_store();
  if (!options.parse(arguments)) return kOk;
  if (!options.has("key")) throw UsageError("retract: which cell or attempt?");
  const auto text = options.list("key")[0];
  const auto reason = options.has("reason") ? options.get<std::string>("reason") : std::string();
  if (text.empty()) throw UsageError("retract: which cell or attempt?");
  if (reason.find_first_not_of(" \t\n") == reason.npos)
    throw UsageError("retract: --reason TEXT is missing; it is kept with the attempt");
  // First read: a mistake on the command line must neither make nor migrate a store.
  auto reader = open_store(options);
  const auto attempts = chosen(text, results::retractable(reader));

  auto store = results::Store::open(options.store(), results::Mode::kReadWrite);
  const auto now = results::utc_text(std::chrono::system_clock::now());
  for (const Retractable& one : attempts) {
    store.retract(one.attempt, reason, now);
    std::cerr << "retracted: attempt " << one.attempt << " of " << one.started_at << " ("
              << one.status << ") at " << one.label << '\n';
  }
  const Retractable* counts = nullptr;  // the newest first
  const auto after = results::retractable(store);
  for (const Retractable& one : after)
    if (one.cell == attempts[0].cell && one.good && one.retracted.empty()) {
      counts = &one;
      break;
    }
  std::cerr << "cell " << short_key(attempts[0].cell) << ": "
            << (counts == nullptr
                    ? "no attempt counts now, the next run does it again"
                    : "now attempt " + counts->attempt + " of " + counts->started_at + " counts")
            << '\n';
  return kOk;
}

}  // namespace conoscope::app
