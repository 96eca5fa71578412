#include "datasets/formats/read_array.h"

#include <stdexcept>
#include <string_view>

#include "datasets/formats/csv.h"
#include "datasets/formats/file.h"
#include "datasets/formats/npy.h"
#include "datasets/formats/npz.h"

namespace conoscope::formats {

Array read_array(const std::string& path) {
  const auto starts_with = [&path](std::string_view magic) {
    const MappedFile file(path);
    return std::string_view(file.bytes().data(), file.bytes().size()).starts_with(magic);
  };
  if (starts_with("\x93NUMPY")) return read_npy(path);
  if (!starts_with("PK")) return to_array(read_csv(path), path);
  const Npz archive(path);
  if (archive.names().size() != 1) {
    std::string held;
    for (const std::string& name : archive.names()) held += (held.empty() ? "" : ", ") + name;
    throw std::invalid_argument(path + ": an archive of " + std::to_string(archive.names().size()) +
                                " arrays where one is expected (" + held + ")");
  }
  return archive.get(archive.names().front());
}

}  // namespace conoscope::formats
