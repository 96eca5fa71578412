// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <fstream>
#include <iostream>
#include <sstream>

#include "harness/app/command.h"
#include "harness/app/folders.h"
#include "harness/app/options.h"
#include "harness/app/text_file.h"
#include "harness/core/border/metadata.h"
#include "harness/core/names.h"

namespace conoscope::app {

namespace fs = std::filesystem;

namespace {

/// my_method -> MyMethod
std::string class_name(const std::string& id) {
  std::string out;
  bool upper = true;
  for (const char c : id) {
    if (c == '_') {
      upper = true;
      continue;
    }
    out += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  return out;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

}  // namespace

int plugin_new_command(const Arguments& arguments) {
  Options options(
      "plugin new KIND ID [options]",
      "Writes a folder ID with a small working plugin of that kind (dataset, model,\n"
      "explainer or metric) and a run file that uses it; in C++ with its CMakeLists.txt, in\n"
      "Python there is nothing to build.",
      {"conoscope plugin new explainer my_ica --language python",
       "conoscope plugin new explainer my_method",
       "cmake -S my_method -B my_method/build && cmake --build my_method/build",
       "conoscope plugin check my_method/build/my_method.so", "conoscope run my_method/run.toml"});
  options.positional("words", 2);
  options.text("folder", "DIR", "where to write it (default: ./ID)");
  options.text("language", "NAME", "c++ or python", "c++");
  if (!options.parse(arguments)) return kOk;
  const auto words = options.list("words");
  if (words.size() != 2) throw UsageError("plugin new: expected KIND and ID");
  const std::string &kind = words[0], &id = words[1];
  if (!core::kind_from(kind))
    throw UsageError("no kind " + kind +
                     core::did_you_mean(kind, {"dataset", "model", "explainer", "metric"}));
  if (id.empty() || !std::islower(static_cast<unsigned char>(id[0])) ||
      id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != id.npos)
    throw UsageError("plugin new: the id " + id +
                     " must start with a letter and hold only lower-case letters, digits and _");

  const auto language = options.get<std::string>("language");
  if (language != "c++" && language != "python")
    throw UsageError("--language " + language + ": expected c++ or python");
  const bool python = language == "python";
  const fs::path source = share_folder() / "template" / (python ? "python/" + kind : kind);
  const fs::path target =
      options.has("folder") ? fs::path(options.get<std::string>("folder")) : fs::path(id);
  std::error_code error;
  if (fs::exists(target, error) && !fs::is_empty(target, error))
    throw UsageError(target.string() + ": is there already and not empty");
  if (!fs::is_directory(source, error))
    throw std::runtime_error(source.string() + ": the templates of this installation are missing");

  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(source)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  make_folder(target);
  // Where this installation's sdk is, so that find_package() needs no further word.
  const fs::path prefix = share_folder().parent_path().parent_path();
  for (const auto& file : files) {
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    std::string content = replaced(text.str(), "@ID@", id);
    content = replaced(content, "@CLASS@", class_name(id));
    content = replaced(content, "@PREFIX@", prefix.string());
    const fs::path out = target / (file.stem() == "plugin" ? id + file.extension().string()
                                                           : file.filename().string());
    write_text(out, content);
    std::cout << out.string() << '\n';
  }
  const std::string folder = target.string();
  if (python) {
    std::cerr << "next:\n  conoscope plugin check " << folder << "/" << id
              << ".py\n  conoscope run " << folder << "/run.toml\n";
    return kOk;
  }
  std::cerr << "next:\n  cmake -S " << folder << " -B " << folder << "/build && cmake --build "
            << folder << "/build\n  conoscope plugin check " << folder << "/build/" << id
            << ".so\n  conoscope run " << folder << "/run.toml\n";
  return kOk;
}

}  // namespace conoscope::app
