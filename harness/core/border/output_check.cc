// SPDX-License-Identifier: Apache-2.0
#include "harness/core/border/output_check.h"

#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "harness/core/artifacts/view_arrays.h"
#include "harness/core/names.h"

namespace conoscope::core {

namespace {

[[noreturn]] void fail(const std::string& what) { throw OutputFault(what); }

sdk::Tensor need(const ArrayBag& bag, std::string_view name) {
  if (auto tensor = bag.find(name)) return *tensor;
  fail("array " + std::string(name) + " is missing");
}

void check_finite(const sdk::Tensor& tensor) {
  if (tensor.dtype() != CONO_F16 && tensor.dtype() != CONO_F32 && tensor.dtype() != CONO_F64)
    return;
  std::int64_t bad = -1;
  double value = 0.0;
  tensor.for_each([&](std::int64_t i, double v) {
    if (!std::isfinite(v) && bad < 0) bad = i, value = v;
  });
  if (bad < 0) return;
  std::string place;
  for (int axis = tensor.dimensions() - 1; axis >= 0; --axis) {
    place = std::to_string(bad % tensor.shape(axis)) + (place.empty() ? "" : ", " + place);
    bad /= tensor.shape(axis);
  }
  fail(tensor.name() + "[" + place + "] is " + (std::isnan(value) ? "NaN" : "infinite"));
}

void check_all_finite(const ArrayBag& bag) {
  for (const auto& name : bag.names()) check_finite(bag.get(name));
}

void check_shape(const sdk::Tensor& tensor, const std::vector<std::int64_t>& expected) {
  bool same = tensor.dimensions() == static_cast<int>(expected.size());
  std::string text;
  for (std::size_t axis = 0; axis < expected.size(); ++axis) {
    text += (axis ? " x " : "") + std::to_string(expected[axis]);
    same = same && tensor.shape(static_cast<int>(axis)) == expected[axis];
  }
  if (!same) fail(tensor.name() + " is " + tensor.shape_text() + ", expected " + text);
}

void check_dtype(const sdk::Tensor& tensor, std::int32_t dtype) {
  if (tensor.dtype() != dtype)
    fail(tensor.name() + " is " + sdk::dtype_name(tensor.dtype()) + ", expected " +
         sdk::dtype_name(dtype));
}

/// The value of an array at a place, from 0 to `most`.
void check_within(std::int64_t value, std::int64_t most, const char* name, std::size_t i,
                  std::optional<std::size_t> j = {}) {
  if (value >= 0 && value <= most) return;
  fail(std::string(name) + "[" + std::to_string(i) + (j ? ", " + std::to_string(*j) : "") +
       "] is " + std::to_string(value) + ", expected 0 to " + std::to_string(most));
}

void check_all_within(std::span<const std::int64_t> values, std::int64_t most, const char* name) {
  for (std::size_t i = 0; i < values.size(); ++i) check_within(values[i], most, name, i);
}

/// Rows of the first of the dataset's arrays that is there.
std::int64_t samples_of(const ArrayBag& dataset) {
  for (const Bringer bringer : {Bringer::kDataset, Bringer::kModel})  // for a model to pass on
    for (const ViewArray& array : view_arrays())
      if (is_by_sample(array.name, bringer))
        if (const auto tensor = dataset.find(array.name)) return tensor->rows();
  fail("there is no array with a row for each sample");
}

void check_rows(const ArrayBag& bag, Bringer bringer, std::int64_t samples) {
  for (const ViewArray& array : view_arrays())
    if (const auto tensor = bag.find(array.name);
        tensor && is_by_sample(array.name, bringer) && tensor->rows() != samples)
      fail(std::string(array.name) + " has " + std::to_string(tensor->rows()) + " rows for " +
           std::to_string(samples) + " samples");
}

/// That the extents of a view's arrays go together, as their letters say.
void check_view(const ArrayBag& bag, std::string_view view) {
  constexpr std::int64_t kMissing = -1;
  std::map<std::string, std::int64_t> known;
  const auto text_of = [&known](const std::vector<std::string>& axes) {
    std::string out;
    for (const auto& axis : axes) {
      const auto found = known.find(axis);
      out += (out.empty() ? "" : " x ") + (found == known.end() || found->second == kMissing
                                               ? axis
                                               : std::to_string(found->second));
    }
    return out;
  };
  for (const ViewArray& array : view_arrays()) {
    const auto tensor = bag.find(array.name);
    if (array.view != view || array.shape.empty() || !tensor) continue;
    std::vector<std::string> axes, all;
    bool open = false;  // the first array says whether an axis is missing
    std::istringstream words{std::string(array.shape)};
    for (std::string word; words >> word;) all.push_back(word);
    for (std::string& axis : all) {
      const bool may_miss = axis.front() == '[';
      if (may_miss) axis = axis.substr(1, axis.size() - 2);
      if (may_miss && known.count(axis) == 0) {
        open = true;
        if (tensor->dimensions() < static_cast<int>(all.size())) known[axis] = kMissing;
      }
      if (const auto found = known.find(axis); found == known.end() || found->second != kMissing)
        axes.push_back(axis);
    }
    bool fits = tensor->dimensions() == static_cast<int>(axes.size());
    for (std::size_t i = 0; fits && i < axes.size(); ++i) {
      const std::int64_t extent = tensor->shape(static_cast<int>(i));
      fits = known.emplace(axes[i], extent).first->second == extent;
    }
    if (fits) continue;
    const std::string expected = text_of(axes), more = text_of(all);
    fail(tensor->name() + " is " + tensor->shape_text() + ", expected " + expected +
         (open && more != expected ? " or " + more : ""));
  }
}

/// Heads, networks and counts have a row for each class up to the last one: one wrong label must not
/// reserve gigabytes of them.
constexpr std::int64_t kMostClasses = 1'000'000;

void check_head(const ArrayBag& bag) {
  const auto activations = need(bag, "activations");
  const auto weight = need(bag, "head_weight");
  const auto bias = need(bag, "head_bias");
  if (activations.dimensions() != 2 && activations.dimensions() != 3)
    fail("activations is " + activations.shape_text() + ", expected n x P x D or n x D");
  const std::int64_t positions = activations.dimensions() == 3 ? activations.shape(1) : 1;
  const std::int64_t width = activations.shape(activations.dimensions() - 1);
  const std::string pooling = bag.text("pooling", "none"), output = bag.text("output", "softmax");
  if (pooling != "mean" && pooling != "none" && pooling != "flatten")
    fail("text pooling is \"" + pooling + "\", expected mean, none or flatten");
  if (output != "softmax" && output != "sigmoid" && output != "regression")
    fail("text output is \"" + output + "\", expected softmax, sigmoid or regression");
  if (pooling == "none" && positions != 1)
    fail("pooling is none, but activations has " + std::to_string(positions) + " positions");
  if (weight.dimensions() != 2) fail("head_weight is " + weight.shape_text() + ", expected C x D");
  check_shape(weight, {weight.shape(0), pooling == "flatten" ? positions * width : width});
  check_shape(bias, {weight.shape(0)});
  if (const auto logits = bag.find("logits"))
    check_shape(*logits, {activations.rows(), weight.shape(0)});
}

void check_segments(const ArrayBag& dataset, std::int64_t samples, bool needed) {
  const auto has = [&](const char* name) { return dataset.find(name).has_value(); };
  if (!needed && !has("segment_embeddings") && !has("segment_sample")) return;
  const auto embeddings = need(dataset, "segment_embeddings");
  const auto sample = need(dataset, "segment_sample");
  if (embeddings.dimensions() != 2)
    fail("segment_embeddings is " + embeddings.shape_text() + ", expected m x D");
  check_dtype(sample, CONO_I64);
  check_shape(sample, {embeddings.rows()});
  check_all_within(sample.values<const std::int64_t>(), samples - 1, "segment_sample");
}

void check_truth(const ArrayBag& dataset) {
  const auto has = [&](const char* name) { return dataset.find(name).has_value(); };
  if (!has("truth_directions") && !has("truth_activations") && !has("truth_bias") &&
      !has("truth_parent"))
    return;
  const auto directions = need(dataset, "truth_directions");
  check_view(dataset, "truth");
  // Of float16, whose unit rows are off by a thousandth.
  constexpr double kTolerance = 2e-3;
  std::vector<double> squares(static_cast<std::size_t>(directions.rows()), 0.0);
  directions.for_each([&](std::int64_t i, double value) {
    squares[static_cast<std::size_t>(i / directions.shape(1))] += value * value;
  });
  for (std::size_t i = 0; i < squares.size(); ++i)
    if (const double length = std::sqrt(squares[i]); std::abs(length - 1.0) > kTolerance)
      fail("truth_directions[" + std::to_string(i) + "] has length " + std::to_string(length) +
           ", expected 1");
  const auto parent = dataset.find("truth_parent");
  const std::int64_t judged = need(dataset, "test_index").rows();
  if (const auto activations = need(dataset, "truth_activations"); activations.rows() != judged)
    fail("truth_activations has " + std::to_string(activations.rows()) + " rows for the " +
         std::to_string(judged) + " of test_index");
  if (!parent) return;
  check_dtype(*parent, CONO_I64);
  const auto values = parent->values<const std::int64_t>();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] < -1 || values[i] >= directions.rows())
      fail("truth_parent[" + std::to_string(i) + "] is " + std::to_string(values[i]) +
           ", expected -1 to " + std::to_string(directions.rows() - 1));
}

void check_concepts(const ArrayBag& bag) {
  for (const char* name : {"concept_scores", "concept_probabilities"}) need(bag, name);
  if (bag.find("reference_outputs")) need(bag, "task_outputs");
  if (bag.find("concept_active") || bag.find("concept_inactive"))
    for (const char* name : {"concept_active", "concept_inactive"}) need(bag, name);
  check_view(bag, "concept_view");
}

void check_codes(const ArrayBag& bag) {
  need(bag, "codes");
  check_view(bag, "latent_view");
}

/// How many CAVs belong to each concept of an output, zeros at the end: for metrics over seeds.
void check_concept_dimensions(const ArrayBag& explanation,
                              const std::vector<std::int64_t>& cavs_of_output) {
  const auto dimensions = explanation.find("concept_dimension");
  if (!dimensions) return;
  check_dtype(*dimensions, CONO_I64);
  if (dimensions->dimensions() != 2 ||
      dimensions->rows() != static_cast<std::int64_t>(cavs_of_output.size()))
    fail("concept_dimension is " + dimensions->shape_text() + ", expected " +
         std::to_string(cavs_of_output.size()) + " x L");
  const auto values = dimensions->values<const std::int64_t>();
  const auto most = static_cast<std::size_t>(dimensions->shape(1));
  for (std::size_t c = 0; c < cavs_of_output.size(); ++c) {
    std::int64_t total = 0;
    for (std::size_t l = 0; l < most; ++l) {
      const std::int64_t value = values[c * most + l];
      // Each on its own, as for counts.
      check_within(value, cavs_of_output[c], "concept_dimension", c, l);
      total += value;
    }
    if (total != cavs_of_output[c])
      fail("concept_dimension[" + std::to_string(c) + "] adds up to " + std::to_string(total) +
           ", but output " + std::to_string(c) + " has " + std::to_string(cavs_of_output[c]) +
           " CAVs");
  }
}

}  // namespace

void check_dataset(const ArrayBag& dataset, const Metadata& metadata) {
  for (const ViewArray& array : view_arrays())
    if (array.bringer == Bringer::kDataset && array.required &&
        contains(metadata.offers, array.view))
      need(dataset, array.name);
  const std::int64_t samples = samples_of(dataset);
  check_rows(dataset, Bringer::kDataset, samples);
  check_rows(dataset, Bringer::kModel, samples);
  if (const auto labels = dataset.find("labels")) {
    check_dtype(*labels, CONO_I64);
    check_shape(*labels, {samples});
    check_all_within(labels->values<const std::int64_t>(), kMostClasses - 1, "labels");
  }
  if (const auto groups = dataset.find("concept_groups")) {
    const auto concepts = need(dataset, "concepts");
    check_dtype(*groups, CONO_I64);
    check_shape(*groups, {concepts.size() / samples});
    check_all_within(groups->values<const std::int64_t>(), groups->rows() - 1, "concept_groups");
  }
  if (dataset.find("head_weight")) check_head(dataset);
  check_segments(dataset, samples, contains(metadata.offers, "segments"));
  check_truth(dataset);
  std::vector<char> used(static_cast<std::size_t>(samples), 0);
  for (const char* name : {"train_index", "test_index"}) {
    const auto index = need(dataset, name);
    check_dtype(index, CONO_I64);
    if (index.dimensions() != 1 || index.rows() == 0)
      fail(std::string(name) + " is " + index.shape_text() + ", expected at least one row number");
    const auto rows = index.values<const std::int64_t>();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      check_within(rows[i], samples - 1, name, i);
      if (used[static_cast<std::size_t>(rows[i])]++ != 0)
        fail(std::string(name) + "[" + std::to_string(i) + "]: sample " + std::to_string(rows[i]) +
             " is in the split twice");
    }
  }
  check_all_finite(dataset);
}

void check_model(const ArrayBag& model, const ArrayBag& dataset, const Metadata& metadata) {
  for (const std::string& name : model.names())
    if (is_by_sample(name, Bringer::kDataset))
      fail(name + " is the dataset's to give; a model's own array needs another name");
  check_rows(model, Bringer::kModel, samples_of(dataset));
  // What is there is used, promised or not.
  if (contains(metadata.offers, "head_view") || model.find("head_weight")) check_head(model);
  if (contains(metadata.offers, "concept_view") || model.find("concept_scores"))
    check_concepts(model);
  if (contains(metadata.offers, "latent_view") || model.find("codes") ||
      model.find("codes_log_variance") || model.find("reconstruction_loss"))
    check_codes(model);
  check_all_finite(model);
}

void check_written(const ArtifactWriter& writer) {
  if (writer.disk_fault()) throw std::runtime_error(writer.fault());
  if (!writer.fault().empty()) throw OutputFault(writer.fault());
}

void check_explanation(const ArrayBag& explanation, const ArrayBag& model) {
  const auto cavs = need(explanation, "cavs");
  const auto importance = need(explanation, "importance");
  const auto activations = model.get("activations");
  const std::int64_t outputs = model.get("head_weight").rows();
  const std::int64_t width = activations.shape(activations.dimensions() - 1);
  check_shape(cavs, {cavs.shape(0), width});
  const std::string scope = explanation.text("scope");
  std::vector<std::int64_t> cavs_of_output;
  if (scope == "class_agnostic") {
    check_shape(importance, {outputs, cavs.shape(0)});
    cavs_of_output.push_back(cavs.shape(0));
  } else if (scope == "class_specific") {
    check_shape(importance, {cavs.shape(0)});
    const auto counts = need(explanation, "counts");
    check_dtype(counts, CONO_I64);
    check_shape(counts, {outputs});
    std::int64_t total = 0;
    const auto values = counts.values<const std::int64_t>();
    for (std::size_t c = 0; c < values.size(); ++c) {
      // Each on its own: a sum of huge ones could wrap around to the right number.
      check_within(values[c], cavs.shape(0), "counts", c);
      total += values[c];
    }
    cavs_of_output.assign(values.begin(), values.end());
    if (total != cavs.shape(0))
      fail("counts add up to " + std::to_string(total) + ", but cavs has " +
           std::to_string(cavs.shape(0)) + " rows");
  } else {
    fail("text scope is \"" + scope + "\", expected class_specific or class_agnostic");
  }
  check_concept_dimensions(explanation, cavs_of_output);
  if (const auto constant = explanation.find("constant_concepts")) {
    check_dtype(*constant, CONO_I64);
    check_shape(*constant, {cavs.shape(0)});
    check_all_within(constant->values<const std::int64_t>(), 1, "constant_concepts");
  }
  check_all_finite(explanation);
}

}  // namespace conoscope::core
