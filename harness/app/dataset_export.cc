// SPDX-License-Identifier: Apache-2.0
#include <boost/algorithm/string/join.hpp>
#include <iostream>

#include "harness/app/command.h"
#include "harness/app/dataset_loading.h"
#include "harness/app/plugin_info.h"
#include "harness/app/text_file.h"
#include "harness/core/artifacts/artifact.h"
#include "harness/core/artifacts/manifest.h"
#include "harness/core/artifacts/npz_file.h"

namespace conoscope::app {

namespace fs = std::filesystem;

int dataset_export_command(const Arguments& arguments) {
  Options options(
      "dataset export ID|FILE -o FILE.npz|FOLDER [options]",
      "Loads a dataset in a worker and writes its arrays: as one .npz file, or as .npy files in\n"
      "a folder of their own. Its texts are in the member or file texts.tsv.",
      {"conoscope dataset export tabular_toy --seed 3 -o toy.npz",
       "conoscope dataset export digits --param task=attributes -o digits/",
       "python3 -c 'import numpy; print(numpy.load(\"toy.npz\")[\"concepts\"].mean(0))'"});
  add_loading(options);
  options.text(
      "output,o", "PATH",
      "where to write: NAME.npz writes one file (replaced if it is there); any other name, "
      "a folder (new or empty) with one .npy file for each array");
  if (!options.parse(arguments)) return kOk;
  const auto quarantine = open_quarantine(options);
  const auto plugin = wanted_dataset(options, quarantine, "dataset export");
  if (!options.has("output")) throw UsageError("dataset export: -o FILE.npz or FOLDER is missing");
  const fs::path target = options.get<std::string>("output");
  const bool file = target.extension() == ".npz";
  std::error_code error;
  if (!file && fs::exists(target, error) &&
      !(fs::is_directory(target, error) && fs::is_empty(target, error)))
    throw UsageError("-o " + target.string() + ": neither a .npz file nor an empty folder");
  const auto component = component_of(plugin, options.params(), quarantine);
  return with_loaded(component, options, [&](const core::LoadedDataset& loaded) -> ExitCode {
    const ExitCode code = saved_or_not([&] {
      if (file)
        core::write_npz(loaded.artifact(), target);
      else
        core::copy_arrays(loaded.artifact(), target);
    });
    if (code != kOk) return code;
    const auto bag = core::ArrayBag::open_fresh(loaded.artifact());
    std::cerr << target.string() << ": " << boost::algorithm::join(bag.names(), ", ") << '\n';
    return kOk;
  });
}

}  // namespace conoscope::app
