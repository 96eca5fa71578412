// SPDX-License-Identifier: Apache-2.0
#pragma once

// A network of the user's own, in a file: one of its layers and its linear head are the head view.
// Nothing is trained.
//
//   x -> preparation -> ... -> layer -> pooling -> head = the network's output
//
// That the last equation holds is checked on every sample, so that what explainers and metrics say
// of the head view is said of the network. Where more than that lies above the layer, and the plugin
// can run it, the head view holds the network's answers, and its head is how the network reads the
// layer in the mean. How a file is read and run is the affair of each plugin.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "conoscope/sdk/model.h"
#include "plugins/models/common/own_network/block.h"
#include "plugins/models/common/own_network/head_view.h"
#include "plugins/models/common/own_network/preparation.h"

namespace conoscope::models {

/// The parameters that every such plugin has.
inline constexpr auto kOwnNetworkParameters = sdk::parameters(
    sdk::text("output", "task")
        .choices({"task", "softmax", "sigmoid", "regression"})
        .help("what the outputs mean; task: what the dataset's task says, and then the test split "
              "is scored"),
    sdk::integer("batch_size", 64).between(1, 65536).help("samples that are run at once"),
    kPreparationParameters);
/// These, and what is read of the file.
inline constexpr auto kNetworkFileParameters = sdk::parameters(
    sdk::file("file"), sdk::text("layer"), sdk::text("head", ""), kOwnNetworkParameters);

/// A file that was read, with one of its layers watched.
class Network {
 public:
  virtual ~Network() = default;

  struct Answer {
    Block output, layer;
    bool operator==(const Answer&) const = default;
  };
  /// throws  std::invalid_argument: the network refuses the batch, in its own words
  virtual Answer operator()(const Block& batch) = 0;

  virtual const LinearHead& head() const = 0;

  /// From what the layer gives to the output, and the vector-Jacobian product there; both of the
  /// layer's own shape.
  /// throws  std::invalid_argument: the network refuses, in its own words
  ///         sdk::NotApplicable: it cannot be run from there
  virtual Block above(const Block& layer);
  virtual Block gradient(const Block& layer, const Block& cotangents);

  /// The vector-Jacobian product of the batch -> what the layer gives. cotangents: of the layer's shape.
  /// throws  std::invalid_argument: the network refuses, in its own words
  ///         sdk::NotApplicable: the layer has no derivative by the batch
  virtual Block batch_gradient(const Block& batch, const Block& cotangents);

  /// Draws every weight anew, from those that the file has; to be called once.
  /// throws  sdk::NotApplicable: its weights cannot be changed
  virtual void redraw(sdk::Seed seed);
};

/// What lies between the layer and the output: pooling and one linear layer, or more of the network.
enum class Above { kLinear, kNetwork };

class OwnNetwork : public sdk::Model, public sdk::Forward, public sdk::LinearHead {
 public:
  /// id  of the plugin; begins messages
  OwnNetwork(const std::string& id, const sdk::ParamsOf<kNetworkFileParameters>& params,
             Above above = Above::kLinear);

  void fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) override;
  void forward(const sdk::Arrays& model, const sdk::Tensor& inputs, const sdk::Context& context,
               std::span<double> activations) override;
  void head(const sdk::Arrays& model, const sdk::Tensor& activations, const sdk::Context& context,
            std::span<double> outputs) override;
  void vjp(const sdk::Arrays& model, const sdk::Tensor& activations, const sdk::Tensor& cotangents,
           const sdk::Context& context, std::span<double> gradients) override;

 protected:
  /// layer and head as the user named them; an empty head is to be found.
  virtual std::unique_ptr<Network> open(const std::string& file, const std::string& layer,
                                        const std::string& head) const = 0;

  /// head() and vjp() of another network.
  void answer_head(Network& network, const sdk::Arrays& model, const sdk::Tensor& activations,
                   const sdk::Context& context, std::span<double> outputs) const;
  void answer_vjp(Network& network, const sdk::Arrays& model, const sdk::Tensor& activations,
                  const sdk::Tensor& cotangents, const sdk::Context& context,
                  std::span<double> gradients) const;
  /// The network with its weights drawn anew.
  /// throws  sdk::NotApplicable: nothing but a linear head lies above the layer; as Network::redraw
  Network& redrawn(sdk::Seed seed);

  /// The body of ForwardGradient::forward_gradient(), for networks that have a batch_gradient().
  void answer_forward_gradient(const sdk::Tensor& inputs, const sdk::Tensor& cotangents,
                               const sdk::Context& context, std::span<double> gradients);

 private:
  void fit_above(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out);
  static Block layer_block(std::span<const std::int64_t> layer, const sdk::Tensor& activations,
                           std::int64_t begin, std::int64_t end);
  Network& network();
  Block positions_of(Block layer, std::int64_t samples) const;
  void check_above(const Network::Answer& answer);
  void add_gradients(const Network::Answer& answer, std::span<const char> marked,
                     const sdk::Context& context, HeadView::Rows& weight);
  void check_finite(const Network::Answer& answer, std::int64_t first) const;
  void check_repeats(const Network::Answer& answer, const Block& batch);
  void report_score(const sdk::Arrays& dataset, const HeadView::Rows& outputs,
                    const sdk::Context& context, sdk::Sink& out) const;

  std::string id_;
  Preparation preparation_;
  std::string file_, layer_, head_, output_;
  std::int64_t batch_size_;
  Above above_;
  std::unique_ptr<Network> network_;
  std::unique_ptr<Network> redrawn_;  ///< from redrawn_from_
  std::uint64_t redrawn_from_ = 0;
};

/// "a, b, c" for a message, without the middle when there are very many.
std::string listed(const std::vector<std::string>& names);

}  // namespace conoscope::models
