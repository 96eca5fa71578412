// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace conoscope::fuzz {

// Whatever reads bytes that others have made. Each takes any bytes: it may refuse them by an
// exception that says why, and may do nothing else. Returns what libFuzzer wants: 0.

int csv(std::string_view bytes);  ///< also gzipped, and as text with units
int hdf5(std::string_view bytes);
int image(std::string_view bytes);     ///< PNG, JPEG
int job(std::string_view bytes);       ///< what a worker is told
int merge(std::string_view bytes);     ///< a store that is merged into another
int note(std::string_view bytes);      ///< a plugin file, and its metadata
int metadata(std::string_view bytes);  ///< the text in the note
int npy(std::string_view bytes);
int npz(std::string_view bytes);
int reports(std::string_view bytes);  ///< what a worker says
int run_file(std::string_view bytes);

}  // namespace conoscope::fuzz
