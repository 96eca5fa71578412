// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "results/store/sqlite.h"
#include "results/store/store.h"

namespace conoscope::results {

// A store as text, for what is published: equal content gives equal bytes, and a changed score is a changed
// line. Fields end at tabs, rows at line ends; \N is NULL, and \\, \t, \n and \r stand for what they say.
//
//   conoscope store 1, schema 6
//   =component   key   kind   ...        a table, by its columns
//   3f07c2...    dataset ...             its rows, in the order of their keys
//
// Checksums and the scores that count are not in it: they follow from the rest.

/// Writes runs with their cells, their attempts that count or failed, and all that these refer to; of plugins'
/// files the name alone.
///
/// runs   their keys; empty: all, with the store's events
/// of     keys of components: only attempts at cells of one of them; empty: at all cells of the runs
/// parts  false: without the scores' parts. Such an attempt is another one than the whole: its id ends in
///        "-scores", and it merges beside it. One that ends so already keeps its id.
/// write  is given the text piece by piece
void write_text_form(Store& store, std::span<const std::string> runs, bool parts,
                     const std::function<void(std::string_view)>& write,
                     std::span<const std::string> of = {});

/// The same to a file, compressed where its name ends with .gz.
/// throws  std::runtime_error: it cannot be written
void write_text_form(Store& store, std::span<const std::string> runs, bool parts,
                     const std::filesystem::path& file, std::span<const std::string> of = {});

/// Is the file the text form of a store, compressed by gzip or not?
bool is_text_form(const std::filesystem::path& path);

/// Fills an empty database with the schema that the text has, and with its rows.
///
/// throws  StoreError: cannot_open; newer_schema; corrupt (says the line, and what is wrong there)
void read_text_form(const std::filesystem::path& path, Connection& empty);

}  // namespace conoscope::results
