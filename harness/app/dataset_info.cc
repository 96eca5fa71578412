// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <map>

#include "harness/app/command.h"
#include "harness/app/dataset_loading.h"
#include "harness/app/plugin_info.h"
#include "harness/core/artifacts/artifact.h"

namespace conoscope::app {

using results::Column;

namespace {

results::Table array_table(const core::ArrayBag& bag) {
  results::Table table{{Column::text("array"), Column::text("type"), Column::text("shape"),
                        Column::real("min"), Column::real("max"), Column::real("mean")},
                       {}};
  for (const auto& name : bag.names()) {
    const auto tensor = bag.get(name);
    double low = 0, high = 0, sum = 0;
    tensor.for_each([&](std::int64_t i, double value) {
      low = i == 0 ? value : std::min(low, value);
      high = i == 0 ? value : std::max(high, value);
      sum += value;
    });
    std::vector<results::Field> row = {name, std::string(sdk::dtype_name(tensor.dtype())),
                                       tensor.shape_text()};
    if (tensor.size() > 0)
      row.insert(row.end(), {low, high, sum / static_cast<double>(tensor.size())});
    row.resize(table.columns.size());
    table.add(row);
  }
  return table;
}

/// How often each class is there, in all and in the parts of the split.
results::Table class_table(const core::ArrayBag& bag) {
  results::Table table{{Column::integer("class"), Column::integer("samples"),
                        Column::integer("train"), Column::integer("test")},
                       {}};
  const auto found = bag.find("labels");
  if (!found) return table;
  const auto labels = found->values<const std::int64_t>();
  struct Count {
    std::int64_t samples = 0, train = 0, test = 0;
  };
  std::map<std::int64_t, Count> counts;
  for (const std::int64_t label : labels) ++counts[label].samples;
  const auto train = bag.get("train_index").values<const std::int64_t>();
  const auto test = bag.get("test_index").values<const std::int64_t>();
  for (const std::int64_t row : train) ++counts[labels[static_cast<std::size_t>(row)]].train;
  for (const std::int64_t row : test) ++counts[labels[static_cast<std::size_t>(row)]].test;
  for (const auto& [label, count] : counts)
    table.add({label, count.samples, count.train, count.test});
  return table;
}

}  // namespace

int dataset_info_command(const Arguments& arguments) {
  Options options(
      "dataset info ID|FILE [options]",
      "Prints what a dataset says of itself and, where every parameter that it needs is given,\n"
      "loads it in a worker and prints its arrays and how often each class is there.",
      {"conoscope dataset info tabular_toy --param delta=0.75",
       "conoscope dataset info table --param table=wine.csv --param target=class"});
  add_loading(options);
  options.with_format();
  if (!options.parse(arguments)) return kOk;
  const auto format = options.format();
  const auto quarantine = open_quarantine(options);
  const auto plugin = wanted_dataset(options, quarantine, "dataset info");
  const auto params = options.params();
  std::string missing;
  for (const auto& parameter : plugin.metadata->parameters)
    if (!parameter.standard &&
        std::ranges::find(params, parameter.name, &decltype(params)::value_type::first) ==
            params.end())
      missing += " --param " + parameter.name + "=...";
  if (!missing.empty()) {
    print_about(plugin, format);
    std::cerr << "not loaded: that takes" << missing << '\n';
    return kOk;
  }
  const auto component = component_of(plugin, params, quarantine);
  print_about(plugin, format);
  return with_loaded(component, options, [&](const core::LoadedDataset& loaded) -> ExitCode {
    const auto bag = core::ArrayBag::open(loaded.artifact());
    std::cout << '\n' << results::to_text(array_table(bag), format);
    const auto classes = class_table(bag);
    if (!classes.rows.empty()) std::cout << '\n' << results::to_text(classes, format);
    results::Table texts{{{"text"}, {"value"}}, {}};
    for (const auto& [key, value] : bag.texts()) texts.add({key, value});
    if (!texts.rows.empty()) std::cout << '\n' << results::to_text(texts, format);
    return kOk;
  });
}

}  // namespace conoscope::app
