// SPDX-License-Identifier: Apache-2.0
#include "harness/core/run/subject.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "conoscope/sdk/model.h"
#include "harness/core/artifacts/view_arrays.h"
#include "harness/core/artifacts/views.h"
#include "harness/core/border/loader.h"
#include "harness/core/names.h"
#include "harness/core/plan/controls.h"
#include "harness/core/run/control.h"
#include "metrics/faithfulness/attack/poisoned_samples.h"
#include "metrics/faithfulness/concept_scores.h"
#include "metrics/faithfulness/model_logits.h"

namespace conoscope::core {

namespace {

using metrics::Index;
using metrics::Matrix;

/// Rows of the first per-sample array there is; 0 when there is none.
std::int64_t samples_of(const ArrayBag& bag) {
  for (const std::string& name : bag.names())
    if (is_by_sample(name, Bringer::kDataset) || is_by_sample(name, Bringer::kModel))
      return bag.get(name).rows();
  return 0;
}

std::span<const std::int64_t> index_of(const ArrayBag& dataset, const char* name) {
  return dataset.get(name).values<const std::int64_t>();
}

/// Copies the given rows, one after the other.
void gather_rows(const sdk::Tensor& from, std::size_t row_bytes, std::span<const std::int64_t> rows,
                 char* to) {
  const auto* base = static_cast<const char*>(from.raw().data);
  for (const std::int64_t row : rows) {
    std::memcpy(to, base + static_cast<std::size_t>(row) * row_bytes, row_bytes);
    to += row_bytes;
  }
}

/// The segments of the given samples, which then count from 0 in the order of `rows`.
void add_segments(const ArrayBag& dataset, std::span<const std::int64_t> rows, std::int64_t samples,
                  ArrayBag& out) {
  const auto embeddings = dataset.find("segment_embeddings");
  const auto sample = dataset.find("segment_sample");
  if (!embeddings || !sample) return;
  std::vector<std::int64_t> place(static_cast<std::size_t>(samples), -1);
  for (std::size_t i = 0; i < rows.size(); ++i)
    place[static_cast<std::size_t>(rows[i])] = static_cast<std::int64_t>(i);
  std::vector<std::int64_t> kept, kept_sample;
  const auto owners = sample->values<const std::int64_t>();
  for (std::size_t s = 0; s < owners.size(); ++s)
    if (const std::int64_t at = place.at(static_cast<std::size_t>(owners[s])); at >= 0) {
      kept.push_back(static_cast<std::int64_t>(s));
      kept_sample.push_back(at);
    }
  const std::size_t row_bytes =
      static_cast<std::size_t>(embeddings->shape(1)) * sdk::dtype_size(embeddings->dtype());
  gather_rows(*embeddings, row_bytes, kept,
              out.add_empty("segment_embeddings", embeddings->dtype(),
                            {static_cast<std::int64_t>(kept.size()), embeddings->shape(1)}));
  out.add_copy("segment_sample", kept_sample.data(),
               {static_cast<std::int64_t>(kept_sample.size())});
}

}  // namespace

ArrayBag rows_of(const ArrayBag& bag, std::span<const std::int64_t> rows, std::int64_t samples,
                 Which which) {
  ArrayBag out;
  for (const std::string& name : bag.names()) {
    const sdk::Tensor tensor = bag.get(name);
    if (is_annotation(name) ? which == Which::kNoAnnotations : which == Which::kAnnotations)
      continue;
    if (!is_by_sample(name, Bringer::kDataset) && !is_by_sample(name, Bringer::kModel)) {
      out.add(name, tensor.raw());
      continue;
    }
    if (tensor.rows() != samples)
      throw std::runtime_error(name + ": " + std::to_string(tensor.rows()) + " rows for " +
                               std::to_string(samples) + " samples");
    const std::size_t row_bytes =
        static_cast<std::size_t>(tensor.size() / std::max<std::int64_t>(samples, 1)) *
        sdk::dtype_size(tensor.dtype());
    const bool run = !rows.empty() && std::adjacent_find(rows.begin(), rows.end(),
                                                         [](std::int64_t a, std::int64_t b) {
                                                           return b != a + 1;
                                                         }) == rows.end();
    std::vector<std::int64_t> shape(tensor.raw().shape, tensor.raw().shape + tensor.dimensions());
    shape[0] = static_cast<std::int64_t>(rows.size());
    const char* base = static_cast<const char*>(tensor.raw().data);
    if (run) {  // consecutive rows need no copy
      out.add(name, sdk::make_tensor(
                        const_cast<char*>(base) + static_cast<std::size_t>(rows[0]) * row_bytes,
                        tensor.dtype(), shape));
      continue;
    }
    if (name == "activations" || name == "inputs") {
      cono_tensor scattered = tensor.raw();
      scattered.shape[0] = shape[0];
      scattered.row_index = rows.data();
      out.add(name, scattered);
      continue;
    }
    gather_rows(tensor, row_bytes, rows, out.add_empty(name, tensor.dtype(), shape));
  }
  out.copy_texts(bag);
  return out;
}

namespace {

/// The head's arrays replaced by others, in the precision that the model has.
void put_head(const metrics::HeadView& head, ArrayBag& out) {
  const auto put = [&out](const char* name, const auto& values) {
    const sdk::Tensor old = out.get(name);
    const std::vector<std::int64_t> shape(old.raw().shape, old.raw().shape + old.dimensions());
    if (old.dtype() == sdk::dtype_of<double>())
      out.add_copy(name, values.data(), shape);
    else
      out.add_copy(name, metrics::MatrixF(values.template cast<float>()).data(), shape);
  };
  put("head_weight", head.weight);
  put("head_bias", head.bias);
}

/// The same rows as an array of the given numbers, n x P x D.
template <typename T>
void put_activations(const metrics::RowSource& rows, const std::vector<std::int64_t>& shape,
                     ArrayBag& out) {
  T* to = reinterpret_cast<T*>(out.add_empty("activations", sdk::dtype_of<T>(), shape));
  numerics::for_each_block(rows, 1, [&to](Index, const Matrix& block) {
    to = std::transform(block.data(), block.data() + block.size(), to, [](double value) {
      if constexpr (std::is_same_v<T, double>) return value;
      return T(static_cast<float>(value));
    });
  });
}

/// The activations moved as the control says, in the precision that the model has.
void move_samples(const Control& control, sdk::Seed seed, ArrayBag& out) {
  const metrics::HeadView head = make_head_view(out);
  const char* why = !head.last_layer() ? "and this layer is below the last one"
                    : head.pooling == metrics::Pooling::kFlatten
                        ? "and a flatten head has other weights for each position"
                        : nullptr;
  if (why != nullptr)
    throw CallFault(CONO_NOT_APPLICABLE,
                    control.name + " moves pooled activations that the head reads, " + why);
  const metrics::RowSource moved = control.moves == Moves::kPoisoned
                                       ? metrics::poisoned_samples(head, seed.value())
                                       : metrics::noisy_samples(head, seed.value());
  const sdk::Tensor old = out.get("activations");
  const std::vector<std::int64_t> shape(old.raw().shape, old.raw().shape + old.dimensions());
  if (old.dtype() == sdk::dtype_of<double>())
    put_activations<double>(moved, shape, out);
  else if (old.dtype() == sdk::dtype_of<float>())
    put_activations<float>(moved, shape, out);
  else
    put_activations<sdk::Half>(moved, shape, out);
}

}  // namespace

void add_truth(const ArrayBag& dataset, ArrayBag& out) {
  for (const ViewArray& array : view_arrays())
    if (array.view == "truth")
      if (const auto known = dataset.find(array.name))
        out.add(std::string(array.name), known->raw());
}

ArrayBag make_explainer_input(const ArrayBag& dataset, const ArrayBag& model,
                              const std::string& control, sdk::Seed seed,
                              metrics::HeadCalls* above) {
  const auto train = index_of(dataset, "train_index");
  const std::int64_t samples = model.get("activations").rows();
  ArrayBag out = rows_of(model, train, samples, Which::kNoAnnotations);
  out.adopt(rows_of(dataset, train, samples, Which::kAnnotations));
  add_segments(dataset, train, samples, out);
  if (cono_tensor activations = out.get("activations").raw(); activations.ndim == 2) {
    activations.ndim = 3;
    activations.shape[2] = activations.shape[1];
    activations.strides[2] = activations.strides[1];
    activations.shape[1] = 1;
    out.add("activations", activations);
  }
  const Control& given = control_named(control);
  if (given.redraws_head) {
    metrics::HeadView head = make_head_view(out);
    if (head.last_layer()) {
      redraw_head(head, seed);
    } else if (above != nullptr) {
      *above = redraw_reading(head, *above);
      out.add_copy("logits", head.logits.data(), {head.logits.rows(), head.logits.cols()});
    } else {
      throw CallFault(CONO_NOT_APPLICABLE,
                      control +
                          " below the last layer needs a model that can redraw the weights above "
                          "the layer (offers = [\"redrawn_head\"])");
    }
    put_head(head, out);
  }
  const Matrix logits = metrics::model_logits(make_head_view(out));
  if (given.moves_samples()) move_samples(given, seed, out);
  if (given.trains_twin) out.set_text("twin", control);
  out.add_copy("logits", logits.data(), {logits.rows(), logits.cols()});
  if (output_of(model) == metrics::Output::kSoftmax) {
    std::vector<std::int64_t> predictions;
    for (Index i = 0; i < logits.rows(); ++i) {
      Index best = 0;
      logits.row(i).maxCoeff(&best);  // the lowest index on ties
      predictions.push_back(best);
    }
    out.add_copy("predictions", predictions.data(), {logits.rows()});
  }
  return out;
}

metrics::HeadCalls linear_head(const ArrayBag& head_view) {
  const sdk::Tensor shown = head_view.get("activations");
  const std::int64_t positions = shown.dimensions() == 3 ? shown.shape(1) : 1;
  const Index outputs = head_view.get("head_weight").rows();
  const auto cube = [positions](const Matrix& activations) {
    const std::int64_t shape[] = {activations.rows() / positions, positions, activations.cols()};
    return sdk::make_tensor(const_cast<double*>(activations.data()), CONO_F64, shape);
  };
  const sdk::Arrays view(head_view.raw());
  const sdk::Context nobody(nullptr);
  metrics::HeadCalls calls;
  calls.outputs = [=](const metrics::MatrixRef& activations) {
    const Matrix rows = activations;
    Matrix out(rows.rows() / positions, outputs);
    sdk::LinearHead().head(view, sdk::Tensor(cube(rows)), nobody,
                           {out.data(), static_cast<std::size_t>(out.size())});
    return out;
  };
  calls.vjp = [=](const metrics::MatrixRef& activations, const metrics::MatrixRef& cotangents) {
    const Matrix rows = activations, along = cotangents;
    const std::int64_t shape[] = {along.rows(), along.cols()};
    const cono_tensor u = sdk::make_tensor(const_cast<double*>(along.data()), CONO_F64, shape);
    Matrix out(rows.rows(), rows.cols());
    sdk::LinearHead().vjp(view, sdk::Tensor(cube(rows)), sdk::Tensor(u), nobody,
                          {out.data(), static_cast<std::size_t>(out.size())});
    return out;
  };
  return calls;
}

JudgedSubject::JudgedSubject(const ArrayBag& dataset, const ArrayBag& model,
                             const ArrayBag* explanation) {
  const auto test = index_of(dataset, "test_index");
  const std::int64_t samples = samples_of(model);
  test_ = rows_of(model, test, samples, Which::kNoAnnotations);
  test_.adopt(rows_of(dataset, test, samples, Which::kAnnotations));

  if (test_.find("head_weight")) head_ = make_head_view(test_);
  if (explanation != nullptr) {
    explanation_ = make_explanation(*explanation);
    const Index outputs = head_ ? head_->outputs() : 0;
    if (!explanation_->class_agnostic && explanation_->outputs() != outputs)
      throw std::runtime_error("counts: " + std::to_string(explanation_->outputs()) +
                               " entries for " + std::to_string(outputs) + " outputs");
    plugin_arrays_.set_text("scope", explanation->text("scope", "class_specific"));
  }
  if (const auto scores = test_.find("concept_scores")) {
    concepts_.emplace();
    concepts_->scores = to_matrix(*scores, 1);
    concepts_->width = scores->dimensions() == 3 ? scores->shape(2) : 1;
    if (const auto p = test_.find("concept_probabilities"))
      concepts_->probabilities = to_matrix(*p, 1);
    if (const auto y = test_.find("task_outputs")) concepts_->outputs = to_matrix(*y, 1);
    if (const auto y = test_.find("reference_outputs"))
      concepts_->reference_outputs = to_matrix(*y, 1);
    if (const auto on = test_.find("concept_active")) concepts_->active = to_matrix(*on, 1);
    if (const auto off = test_.find("concept_inactive")) concepts_->inactive = to_matrix(*off, 1);
  }
  if (const auto codes = test_.find("codes")) {
    latent_.emplace();
    latent_->codes = to_matrix(*codes, 1);
    if (const auto v = test_.find("codes_log_variance")) latent_->log_variance = to_matrix(*v, 1);
    if (const auto loss = test_.find("reconstruction_loss"))
      latent_->reconstruction_loss = to_matrix(*loss, 1).col(0);
  }
  annotations_ = make_annotations(test_);
  if (!has_view(dataset, "truth")) return;
  add_truth(dataset, test_);
  truth_ = make_truth(test_);
}

void JudgedSubject::set_projection(decltype(metrics::Explanation::project) project,
                                   decltype(metrics::Explanation::reconstruct) reconstruct) {
  if (!explanation_) return;
  explanation_->project = std::move(project);
  explanation_->reconstruct = std::move(reconstruct);
}

void JudgedSubject::add_train_head(const ArrayBag& dataset, const ArrayBag& model) {
  if (!head_) return;
  train_head_ = make_head_view(rows_of(model, index_of(dataset, "train_index"), samples_of(model)));
}

void JudgedSubject::add_train_concepts(const ArrayBag& dataset, const ArrayBag& model) {
  if (!test_.find("concept_scores")) return;
  const auto train = index_of(dataset, "train_index");
  const std::int64_t samples = samples_of(model);
  train_annotations_ = make_annotations(rows_of(dataset, train, samples, Which::kAnnotations));
  ArrayBag scores;
  scores.add("concept_scores", model.get("concept_scores").raw());
  train_concepts_.emplace();
  train_concepts_->scores = to_matrix(rows_of(scores, train, samples).get("concept_scores"), 1);
  train_concepts_->width = concepts_->width;
}

void JudgedSubject::add_images(const ArrayBag& dataset,
                               decltype(metrics::ImageView::forward) forward,
                               decltype(metrics::ImageView::forward_gradient) gradient) {
  const auto inputs = test_.find("inputs");
  if (!inputs || inputs->dimensions() != 4 || inputs->size() == 0) return;
  images_.emplace();
  images_->pixels = rows_in(*inputs, 1);
  images_->height = inputs->shape(1);
  images_->width = inputs->shape(2);
  images_->channels = inputs->shape(3);
  const auto train = index_of(dataset, "train_index");
  const ArrayBag known = rows_of(dataset, train, dataset.get("inputs").rows(), Which::kAnnotations);
  const Index channels = images_->channels;
  metrics::Vector sum = metrics::Vector::Zero(channels);
  known.get("inputs").for_each([&](std::int64_t i, double value) { sum[i % channels] += value; });
  images_->mean =
      sum * (static_cast<double>(channels) / static_cast<double>(known.get("inputs").size()));
  images_->forward = std::move(forward);
  images_->forward_gradient = std::move(gradient);
}

void JudgedSubject::apply(const std::string& control, sdk::Seed seed) {
  if (!explanation_) return;
  if (control_named(control).draws_importance) twin_of_ = explanation_;
  apply_control(*explanation_, control, seed);
}

void JudgedSubject::set_decoder(decltype(metrics::LatentView::decode) decode) {
  if (latent_) latent_->decode = std::move(decode);
}

void JudgedSubject::set_intervention(decltype(metrics::ConceptView::intervene) intervene) {
  if (concepts_) concepts_->intervene = std::move(intervene);
}

void JudgedSubject::add_concept_scores() {
  if (!concepts_ && latent_ && !explanation_) concepts_.emplace().scores = latent_->codes;
  if (!head_ || !explanation_ || explanation_->cavs.rows() == 0 ||
      head_->pooling == metrics::Pooling::kFlatten)
    return;
  if (concepts_ && latent_) return;
  const metrics::Matrix scores = metrics::concept_scores(*head_, *explanation_);
  if (!latent_) latent_.emplace().codes = scores;
  if (concepts_) return;
  concepts_.emplace();
  concepts_->scores = scores;
}

metrics::Views JudgedSubject::views() const {
  metrics::Views out;
  if (head_) out.head = &*head_;
  if (explanation_) out.explanation = &*explanation_;
  if (twin_of_) out.twin_of = &*twin_of_;
  if (concepts_) out.concepts = &*concepts_;
  if (latent_) out.latent = &*latent_;
  out.annotations = &annotations_;
  if (images_) out.images = &*images_;
  if (truth_) out.truth = &*truth_;
  if (above_) out.above = &*above_;
  if (train_head_) out.train_head = &*train_head_;
  if (train_annotations_) out.train_annotations = &*train_annotations_;
  if (train_concepts_) out.train_concepts = &*train_concepts_;
  return out;
}

const ArrayBag& JudgedSubject::arrays() {
  // The explanation as it is judged, after a control.
  if (explanation_) {
    const auto& e = *explanation_;
    plugin_arrays_.add_copy("cavs", e.cavs.data(), {e.cavs.rows(), e.cavs.cols()});
    if (e.class_agnostic) {
      plugin_arrays_.add_copy("importance", e.importance_by_output.data(),
                              {e.importance_by_output.rows(), e.importance_by_output.cols()});
    } else {
      std::vector<std::int64_t> counts;
      for (Index c = 0; c < e.outputs(); ++c) counts.push_back(e.concepts(c));
      plugin_arrays_.add_copy("importance", e.importance.data(), {e.importance.size()});
      plugin_arrays_.add_copy("counts", counts.data(), {static_cast<std::int64_t>(counts.size())});
    }
  }
  if (head_) {
    const Matrix logits = metrics::model_logits(*head_);
    plugin_arrays_.add_copy("logits", logits.data(), {logits.rows(), logits.cols()});
  }
  plugin_arrays_.borrow_missing(test_);
  // Only where the model has none of its own: see add_concept_scores().
  if (latent_ && !plugin_arrays_.find("codes")) {
    const Matrix& codes = latent_->codes;
    plugin_arrays_.add_copy("codes", codes.data(), {codes.rows(), codes.cols()});
  }
  if (concepts_ && !plugin_arrays_.find("concept_scores")) {
    const Matrix& scores = concepts_->scores;
    plugin_arrays_.add_copy("concept_scores", scores.data(), {scores.rows(), scores.cols(), 1});
  }
  return plugin_arrays_;
}

}  // namespace conoscope::core
