// SPDX-License-Identifier: Apache-2.0
// TopK sparse autoencoder: the concepts are the dictionary's rows, shared by all outputs. psi is
// the encoder, so at most k concepts of a row are active; the decoder takes scores back to
// activations.

#include "conoscope/sdk/explainer.h"
#include "numerics/whole_blocks.h"
#include "plugins/explainers/class_rows.h"
#include "plugins/explainers/topk_sae/sae.h"

namespace {

namespace sdk = conoscope::sdk;
namespace methods = conoscope::methods;
namespace numerics = conoscope::numerics;

constexpr auto kParameters = sdk::parameters(
    sdk::integer("latents", 0)
        .at_least(0)
        .counts_concepts()
        .help("concepts that all outputs share; 0: five per output"),
    sdk::integer("k", 5).at_least(1).help("concepts that may be active in one row"),
    sdk::integer("epochs", 60)
        .between(1, conoscope::explainers::kMostInt)
        .help("passes over the training positions; ours: none is published"),
    sdk::integer("batch", 256).at_least(1).help("rows per step; ours: none is published"),
    sdk::real("learning_rate", 0.002)
        .at_least(0)
        .help("Adam's rate at the start; falls to 0 along half a cosine; ours: none is published"),
    sdk::real("aux_weight", 0.1)
        .at_least(0)
        .help("weight of the auxiliary loss, by which unused latents learn the residual; 0 "
              "switches it off"),
    sdk::real("clip", 1.0).at_least(1e-12).help("largest norm of the gradient"));

class TopKSparseAutoencoder final : public sdk::Explainer,
                                    public sdk::Projection,
                                    public sdk::Reconstruction {
 public:
  explicit TopKSparseAutoencoder(const sdk::ParamsOf<kParameters>& params) {
    options_.latents = params.integer("latents");
    options_.top_k = params.integer("k");
    options_.epochs = static_cast<int>(params.integer("epochs"));
    options_.batch = params.integer("batch");
    options_.learning_rate = params.real("learning_rate");
    options_.aux_weight = params.real("aux_weight");
    options_.clip = params.real("clip");
  }

  void fit(const sdk::HeadView& head, const sdk::Context& context,
           sdk::ExplanationOut& out) override {
    conoscope::explainers::refuse_flattened(head, "topk_sae");
    const std::int64_t outputs = head.outputs(), width = head.width();
    methods::SaeOptions options = options_;
    if (options.latents == 0) options.latents = 5 * outputs;
    if (options.top_k > options.latents)
      throw std::invalid_argument("topk_sae: k = " + std::to_string(options.top_k) +
                                  " is more than the " + std::to_string(options.latents) +
                                  " latents");
    context.check_cancelled();
    const auto sae =
        methods::sae_fit(conoscope::explainers::position_rows(head.activations()), options,
                         context.seed(), [&](int epoch) {
                           context.check_cancelled();
                           context.progress(static_cast<double>(epoch + 1) / options.epochs);
                         });

    methods::TopKSae<double> exact{sae.encoder.cast<double>(), sae.bias.cast<double>(),
                                   sae.dictionary.cast<double>(), sae.top_k};
    const numerics::Matrix dictionary = methods::sae_dictionary(exact);
    auto explanation = out.class_agnostic(options.latents, outputs, width);
    sdk::as_matrix(explanation.cavs, options.latents, width) = dictionary;
    sdk::as_matrix(explanation.importance, outputs, options.latents) =
        sdk::to_matrix(head.weight()) * dictionary.transpose();
    sdk::as_matrix(out.create<double>("encoder", {options.latents, width}), options.latents,
                   width) = exact.encoder;
    sdk::as_matrix(out.create<double>("encoder_bias", {options.latents}), options.latents, 1) =
        exact.bias;
    out.text("top_k", std::to_string(options.top_k));
  }

  void project(const sdk::ExplanationIn& explanation, std::int64_t, const sdk::Tensor& rows,
               std::span<double> scores) override {
    const sdk::Matrix bias = sdk::to_matrix(explanation.get("encoder_bias"));
    const methods::TopKSae<double> sae{sdk::to_matrix(explanation.get("encoder")), bias.col(0),
                                       sdk::to_matrix(explanation.cavs()),
                                       std::stoll(explanation.text("top_k"))};
    sdk::as_matrix(scores, rows.rows(), sae.encoder.rows()) =
        methods::sae_encode<double>(sdk::to_matrix(rows), sae);
  }

  void reconstruct(const sdk::ExplanationIn& explanation, std::int64_t, const sdk::Tensor& scores,
                   std::span<double> rows) override {
    const sdk::Matrix dictionary = sdk::to_matrix(explanation.cavs());
    sdk::as_matrix(rows, scores.rows(), dictionary.cols()) =
        numerics::product_by_whole_blocks<double>(sdk::to_matrix(scores),
                                                  sdk::Matrix(dictionary.transpose()));
  }

 private:
  methods::SaeOptions options_;
};

}  // namespace

CONOSCOPE_EXPLAINER(TopKSparseAutoencoder, "topk_sae", "1.0.1", R"toml(
summary = "class-agnostic TopK sparse autoencoder of position features; dictionary rows as concepts"
licence = "Apache-2.0"
citation = "Makhzani & Frey, k-Sparse Autoencoders, ICLR 2014; Gao et al., arXiv:2406.04093; as concepts: Fel et al., arXiv:2502.12892"
needs = ["head_view"]
offers = ["explanation"]
seeded = true
)toml",
                    kParameters)
