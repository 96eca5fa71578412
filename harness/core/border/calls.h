#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "conoscope/sdk/abi.h"
#include "harness/core/artifacts/artifact.h"
#include "harness/core/border/ready_plugin.h"
#include "metrics/views.h"

namespace conoscope::core {

// What explainers and models answer once they are fitted, as functions of matrices. Each object has
// an instance that has not seen fit(): what it knows, it knows from the artifact. It has a host of
// its own, too, with the settings of the given one and without its progress, because it may be
// called while another plugin's call is going on.
//
// All calls throw CallFault (the plugin refused) and OutputFault (NaN, infinity, or not written).

/// What goes into a model and what comes out, apart from the number of samples.
struct ForwardShape {
  std::vector<std::int64_t> input;  ///< of one sample: height, width, channels
  std::int64_t positions = 1, width = 0;

  /// Of a model fitted on this dataset.
  /// throws  std::runtime_error: the dataset has no inputs or the model no activations
  static ForwardShape of(const ArrayBag& dataset, const ArrayBag& model);
};

/// What a model's head() reads and answers for one sample.
struct HeadShape {
  std::int64_t positions = 1, width = 0, outputs = 0;

  static HeadShape of(const ArrayBag& model);
  std::int64_t size() const { return positions * width; }  ///< numbers of a sample
};

/// The head of a head view as calls, where nothing but it lies above the layer. Valid as long as the
/// bag.
metrics::HeadCalls linear_head(const ArrayBag& head_view);

/// A model as a function of new inputs, and its derivative where the model gives that.
class Forward {
 public:
  using Function = std::function<void(const cono_tensor& inputs, cono_tensor& activations)>;
  using Gradient = std::function<void(const cono_tensor& inputs, const cono_tensor& cotangents,
                                      cono_tensor& gradients)>;

  Forward(Function function, ForwardShape shape, Gradient gradient = {});

  /// m x ... -> m x P x D, filled in place.
  /// throws  std::invalid_argument: shapes or dtypes that do not fit
  void operator()(const cono_tensor& inputs, cono_tensor& activations) const;
  /// The same with a sample's numbers in a row: m x ... -> (m * P) x D.
  metrics::Matrix operator()(const metrics::MatrixRef& inputs) const;

  bool answers_gradient() const { return gradient_ != nullptr; }
  /// And of cotangents, (m * P) x D: the gradients of their products with the activations, a sample's
  /// in a row. Only if answers_gradient().
  metrics::Matrix gradient(const metrics::MatrixRef& inputs,
                           const metrics::MatrixRef& cotangents) const;

 private:
  Function function_;
  ForwardShape shape_;
  Gradient gradient_;
};

/// A model, its plugin and what its fit left.
class FittedModel {
 public:
  /// artifact  must outlive this
  /// redraw    seeds: head() and vjp() are those of a network drawn anew above the layer
  /// throws    as ReadyPlugin
  FittedModel(const PluginUse& use, const ArrayBag& artifact, const HostCalls& host,
              std::optional<std::uint64_t> redraw = {});

  const Metadata& metadata() const { return plugin_.metadata; }
  bool answers_forward() const { return forward_.has_value(); }
  bool answers_intervene() const { return intervene_.has_value(); }
  bool answers_head() const { return head_.has_value(); }
  bool answers_vjp() const { return head_ && head_->vjp != nullptr; }

  /// The model on samples like those of the dataset that it was fitted on. Valid as long as this.
  /// throws  LoadFault: it has no forward()
  Forward forward(const ArrayBag& dataset);
  /// The task head on edited concepts: n x (k * w) -> n x C. Only if answers_intervene().
  metrics::Matrix intervene(const metrics::MatrixRef& concepts);
  /// What lies above the layer on activations of m samples: m x (P * D) -> m x C. Only if
  /// answers_head().
  metrics::Matrix head(const metrics::MatrixRef& activations);
  /// Its vector-Jacobian product with cotangents, m x C, beside the activations:
  /// m x (P * D + C) -> m x (P * D). Only if answers_vjp().
  metrics::Matrix vjp(const metrics::MatrixRef& activations_and_cotangents);

 private:
  const ArrayBag& artifact_;
  std::unique_ptr<HostCalls> host_;
  ReadyPlugin<cono_model> plugin_;
  // One line here for each optional interface of a model.
  std::optional<cono_forward> forward_;
  std::optional<cono_forward_gradient> forward_gradient_;
  std::optional<cono_intervene> intervene_;
  std::optional<cono_head> head_;
  const char* head_name_;
};

/// The text by which an explanation says which functions its explainer has besides fit(), written by
/// the host: `project`, `reconstruct`, both with a comma between, or kNoFunctions. Whoever scores it
/// needs the plugin for these alone.
inline constexpr const char* kFunctionsText = "explainer_functions";
inline constexpr const char* kNoFunctions = "none";
std::string functions_text(const cono_explainer& table);

/// An explainer, its plugin and what its fit left.
class FittedExplainer {
 public:
  /// artifact  must outlive this
  /// throws    as ReadyPlugin
  FittedExplainer(const PluginUse& use, const ArrayBag& artifact, const HostCalls& host);

  /// Whether psi is its own; otherwise it is linear, rows * V_c^T.
  bool answers_project() const { return plugin_.instance.table().project != nullptr; }
  bool answers_reconstruct() const { return plugin_.instance.table().reconstruct != nullptr; }
  /// CAVs and importances, without psi.
  const metrics::Explanation& explanation() const { return explanation_; }

  /// psi: m x D -> m x K_c.
  metrics::Matrix project(metrics::Index output, const metrics::MatrixRef& rows);
  /// m x K_c -> m x D. Only if answers_reconstruct().
  metrics::Matrix reconstruct(metrics::Index output, const metrics::MatrixRef& scores);

 private:
  const ArrayBag& artifact_;
  const metrics::Explanation explanation_;
  std::unique_ptr<HostCalls> host_;
  ReadyPlugin<cono_explainer> plugin_;
};

}  // namespace conoscope::core
