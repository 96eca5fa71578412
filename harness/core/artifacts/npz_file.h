// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace conoscope::core {

/// Packs an artifact into one .npz file, which numpy.load() reads: its arrays as NAME.npy, not
/// compressed, and its texts as the member texts.tsv (a key, a tab and a value a line); nothing else
/// that lies in the folder. Members are sorted and carry no time, so equal arrays and texts give equal
/// bytes. The file appears whole or not
/// at all; one that is there is replaced.
///
/// throws  std::runtime_error, beginning with the file: it cannot be written
void write_npz(const std::filesystem::path& artifact, const std::filesystem::path& file);

}  // namespace conoscope::core
