// SPDX-License-Identifier: Apache-2.0
// A table of your own: a .csv file whose columns are inputs, what is to be predicted, concepts and
// factors. columns.h says how a column becomes numbers.

#include <algorithm>
#include <cmath>
#include <iterator>

#include "conoscope/sdk/dataset.h"
#include "datasets/list_text.h"
#include "datasets/table/columns.h"

namespace {

namespace sdk = conoscope::sdk;
namespace formats = conoscope::formats;
using namespace conoscope::datasets;
using formats::TextTable;

bool holds(const Columns& columns, std::int64_t column) {
  return std::ranges::find(columns, column) != columns.end();
}

/// Writes columns side by side, and their names as a text.
template <typename T>
void write_columns(sdk::Sink& out, const std::string& array, const std::string& names_key,
                   const std::vector<TableColumn>& columns) {
  const std::size_t rows = columns.front().values.size();
  const auto values = out.create<T>(
      array, {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns.size())});
  std::vector<std::string> names;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    names.push_back(columns[j].name);
    for (std::size_t i = 0; i < rows; ++i)
      values[i * columns.size() + j] = static_cast<T>(columns[j].values[i]);
  }
  out.text(names_key, list_text(names));
}

/// Which column is what.
struct Roles {
  Columns target, inputs, concepts, factors, categorical, split;

  Columns all() const {
    Columns out = annotations();
    out.insert(out.end(), inputs.begin(), inputs.end());
    return out;
  }
  Columns annotations() const {
    Columns out;
    for (const Columns* part : {&target, &concepts, &factors, &split})
      out.insert(out.end(), part->begin(), part->end());
    return out;
  }
};

constexpr sdk::Parameter required(sdk::Parameter list) {
  list.required = true;
  return list;
}

constexpr auto kParameters = sdk::parameters(
    sdk::file("table").help("separated values, plain or gzipped, a row each sample"),
    required(sdk::texts("target", {}))
        .help("the column to be predicted, as [\"age\"]; attributes and regression: one or more"),
    sdk::text("task", "classification")
        .choices({"classification", "attributes", "regression"})
        .choice_offers({"labels", "targets", "targets"})
        .help("what target holds: classes, attributes that are there or not, or numbers"),
    sdk::texts("inputs", {})
        .help("columns a model sees, FIRST-LAST for several side by side (so in each list here); "
              "empty: all that have no other role"),
    sdk::texts("concepts", {})
        .offers("concepts")
        .help("columns of concepts: 0 and 1, or categories"),
    sdk::texts("factors", {}).offers("factors").help("columns of generative factors"),
    sdk::texts("ignore", {}).help("columns that are not looked at"),
    sdk::texts("categorical", {})
        .help("columns whose values are categories although some or all of them are numbers"),
    sdk::text("categories", "codes")
        .choices({"codes", "indicators"})
        .help("what an input column of categories becomes: 0, 1, 2 ... or a column of 0 and 1 for "
              "each (two: one column)"),
    sdk::text("missing", "refuse")
        .choices({"refuse", "drop_rows"})
        .help("what to do about a value that is missing in a column that is used"),
    sdk::text("impute", "none")
        .choices({"none", "median", "mode"})
        .help(
            "fills in missing inputs with the training split's median (categories: mode) or mode"),
    sdk::text("separator", "automatic")
        .choices({"automatic", "comma", "semicolon", "tab"})
        .help("what stands between fields; automatic: what the first line has most of"),
    sdk::text("header", "names")
        .choices({"names", "absent"})
        .help("absent: no line of names; the columns are column_1, column_2 ..."),
    sdk::integer("skip_lines", 0)
        .between(0, 1000000)
        .help("lines before the header that are not looked at"),
    sdk::text("split", "")
        .help("a column that says train or test; other rows are not used. Empty: by test_share and "
              "seed"),
    sdk::real("test_share", 0.2)
        .between(0.01, 0.99)
        .help("share of the samples (of each class) that goes to the test split"));

class Table final : public sdk::Dataset {
 public:
  explicit Table(const sdk::ParamsOf<kParameters>& params)
      : file_(params.file("table")),
        layout_{params.text("header") == "names" ? formats::CsvHeader::kPresent
                                                 : formats::CsvHeader::kAbsent,
                params.integer("skip_lines"), separator(params.text("separator"))},
        task_(params.text("task")),
        split_(params.text("split")),
        target_(params.texts("target")),
        inputs_(params.texts("inputs")),
        concepts_(params.texts("concepts")),
        factors_(params.texts("factors")),
        ignore_(params.texts("ignore")),
        categorical_(params.texts("categorical")),
        indicators_(params.text("categories") == "indicators"),
        drop_rows_(params.text("missing") == "drop_rows"),
        impute_(params.text("impute")),
        test_share_(params.real("test_share")) {}

  void load(const sdk::Context& context, sdk::Sink& out) override {
    TextTable table = formats::read_text_csv(file_, layout_);
    for (std::int64_t j = 1; table.header_line == 0 && j <= table.width; ++j)
      table.columns.push_back("column_" + std::to_string(j));
    const Roles roles = roles_of(table);
    const Columns needed = impute_ == "none" ? roles.all() : roles.annotations();
    if (!drop_rows_) refuse_missing(table, needed);
    const std::vector<std::int64_t> rows = complete_rows(table, needed);
    const auto dropped = table.rows - static_cast<std::int64_t>(rows.size());
    if (dropped > 0)
      context.log("left out " + std::to_string(dropped) + " of " + std::to_string(table.rows) +
                  " rows, in which a value is missing");
    if (rows.size() < 2)
      throw std::invalid_argument(file_ + ": " + std::to_string(rows.size()) +
                                  " rows without a missing value, expected 2 or more");
    context.check_cancelled();
    const std::vector<std::int64_t> classes = write_target(table, roles, rows, out);
    const auto split = [&] {
      return roles.split.empty() ? sdk::stratified_split(classes, test_share_, context.seed())
                                 : named_split(table, roles.split.front(), rows);
    };
    const auto train = impute_ == "none" ? std::vector<std::int64_t>{} : split().train;
    write_inputs(table, roles, rows, train, context, out);
    write_annotations(table, roles, rows, out);
    sdk::write_split(out, split());
  }

 private:
  Roles roles_of(const TextTable& table) const {
    Roles roles;
    roles.target = named_columns(table, "target", target_);
    roles.concepts = named_columns(table, "concepts", concepts_);
    roles.factors = named_columns(table, "factors", factors_);
    roles.categorical = named_columns(table, "categorical", categorical_);
    if (!split_.empty()) roles.split = named_columns(table, "split", {split_});
    if (roles.split.size() > 1)
      throw std::invalid_argument("table: split names " + std::to_string(roles.split.size()) +
                                  " columns, expected one");
    roles.inputs = named_columns(table, "inputs", inputs_);
    const Columns ignore = named_columns(table, "ignore", ignore_);
    const Columns used = roles.all();
    const auto name = [&](std::int64_t column) {
      return table.columns[static_cast<std::size_t>(column)];
    };
    if (roles.target.empty()) throw std::invalid_argument("table: target names no column");
    if (task_ == "classification" && roles.target.size() > 1)
      throw std::invalid_argument("table: target names " + std::to_string(roles.target.size()) +
                                  " columns, task = \"classification\" has one");
    for (const std::int64_t column : ignore)
      if (holds(used, column))
        throw std::invalid_argument("table: ignore names the column " + name(column) +
                                    ", which has another role too");
    if (inputs_.empty())
      for (std::int64_t column = 0; column < table.width; ++column)
        if (!holds(used, column) && !holds(ignore, column)) roles.inputs.push_back(column);
    if (roles.inputs.empty())
      throw std::invalid_argument("table: no column is left for inputs; name them");
    for (const Columns* known : {&roles.target, &roles.split})
      for (const std::int64_t column : *known)
        if (holds(roles.inputs, column) || holds(roles.concepts, column))
          throw std::invalid_argument("table: the column " + name(column) + " is " +
                                      (known == &roles.target ? "target" : "split") +
                                      " and input or concept");
    return roles;
  }

  /// returns  what the split is stratified by: classes, else zeros
  std::vector<std::int64_t> write_target(const TextTable& table, const Roles& roles,
                                         const std::vector<std::int64_t>& rows,
                                         sdk::Sink& out) const {
    std::vector<std::int64_t> classes(rows.size(), 0);
    std::vector<TableColumn> targets;
    for (const std::int64_t column : roles.target) {
      if (task_ == "classification") {
        const TableColumn codes = read_column(table, column, rows, true);
        check_classes(table, column, rows, codes);
        std::ranges::transform(codes.values, classes.begin(),
                               [](double code) { return static_cast<std::int64_t>(code); });
        std::ranges::copy(classes, out.create<std::int64_t>("labels", {count(rows)}).begin());
        out.text("class_names", list_text(codes.categories));
      } else if (task_ == "attributes") {
        for (TableColumn& one : indicators(table, column, rows, holds(roles.categorical, column)))
          targets.push_back(std::move(one));
      } else {
        targets.push_back(read_column(table, column, rows, false));
        if (!targets.back().categories.empty())
          throw std::invalid_argument(table.place(rows[0], column) + "'" +
                                      std::string(table.at(rows[0], column).text) +
                                      "' is not a number, as task = \"regression\" needs");
      }
    }
    if (!targets.empty()) write_columns<double>(out, "targets", "target_names", targets);
    out.text("task", task_);
    return classes;
  }

  static void check_classes(const TextTable& table, std::int64_t column,
                            const std::vector<std::int64_t>& rows, const TableColumn& codes) {
    if (codes.categories.size() < 2)
      throw std::invalid_argument(table.place(rows[0], column) + codes.name + " is " +
                                  codes.categories[0] + " in every row, expected two classes");
    for (const std::int64_t row : rows)
      if (const auto value = formats::csv_number(table.at(row, column).text);
          value && *value != std::floor(*value))
        throw std::invalid_argument(table.place(row, column) + "'" +
                                    std::string(table.at(row, column).text) +
                                    "' is not a class; task = \"regression\" predicts numbers");
  }

  void write_inputs(const TextTable& table, const Roles& roles,
                    const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& train,
                    const sdk::Context& context, sdk::Sink& out) const {
    std::vector<TableColumn> inputs;
    std::int64_t filled = 0;
    for (const std::int64_t column : roles.inputs) {
      const bool categorical = holds(roles.categorical, column);
      const auto by = impute_ == "mode" ? Imputation::mode : Imputation::median;
      TableColumn one = imputed_column(table, column, rows, train, categorical, by, filled);
      if (!one.categories.empty())
        context.log("input " + one.name + ": categories " + list_text(one.categories));
      if (one.categories.size() > 1 && indicators_)
        std::ranges::move(one_for_each_category(std::move(one)), std::back_inserter(inputs));
      else
        inputs.push_back(std::move(one));
    }
    if (filled > 0)
      context.log("filled in " + std::to_string(filled) + " missing values of inputs with the " +
                  impute_ + " of the training split");
    write_columns<double>(out, "inputs", "input_names", inputs);
  }

  static void write_annotations(const TextTable& table, const Roles& roles,
                                const std::vector<std::int64_t>& rows, sdk::Sink& out) {
    std::vector<TableColumn> concepts, factors;
    for (const std::int64_t column : roles.concepts)
      for (TableColumn& one : indicators(table, column, rows, holds(roles.categorical, column)))
        concepts.push_back(std::move(one));
    for (const std::int64_t column : roles.factors)
      factors.push_back(read_column(table, column, rows, holds(roles.categorical, column)));
    if (!concepts.empty()) write_columns<float>(out, "concepts", "concept_names", concepts);
    if (!factors.empty()) write_columns<double>(out, "factors", "factor_names", factors);
  }

  sdk::Split named_split(const TextTable& table, std::int64_t column,
                         const std::vector<std::int64_t>& rows) const {
    sdk::Split split;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string_view part = table.at(rows[i], column).text;
      if (part == "train") split.train.push_back(static_cast<std::int64_t>(i));
      if (part == "test") split.test.push_back(static_cast<std::int64_t>(i));
    }
    if (split.train.empty() || split.test.empty())
      throw std::invalid_argument(file_ + ": no row of the split column " + split_ + " is " +
                                  (split.train.empty() ? "train" : "test"));
    return split;
  }

  static std::int64_t count(const std::vector<std::int64_t>& rows) {
    return static_cast<std::int64_t>(rows.size());
  }

  static char separator(const std::string& name) {
    return name == "comma" ? ',' : name == "semicolon" ? ';' : name == "tab" ? '\t' : '\0';
  }

  std::string file_;
  formats::CsvLayout layout_;
  std::string task_, split_;
  std::vector<std::string> target_, inputs_, concepts_, factors_, ignore_, categorical_;
  bool indicators_, drop_rows_;
  std::string impute_;
  double test_share_;
};

}  // namespace

CONOSCOPE_DATASET(Table, "table", "1.1.0", R"toml(
summary = "a .csv table of your own: inputs, classes or targets, concepts and factors by column name"
licence = "that of your file"
citation = ""
needs = []
offers = ["inputs"]
seeded = true
)toml",
                  kParameters)
