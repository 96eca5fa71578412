#include "datasets/formats/reader_library.h"

#include <dlfcn.h>

#include <filesystem>
#include <stdexcept>
#include <system_error>

#define CONOSCOPE_TEXT(word) #word
#define CONOSCOPE_TEXT_OF(word) CONOSCOPE_TEXT(word)

namespace conoscope::formats {

std::shared_ptr<const NamedArrays> open_with_library(const char* library, const std::string& path) {
  constexpr const char* kName = CONOSCOPE_TEXT_OF(CONOSCOPE_READER_NAME(CONOSCOPE_READERS));
  Dl_info here{};
  ::dladdr(reinterpret_cast<const void*>(&open_with_library), &here);
  std::filesystem::path file = std::filesystem::path(here.dli_fname).parent_path() / library;
  // A program is elsewhere, and says where by its RUNPATH.
  if (std::error_code error; !std::filesystem::exists(file, error)) file = library;
  void* const loaded = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  void* const open = loaded == nullptr ? nullptr : ::dlsym(loaded, kName);
  if (open == nullptr)
    throw std::runtime_error(path + ": its reader cannot be loaded: " + ::dlerror());
  return std::shared_ptr<const NamedArrays>(
      reinterpret_cast<NamedArrays* (*)(const std::string&)>(open)(path));
}

}  // namespace conoscope::formats
