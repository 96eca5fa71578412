// SPDX-License-Identifier: Apache-2.0
#include "harness/app/cpu_level.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "harness/app/cpu_option.h"
#include "harness/app/folders.h"
#include "harness/core/version.h"

namespace conoscope::app {

namespace {

bool has_launcher = false, was_asked = false;

void require_own(const std::string& asked, const std::string& where) {
  if (asked == "portable" || asked == "best" || asked == core::cpu_level()) return;
  throw UsageError(where + asked + ": this build has " +
                   (core::cpu_level().empty() ? "one level" : core::cpu_level()) +
                   " only; portable and best are that, too");
}

}  // namespace

void settle_cpu(Arguments& arguments) {
  has_launcher = own_executable() != own_program();
  std::string asked;
  if (const char* value = std::getenv(kCpuVariable)) asked = value;
  std::string where = std::string(kCpuVariable) + "=";
  for (auto word = arguments.begin(); word != arguments.end() && *word != "--";) {
    const bool apart = *word == "--cpu";
    if (!apart && !word->starts_with("--cpu=")) {
      ++word;
      continue;
    }
    if (apart && word + 1 == arguments.end())
      throw UsageError("--cpu: expected portable, best or a level");
    asked = apart ? *(word + 1) : word->substr(6);
    where = "--cpu ";
    word = arguments.erase(word, word + (apart ? 2 : 1));
  }
  was_asked = !asked.empty();
  if (has_launcher)
    ::setenv(kCpuVariable, core::cpu_level().c_str(), 1);
  else if (was_asked)
    require_own(asked, where);
}

void follow_cpu(const std::string& asked, const std::filesystem::path& run_file) {
  if (asked.empty() || was_asked) return;
  if (!has_launcher) return require_own(asked, run_file.string() + ": cpu = ");
  if (asked == core::cpu_level()) return;
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::string words{std::istreambuf_iterator<char>(in), {}};
  std::vector<char*> list;
  for (std::size_t at = 0; at < words.size(); at += std::strlen(words.c_str() + at) + 1)
    list.push_back(words.data() + at);
  list.push_back(nullptr);
  ::setenv(kCpuVariable, asked.c_str(), 1);
  ::execv(own_executable().c_str(), list.data());
  throw std::runtime_error(own_executable().string() + ": " + std::strerror(errno));
}

}  // namespace conoscope::app
