// SPDX-License-Identifier: Apache-2.0
// Files with arrays and images.

#include "datasets/formats/csv.h"
#include "datasets/formats/hdf5.h"
#include "datasets/formats/image.h"
#include "datasets/formats/npy.h"
#include "datasets/formats/npz.h"
#include "tests/fuzz/bytes_in_file.h"
#include "tests/fuzz/targets.h"

namespace conoscope::fuzz {

namespace {

/// Every number of it is looked at.
void use(const formats::Array& array) { formats::check_finite(array, "fuzz"); }

}  // namespace

int npy(std::string_view bytes) {
  const BytesInFile file(bytes);
  return answered([&] { use(formats::read_npy(file.path())); });
}

int npz(std::string_view bytes) {
  const BytesInFile file(bytes);
  return answered([&] {
    const formats::Npz archive(file.path());
    for (const auto& name : archive.names()) answered([&] { use(archive.get(name)); });
  });
}

int csv(std::string_view bytes) {
  const BytesInFile file(bytes);
  answered([&] { use(formats::to_array(formats::read_csv(file.path()), file.path())); });
  return answered([&] {
    formats::read_text_csv(file.path(), {.header = formats::CsvHeader::kPresent, .skip_lines = 1});
  });
}

int hdf5(std::string_view bytes) {
  const BytesInFile file(bytes);
  return answered([&] {
    const formats::Hdf5 content(file.path());
    for (const char* key : {"/a", "/group/b", "/text"}) answered([&] { use(content.get(key)); });
  });
}

int image(std::string_view bytes) {
  const BytesInFile file(bytes);
  return answered([&] { formats::read_image(file.path(), formats::Colour::kRgb); });
}

}  // namespace conoscope::fuzz
