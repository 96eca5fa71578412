// SPDX-License-Identifier: Apache-2.0
#include "harness/app/options.h"

#include <iostream>
#include <sstream>

#include "harness/app/folders.h"
#include "harness/app/terminal.h"
#include "harness/core/names.h"
#include "harness/core/path_fault.h"
#include "harness/core/processes/confinement.h"
#include "results/formats/numbers.h"
#include "results/formats/screen.h"

namespace conoscope::app {

namespace fs = std::filesystem;
namespace po = boost::program_options;

namespace {

constexpr int kHelpWidth = 80;

/// Paragraphs anew in lines of kHelpWidth; a line that begins with a blank is one of its own, and what
/// does not fit goes on below the text behind its first gap.
std::string reflowed(const std::string& text) {
  std::vector<std::string> paragraphs;
  std::istringstream lines(text);
  bool joins = false;
  for (std::string line; std::getline(lines, line);) {
    const bool own = line.empty() || line[0] == ' ';
    if (joins && !own)
      paragraphs.back() += ' ' + line;
    else
      paragraphs.push_back(line);
    joins = !own;
  }
  std::string out;
  for (const std::string& paragraph : paragraphs) {
    const std::size_t word = paragraph.find_first_not_of(' ');
    const std::size_t gap = paragraph.find("  ", word == paragraph.npos ? 0 : word);
    const bool listed = paragraph.starts_with(' ') && gap != paragraph.npos;
    const std::string hanging(listed ? paragraph.find_first_not_of(' ', gap) : 0, ' ');
    bool first = true;
    for (const auto& line : results::wrapped(paragraph.substr(hanging.size()),
                                             kHelpWidth - static_cast<int>(hanging.size()))) {
      out += (first ? paragraph.substr(0, hanging.size()) : hanging) + line + '\n';
      first = false;
    }
  }
  return out;
}

}  // namespace

Options::Options(std::string usage, std::string summary, std::vector<std::string> examples)
    : usage_(std::move(usage)),
      summary_(std::move(summary)),
      examples_(std::move(examples)),
      visible_("Options", kHelpWidth, kHelpWidth / 2) {
  visible_.add_options()("help,h", "show this help");
}

void Options::flag(const std::string& name, const std::string& help) {
  add()(name.c_str(), help.c_str());
}

void Options::text(const std::string& name, const char* value, const std::string& help,
                   const std::optional<std::string>& standard) {
  auto* const type = po::value<std::string>()->value_name(value);
  if (standard) type->default_value(*standard);
  add()(name.c_str(), type, help.c_str());
}

void Options::integer(const std::string& name, const char* value, const std::string& help,
                      const std::optional<std::int64_t>& standard) {
  auto* const type = po::value<std::int64_t>()->value_name(value);
  if (standard) type->default_value(*standard);
  add()(name.c_str(), type, help.c_str());
}

void Options::real(const std::string& name, const char* value, const std::string& help,
                   const std::optional<double>& standard) {
  auto* const type = po::value<double>()->value_name(value);
  if (standard) type->default_value(*standard, results::shortest_text(*standard));
  add()(name.c_str(), type, help.c_str());
}

void Options::texts(const std::string& name, const char* value, const std::string& help) {
  add()(name.c_str(), po::value<std::vector<std::string>>()->composing()->value_name(value),
        help.c_str());
}

po::options_description_easy_init Options::add() { return visible_.add_options(); }

void Options::positional(const char* name, int count) {
  hidden_.add_options()(name, po::value<std::vector<std::string>>());
  positional_.add(name, count);
}

void Options::with_store() {
  text("store", "FILE",
       "the results, an SQLite file (default: $CONOSCOPE_STORE or conoscope.db); to be read also "
       "one "
       "as text, or a folder of those; published: the results that ship");
}

void Options::with_from() {
  text("from", "STORE",
       "first take what these results have of the cells and this build would compute alike; "
       "published: the results that ship");
}

void Options::with_verify() {
  flag("verify", "first read the whole store, and stop where it is not what was written");
}

void Options::with_component_filters() {
  for (const std::string kind : {"dataset", "model", "explainer"})
    texts(kind, "NAME", "only this " + kind + "; may be repeated");
}

void Options::with_format() { text("format", "F", results::format_names_text(), "table"); }

void Options::with_plugins() {
  texts("plugin-path", "DIR", "look for plugins here first; may be repeated");
  with_cache();
}

void Options::with_cache() {
  text("cache", "DIR",
       "artifacts (default: $CONOSCOPE_CACHE, $XDG_CACHE_HOME/conoscope or ~/.cache/conoscope)");
}

void Options::with_profile() {
  text("profile", "NAME",
       "the size of a run file that has several, as quick or paper (default: its first)", "");
}

void Options::with_jobs() { integer("jobs,j", "N", "workers at a time", 1); }

void Options::with_params() {
  texts("param", "NAME=VALUE", "a parameter of the plugin; may be repeated");
}

void Options::with_confinement() {
  text("confine", "HOW",
       "keep plugins to their own files: auto (as far as the kernel can), require or off", "auto");
  texts("grant", "ID", "give this plugin the access that its metadata request; may be repeated");
}

void Options::with_limits(double seconds, double mib) {
  real("seconds", "S", "how long one call may take", seconds);
  real("memory", "MIB", "how much memory one call may use", mib);
}

bool Options::parse(const Arguments& arguments) {
  po::options_description all;
  all.add(visible_).add(hidden_);
  std::vector<std::string> names;
  for (const auto& option : visible_.options()) names.push_back("--" + option->long_name());
  constexpr int kStyle =
      po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  try {
    po::command_line_parser parser(arguments);
    po::store(parser.options(all).positional(positional_).style(kStyle).run(), values_);
    if (values_.count("help") == 0) po::notify(values_);
  } catch (const po::unknown_option& e) {
    throw UsageError("no option " + e.get_option_name() +
                     core::did_you_mean(e.get_option_name(), names));
  } catch (const po::too_many_positional_options_error&) {
    throw UsageError("too many arguments; usage: conoscope " + usage_);
  } catch (const po::error& e) {
    throw UsageError(e.what());
  }
  if (values_.count("help") == 0) return true;
  std::cout << "usage: conoscope " << usage_ << "\n\n" << reflowed(summary_) << '\n' << visible_;
  if (!examples_.empty()) std::cout << "\nExamples:\n";
  for (const auto& line : examples_) std::cout << "  " << line << '\n';
  return false;
}

bool Options::has(const std::string& name) const {
  const auto found = values_.find(name);
  return found != values_.end() && !found->second.defaulted();
}

// Signed, because Boost takes -1 for the largest number of an unsigned type.
std::uint64_t Options::number(const char* name, std::int64_t least, std::int64_t most) const {
  const auto value = get<std::int64_t>(name);
  if (value >= least && value <= most) return static_cast<std::uint64_t>(value);
  const std::string from = std::to_string(least);
  throw UsageError("--" + std::string(name) + ": expected a number" +
                   (most == std::numeric_limits<std::int64_t>::max()
                        ? ", " + from + " or more"
                        : " from " + from + " to " + std::to_string(most)));
}

unsigned Options::jobs() const { return static_cast<unsigned>(number("jobs", 1, 1024)); }

std::string Options::store_words() const {
  return has("store") ? " --store " + get<std::string>("store") : "";
}

fs::path Options::store() const {
  return has("store") ? store_named(get<std::string>("store")) : default_store();
}

fs::path Options::from() const { return store_named(get<std::string>("from")); }

fs::path Options::cache() const {
  return has("cache") ? fs::path(get<std::string>("cache")) : default_cache();
}

results::Format Options::format() const {
  const auto& name = get<std::string>("format");
  if (const auto format = results::parse_format(name))
    return *format == results::Format::table ? table_for_output() : *format;
  throw UsageError("--format " + name + ": no such format" +
                   core::did_you_mean(name, results::format_names()));
}

const std::vector<std::string>& Options::list(const std::string& name) const {
  static const std::vector<std::string> kNone;
  return has(name) ? values_[name].as<std::vector<std::string>>() : kNone;
}

std::vector<fs::path> Options::plugin_path() const {
  const auto folders = list("plugin-path");
  return {folders.begin(), folders.end()};
}

std::vector<std::pair<std::string, std::string>> Options::params() const {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& text : list("param")) {
    const std::size_t equals = text.find('=');
    if (equals == text.npos || equals == 0)
      throw UsageError("--param " + text + ": expected NAME=VALUE");
    const std::string name = text.substr(0, equals);
    for (const auto& other : out)
      if (other.first == name) throw UsageError("--param " + name + " is given twice");
    out.emplace_back(name, text.substr(equals + 1));
  }
  return out;
}

bool Options::confine() const {
  const auto& how = get<std::string>("confine");
  if (how != "auto" && how != "require" && how != "off")
    throw UsageError("--confine=" + how + ": expected auto, require or off");
  if (how == "require" && !core::can_confine())
    throw UsageError("--confine=require: of Landlock and seccomp this kernel offers " +
                     core::confinement_offered() + "; --confine=auto does without what is missing");
  return how != "off";
}

core::WorkerLimits Options::limits() const {
  core::WorkerLimits out;
  out.seconds = get<double>("seconds");
  out.seconds_name = "--seconds";
  out.memory_name = "--memory";
  out.confine = confine();
  if (!(out.seconds > 0)) throw UsageError("--seconds: expected a number above 0");
  const auto mib = get<double>("memory");
  if (!(mib >= 1 && mib < 0x1p40)) throw UsageError("--memory: expected MiB, 1 or more");
  out.memory = static_cast<std::uint64_t>(mib * 0x1p20);
  return out;
}

int run_action(const std::string& command, std::span<const Command> actions,
               const Arguments& arguments) {
  const std::string action = arguments.empty() ? "--help" : arguments[0];
  if (action == "--help" || action == "-h") {
    std::cout << "usage: conoscope " << command << " ACTION [options]\n\n";
    for (const Command& known : actions)
      std::cout << "  " << known.name << std::string(8 - std::string(known.name).size(), ' ')
                << known.summary << '\n';
    return arguments.empty() ? kUsage : kOk;
  }
  std::vector<std::string> names;
  for (const Command& known : actions) {
    if (action == known.name) return known.run({arguments.begin() + 1, arguments.end()});
    names.emplace_back(known.name);
  }
  throw UsageError("no action " + command + " " + action + core::did_you_mean(action, names));
}

fs::path store_named(const std::string& name) {
  std::error_code ignored;
  const bool ships = name == "published" || name.starts_with("published/");
  return ships && !fs::exists(name, ignored) ? share_folder() / name : fs::path(name);
}

fs::path find_run_file(const std::string& name) {
  std::error_code error;
  const auto fault = core::fault_of_file(name);
  if (fault.empty()) return name;
  if (fs::exists(name, error) && !fs::is_directory(name, error))
    throw UsageError(name + ": " + fault);
  const fs::path folder = share_folder() / "runs";
  std::vector<std::string> shipped;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".toml") shipped.push_back(entry.path().stem().string());
  std::sort(shipped.begin(), shipped.end());
  for (const auto& candidate : shipped)
    if (name == candidate || name == candidate + ".toml") return folder / (candidate + ".toml");
  // Names are near each other without what they all end with.
  const fs::path given(name);
  const std::string stem =
      (given.extension() == ".toml" ? given.stem() : given.filename()).string();
  throw UsageError(name + ": no such file, and no run file of that name ships" +
                   core::did_you_mean(stem, shipped, "ls " + folder.string()));
}

core::Quarantine open_quarantine(const Options& options) {
  return core::Quarantine(options.cache() / "quarantine.tsv");
}

core::Plan load_plan(const fs::path& run_file, const Options& options) {
  return load_plan(run_file, options, options.get<std::string>("profile"));
}

core::Plan load_plan(const fs::path& run_file, const Options& options, const std::string& profile) {
  core::Diagnostics diagnostics(run_file.string());
  core::RunFile parsed = core::parse_run_file(run_file, diagnostics, profile);
  parsed.data_folder = data_folder();
  const core::Quarantine quarantine = open_quarantine(options);
  const core::Registry registry(plugin_folders(options.plugin_path(), parsed.plugin_path),
                                quarantine);
  return core::make_plan(parsed, registry, quarantine, diagnostics);
}

}  // namespace conoscope::app
