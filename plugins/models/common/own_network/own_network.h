#pragma once

// A network of the user's own, in a file: one of its layers and its linear head are the head view.
// Nothing is trained.
//
//   x -> preparation -> ... -> layer -> pooling -> head = the network's output
//
// That the last equation holds is checked on every sample, so that what explainers and metrics say
// of the head view is said of the network. How a file is read and run is the affair of each plugin.

#include <memory>
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
};

class OwnNetwork : public sdk::Model, public sdk::Forward, public sdk::LinearHead {
 public:
  /// id  of the plugin; begins messages
  OwnNetwork(const std::string& id, const sdk::ParamsOf<kNetworkFileParameters>& params);

  void fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) override;
  void forward(const sdk::Arrays& model, const sdk::Tensor& inputs, const sdk::Context& context,
               std::span<double> activations) override;

 protected:
  /// layer and head as the user named them; an empty head is to be found.
  virtual std::unique_ptr<Network> open(const std::string& file, const std::string& layer,
                                        const std::string& head) const = 0;

 private:
  Network& network();
  Block positions_of(Block layer, std::int64_t samples) const;
  void check_finite(const Network::Answer& answer) const;
  void check_repeats(const Network::Answer& answer, const Block& batch);
  void report_score(const sdk::Arrays& dataset, const HeadView::Rows& outputs,
                    const sdk::Context& context, sdk::Sink& out) const;

  std::string id_;
  Preparation preparation_;
  std::string file_, layer_, head_, output_;
  std::int64_t batch_size_;
  std::unique_ptr<Network> network_;
};

/// "a, b, c" for a message, without the middle when there are very many.
std::string listed(const std::vector<std::string>& names);

}  // namespace conoscope::models
