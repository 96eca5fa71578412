// SPDX-License-Identifier: Apache-2.0
// HU-MCD: concepts are subspaces, as in MCD, of embeddings of image segments instead of positions.
// The embeddings come with the dataset, each segment run through the network by itself; or they are
// made here: superpixels, the image painted over outside each, through the model. That is not the
// paper's masked convolution, which keeps what is outside from entering any layer: here the edge
// between segment and fill is seen, and the fill itself activates the network.

#include <algorithm>
#include <cmath>
#include <utility>

#include "numerics/checks.h"
#include "numerics/spectral.h"
#include "plugins/explainers/class_rows.h"
#include "plugins/explainers/draw_at_most.h"
#include "plugins/explainers/image_segments.h"
#include "plugins/explainers/subspaces.h"

namespace {

namespace sdk = conoscope::sdk;
namespace numerics = conoscope::numerics;
namespace explainers = conoscope::explainers;
using Eigen::Index;

/// Embeddings of segments, and which sample each is cut from.
struct Segments {
  sdk::Matrix embeddings;  // m x D
  std::vector<std::int64_t> sample;

  Segments() = default;

  static bool given(const sdk::HeadView& head) {
    return head.arrays().has("segment_embeddings") && head.arrays().has("segment_sample");
  }

  explicit Segments(const sdk::HeadView& head) {
    if (!given(head))
      throw sdk::NotApplicable("hu_mcd: the dataset has no segment_embeddings and segment_sample");
    embeddings = sdk::to_matrix(head.arrays().get("segment_embeddings"));
    const sdk::Tensor samples = head.arrays().get("segment_sample");
    const auto numbers = samples.values<const std::int64_t>();
    sample.assign(numbers.begin(), numbers.end());
    if (embeddings.cols() != head.width() || embeddings.rows() != static_cast<Index>(sample.size()))
      throw std::invalid_argument(
          "hu_mcd: segment_embeddings is " + numerics::shape_of(embeddings) + " for " +
          std::to_string(sample.size()) + " segment_sample and features of " +
          std::to_string(head.width()));
    for (std::size_t i = 0; i < sample.size(); ++i)
      if (sample[i] < 0 || sample[i] >= head.samples())
        throw std::invalid_argument("hu_mcd: segment_sample[" + std::to_string(i) + "] is " +
                                    std::to_string(sample[i]) + ", but there are " +
                                    std::to_string(head.samples()) + " samples");
  }
};

constexpr auto kParameters = sdk::parameters(
    sdk::integer("clusters", 0)
        .at_least(0)
        .counts_concepts()
        .help("clusters of segments per output; 0, as its authors: the average number of segments "
              "per sample, rounded; Kumar and Ahuja: 5"),
    sdk::integer("min_segments", 50).at_least(2).help("smaller clusters are no concept"),
    sdk::real("gamma", 10)
        .at_least(1.000001)
        .help("self-representation: penalty = largest |product| with another segment / gamma"),
    sdk::real("variance", 0.8)
        .between(1e-06, 0.999999)
        .help("a concept has as many dimensions as hold this share of its variance, at most "
              "features / concepts"),
    sdk::integer("max_samples", 400)
        .at_least(1)
        .help("a random subset of an output's samples if there are more"),
    sdk::integer("segments", 15)
        .at_least(1)
        .help("without given embeddings: superpixels per image; ours: the published segments are "
              "masks by a segmentation network (SAM)"),
    sdk::real("compactness", 20)
        .at_least(0)
        .help("of the superpixels: how much shape counts beside colour"),
    sdk::real("sigma", 1)
        .between(0, 1000)
        .help("Gaussian smoothing before the superpixels, in pixels"),
    sdk::text("fill", "grey")
        .choices({"grey", "mean"})
        .help("what surrounds a segment: 117/255 of the training images' range, or their mean by "
              "channel; ours: the published network masks every layer"));

class HuMcd final : public sdk::Explainer,
                    public sdk::ModelUser,
                    public explainers::SubspaceProjection {
 public:
  explicit HuMcd(const sdk::ParamsOf<kParameters>& params)
      : clusters_(params.integer("clusters")),
        min_segments_(params.integer("min_segments")),
        gamma_(params.real("gamma")),
        variance_(params.real("variance")),
        max_samples_(params.integer("max_samples")),
        fill_(params.text("fill")) {
    slic_.segments = params.integer("segments");
    slic_.compactness = params.real("compactness");
    slic_.sigma = params.real("sigma");
  }

  void fit(const sdk::HeadView& head, const sdk::Context& context,
           sdk::ExplanationOut& out) override {
    explain(head, Segments(head), context, out);
  }

  void fit_with_model(const sdk::HeadView& head, const sdk::ModelCall& model,
                      const sdk::Context& context, sdk::ExplanationOut& out) override {
    explainers::refuse_flattened(head, "hu_mcd");
    explain(head, Segments::given(head) ? Segments(head) : cut(head, model, context), context, out);
  }

 private:
  static numerics::Seed seed_of(std::size_t output, const sdk::Context& context) {
    return context.seed().child(static_cast<std::uint64_t>(output));
  }

  /// The samples of an output that are looked at, in ascending order.
  std::vector<Index> chosen(std::vector<Index> samples, numerics::Seed seed) const {
    return explainers::draw_at_most(std::move(samples), max_samples_,
                                    numerics::Random(seed.child("samples")));
  }

  /// Superpixels of every sample that some output looks at, each alone in its image.
  Segments cut(const sdk::HeadView& head, const sdk::ModelCall& model,
               const sdk::Context& context) const {
    const explainers::Images images(head, "hu_mcd");
    const auto members = explainers::members_by_output(head);
    std::vector<char> used(static_cast<std::size_t>(head.samples()), 0);
    for (std::size_t c = 0; c < members.size(); ++c)
      for (const Index i : chosen(members[c], seed_of(c, context)))
        used[static_cast<std::size_t>(i)] = 1;
    Segments out;
    const Eigen::RowVectorXd fill = images.fill(fill_);
    explainers::ImageEncoder encoder(images, head, model, context);
    for (Index i = 0; i < head.samples(); ++i) {
      if (!used[static_cast<std::size_t>(i)]) continue;
      const sdk::Matrix image = images.image(i);
      const auto labels = images.segments(i, slic_);
      const Index count = *std::max_element(labels.begin(), labels.end()) + 1;
      for (Index l = 0; l < count; ++l) {
        std::vector<char> mask(labels.size());
        for (std::size_t p = 0; p < labels.size(); ++p) mask[p] = labels[p] == l;
        encoder.add(explainers::masked(image, mask, fill));
        out.sample.push_back(i);
      }
    }
    out.embeddings = encoder.finish();
    return out;
  }

  void explain(const sdk::HeadView& head, const Segments& segments, const sdk::Context& context,
               sdk::ExplanationOut& out) const {
    const auto members = explainers::members_by_output(head);
    std::vector<explainers::Subspaces> found(static_cast<std::size_t>(head.outputs()));
    explainers::explain_each_output(
        head, context, out, "hu_mcd", true, [&](Index c, const sdk::Matrix&) {
          auto& concepts = found[static_cast<std::size_t>(c)];
          const numerics::Seed seed = seed_of(static_cast<std::size_t>(c), context);
          concepts = subspaces_of(segments, chosen(members[static_cast<std::size_t>(c)], seed), c,
                                  seed, context);
          return sdk::Matrix(concepts.bases);
        });
    explainers::write_subspaces(found, sdk::to_matrix(head.weight()), true, out);
  }

  explainers::Subspaces subspaces_of(const Segments& segments, const std::vector<Index>& samples,
                                     Index output, numerics::Seed seed,
                                     const sdk::Context& context) const {
    const std::string name = "hu_mcd: output " + std::to_string(output);
    std::vector<Index> used;
    for (std::size_t i = 0; i < segments.sample.size(); ++i)
      if (std::binary_search(samples.begin(), samples.end(), segments.sample[i]) &&
          !segments.embeddings.row(static_cast<Index>(i)).isZero(0.0))
        used.push_back(static_cast<Index>(i));
    const double per_sample =
        static_cast<double>(used.size()) / static_cast<double>(samples.size());
    const Index clusters = clusters_ > 0 ? clusters_ : std::max<Index>(1, std::lround(per_sample));
    explainers::need_rows("hu_mcd", output, static_cast<Index>(used.size()), clusters);

    const sdk::Matrix rows = segments.embeddings(used, Eigen::all);
    const numerics::SelfRepresentationOptions options{
        .gamma = gamma_, .progress = [&](double) { context.check_cancelled(); }};
    const auto own = numerics::sparse_self_representation(rows.rowwise().normalized(), options);
    const auto labels = numerics::spectral_clustering(numerics::affinity_of(own.coefficients),
                                                      clusters, seed.child("clusters"));
    std::vector<sdk::Matrix> kept;
    for (Index l = 0; l < clusters; ++l)
      if (sdk::Matrix one = explainers::rows_with_label(rows, labels, l);
          one.rows() >= min_segments_)
        kept.push_back(std::move(one));
    if (kept.empty())
      throw std::domain_error(name + ": none of " + std::to_string(clusters) + " clusters of " +
                              std::to_string(rows.rows()) + " segments holds min_segments = " +
                              std::to_string(min_segments_) + "; lower it, or give more samples");
    const Index most = std::max<Index>(1, rows.cols() / static_cast<Index>(kept.size()));
    explainers::Subspaces out;
    for (const sdk::Matrix& one : kept)
      out.add(numerics::subspace_basis(one, numerics::DimensionRule::kRatio, variance_, most));
    if (out.bases.rows() == 0)
      throw std::domain_error(name + ": the segments of a cluster do not differ, in any cluster");
    return out;
  }

  std::int64_t clusters_, min_segments_;
  double gamma_, variance_;
  std::int64_t max_samples_;
  std::string fill_;
  numerics::SlicOptions slic_;
};

}  // namespace

CONOSCOPE_EXPLAINER(HuMcd, "hu_mcd", "1.1.2", R"toml(
summary = "multi-dimensional concepts of image segments: sparse subspace clustering of segment embeddings, a PCA basis per cluster"
licence = "Apache-2.0"
citation = "Grobruegge, Kuehl, Satzger & Spitzer, Towards human-understandable multi-dimensional concept discovery (HU-MCD), CVPR 2025"
needs = ["head_view", "segments or forward"]
offers = ["explanation"]
seeded = true
)toml",
                    kParameters)
