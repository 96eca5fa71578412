#include "harness/core/border/output_check.h"

#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "harness/core/artifacts/sample_arrays.h"
#include "harness/core/names.h"

namespace conoscope::core {

namespace {

[[noreturn]] void fail(const std::string& what) { throw OutputFault(what); }

sdk::Tensor need(const ArrayBag& bag, const char* name) {
  if (auto tensor = bag.find(name)) return *tensor;
  fail(std::string("array ") + name + " is missing");
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
  for (const std::string_view name : kAnnotationArrays)
    if (const auto tensor = dataset.find(name)) return tensor->rows();
  for (const std::string_view name : kModelArrays)  // brought along for a model to pass on
    if (const auto tensor = dataset.find(name)) return tensor->rows();
  fail("there is no array with a row for each sample");
}

void check_rows(const ArrayBag& bag, std::span<const std::string_view> names,
                std::int64_t samples) {
  for (const std::string_view name : names)
    if (const auto tensor = bag.find(name); tensor && tensor->rows() != samples)
      fail(std::string(name) + " has " + std::to_string(tensor->rows()) + " rows for " +
           std::to_string(samples) + " samples");
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

void check_concepts(const ArrayBag& bag) {
  const auto scores = need(bag, "concept_scores");
  if (scores.dimensions() != 2 && scores.dimensions() != 3)
    fail("concept_scores is " + scores.shape_text() + ", expected n x k or n x k x w");
  check_shape(need(bag, "concept_probabilities"), {scores.rows(), scores.shape(1)});
  if (const auto outputs = bag.find("task_outputs"))
    check_shape(*outputs, {scores.rows(), outputs->shape(1)});
  if (const auto reference = bag.find("reference_outputs"))
    check_shape(*reference, {scores.rows(), need(bag, "task_outputs").shape(1)});
  if (!bag.find("concept_active") && !bag.find("concept_inactive")) return;
  std::vector<std::int64_t> shape;
  for (int axis = 0; axis < scores.dimensions(); ++axis) shape.push_back(scores.shape(axis));
  check_shape(need(bag, "concept_active"), shape);
  check_shape(need(bag, "concept_inactive"), shape);
}

void check_codes(const ArrayBag& bag) {
  const auto codes = need(bag, "codes");
  if (codes.dimensions() != 2) fail("codes is " + codes.shape_text() + ", expected n x m");
  if (const auto v = bag.find("codes_log_variance"))
    check_shape(*v, {codes.rows(), codes.shape(1)});
  if (const auto loss = bag.find("reconstruction_loss")) check_shape(*loss, {codes.rows()});
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
  for (const char* name : {"inputs", "labels", "targets", "concepts", "factors"})
    if (contains(metadata.offers, name)) need(dataset, name);
  const std::int64_t samples = samples_of(dataset);
  check_rows(dataset, kAnnotationArrays, samples);
  check_rows(dataset, kModelArrays, samples);
  if (const auto labels = dataset.find("labels")) {
    check_dtype(*labels, CONO_I64);
    check_shape(*labels, {samples});
    check_all_within(labels->values<const std::int64_t>(), kMostClasses - 1, "labels");
  }
  if (dataset.find("head_weight")) check_head(dataset);
  check_segments(dataset, samples, contains(metadata.offers, "segments"));
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
  for (const std::string_view name : kAnnotationArrays)
    if (model.find(name))
      fail(std::string(name) + " is the dataset's to give; a model's own array needs another name");
  check_rows(model, kModelArrays, samples_of(dataset));
  // What is there is used, promised or not.
  if (contains(metadata.offers, "head_view") || model.find("head_weight")) check_head(model);
  if (contains(metadata.offers, "concept_view") || model.find("concept_scores"))
    check_concepts(model);
  if (contains(metadata.offers, "latent_view") || model.find("codes") ||
      model.find("codes_log_variance") || model.find("reconstruction_loss"))
    check_codes(model);
  check_all_finite(model);
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
  check_all_finite(explanation);
}

}  // namespace conoscope::core
