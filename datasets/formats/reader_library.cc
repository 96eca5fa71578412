// SPDX-License-Identifier: Apache-2.0
#include "datasets/formats/reader_library.h"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <stdexcept>

#define CONOSCOPE_TEXT(word) #word
#define CONOSCOPE_TEXT_OF(word) CONOSCOPE_TEXT(word)

namespace conoscope::formats {

std::shared_ptr<const NamedArrays> open_with_library(const char* library, const std::string& path) {
  constexpr const char* kName = CONOSCOPE_TEXT_OF(CONOSCOPE_READER_NAME(CONOSCOPE_READERS));
  Dl_info here{};
  link_map* own = nullptr;
  if (::dladdr1(reinterpret_cast<const void*>(&open_with_library), &here,
                reinterpret_cast<void**>(&own), RTLD_DL_LINKMAP) == 0)
    throw std::runtime_error(path + ": its reader cannot be looked for");
  // A program, whose name there is empty, is elsewhere, and says where by its RPATH.
  const std::filesystem::path file =
      *own->l_name == '\0' ? std::filesystem::path(library)
                           : std::filesystem::path(own->l_name).parent_path() / library;
  void* const loaded = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  void* const open = loaded == nullptr ? nullptr : ::dlsym(loaded, kName);
  if (open == nullptr)
    throw std::runtime_error(path + ": its reader cannot be loaded: " + ::dlerror());
  return std::shared_ptr<const NamedArrays>(
      reinterpret_cast<NamedArrays* (*)(const std::string&)>(open)(path));
}

}  // namespace conoscope::formats
