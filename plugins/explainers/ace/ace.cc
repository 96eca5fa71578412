// SPDX-License-Identifier: Apache-2.0
// ACE: superpixels of an output's images, each run through the model by itself, fall into clusters;
// a cluster that enough images share is a concept. Its CAV separates it from random segments, its
// importance is how often the logit rises along that CAV (TCAV).

#include <algorithm>
#include <numeric>
#include <utility>

#include "numerics/kmeans.h"
#include "numerics/statistics/t_test.h"
#include "plugins/explainers/ace/cav.h"
#include "plugins/explainers/class_rows.h"
#include "plugins/explainers/draw_at_most.h"
#include "plugins/explainers/image_segments.h"

namespace {

namespace sdk = conoscope::sdk;
namespace methods = conoscope::methods;
namespace numerics = conoscope::numerics;
namespace explainers = conoscope::explainers;
using Eigen::Index;

double jaccard(const std::vector<char>& a, const std::vector<char>& b) {
  Index both = 0, either = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += a[i] && b[i];
    either += a[i] || b[i];
  }
  return static_cast<double>(both) / static_cast<double>(either);
}

/// The segments of one output's images as the model sees them.
struct Discovered {
  sdk::Matrix embeddings;    // m x D
  std::vector<Index> image;  // m: which of the output's images
  Index images = 0;
};

constexpr auto kParameters = sdk::parameters(
    sdk::integer("k", 25).at_least(1).counts_concepts().help(
        "clusters of segments per output; those that are common and significant become concepts"),
    sdk::integers("segments", {15, 50, 80})
        .at_least(1)
        .not_empty()
        .help("superpixels per image, one segmentation for each; on tiny images the finest are "
              "single pixels"),
    sdk::real("compactness", 20)
        .at_least(0)
        .help("of the superpixels: how much shape counts beside colour"),
    sdk::real("sigma", 1)
        .between(0, 1000)
        .help("Gaussian smoothing before the segmentation, in pixels"),
    sdk::real("min_share", 0.001)
        .between(0, 1)
        .help("segments below this share of the image's pixels are dropped"),
    sdk::real("max_overlap", 0.5)
        .between(0, 1)
        .help("segments whose Jaccard index with one that was kept before is larger are dropped"),
    sdk::integer("max_images", 40)
        .at_least(1)
        .help("a random subset of an output's images if there are more"),
    sdk::integer("min_size", 40)
        .at_least(0)
        .help("a cluster of as many segments or fewer is no concept"),
    sdk::integer("members", 40)
        .at_least(1)
        .help(
            "segments nearest to the centre that stand for the concept; random sets are as large"),
    sdk::integer("random_sets", 20)
        .at_least(2)
        .help("sets of random segments (of all outputs) that a concept is told apart from"),
    sdk::real("significance", 0.01)
        .between(0, 1)
        .help("concepts whose TCAV scores a paired t-test cannot tell from a random set's (p above "
              "this) are dropped"),
    sdk::real("cav_c", 1)
        .at_least(1e-09)
        .help("CAVs: weight of the logistic loss against 0.5 |w|^2; ours: the default of TCAV is a "
              "linear SVM"),
    sdk::text("fill", "grey")
        .choices({"grey", "mean"})
        .help("what surrounds a segment: 117/255 of the training images' range, or their mean by "
              "channel"));

class Ace final : public sdk::Explainer, public sdk::ModelUser {
 public:
  explicit Ace(const sdk::ParamsOf<kParameters>& params)
      : k_(params.integer("k")),
        levels_(params.integers("segments")),
        min_share_(params.real("min_share")),
        max_overlap_(params.real("max_overlap")),
        max_images_(params.integer("max_images")),
        min_size_(params.integer("min_size")),
        members_(params.integer("members")),
        random_sets_(params.integer("random_sets")),
        significance_(params.real("significance")),
        cav_c_(params.real("cav_c")),
        fill_(params.text("fill")) {
    slic_.compactness = params.real("compactness");
    slic_.sigma = params.real("sigma");
  }

  void fit(const sdk::HeadView&, const sdk::Context&, sdk::ExplanationOut&) override {
    throw sdk::NotApplicable("ace: it needs a model that runs new images (forward)");
  }

  void fit_with_model(const sdk::HeadView& head, const sdk::ModelCall& model,
                      const sdk::Context& context, sdk::ExplanationOut& out) override {
    explainers::refuse_flattened(head, "ace");
    const explainers::Images images(head, "ace");
    const auto members = explainers::members_by_output(head);
    std::vector<Discovered> found;
    for (std::size_t c = 0; c < members.size(); ++c)
      found.push_back(discover(images, head, model, members[c],
                               context.seed().child("images").child(c), context));
    const RandomSets random = draw(found, context.seed().child("random"));

    const sdk::Matrix weight = sdk::to_matrix(head.weight());
    bool any = false;
    Index last = 0;  // of the outputs that something is predicted as
    for (std::size_t c = 0; c < members.size(); ++c)
      if (!members[c].empty()) last = static_cast<Index>(c);
    explainers::explain_members(
        head, context, out, "ace", true, [&](Index c, const auto&, const sdk::Matrix&) {
          auto mine =
              concepts_of(found[static_cast<std::size_t>(c)], random, weight.row(c), c, context);
          any = any || mine.cavs.rows() > 0;
          if (c == last && !any)
            throw std::domain_error("ace: no cluster of any output is common and significant");
          return mine;
        });
  }

 private:
  /// What CAVs separate a concept from, and CAVs of random segments against random segments.
  struct RandomSets {
    std::vector<sdk::Matrix> sets;
    sdk::Matrix cavs;  // of one more random set against each
  };

  Discovered discover(const explainers::Images& images, const sdk::HeadView& head,
                      const sdk::ModelCall& model, std::vector<Index> samples, sdk::Seed seed,
                      const sdk::Context& context) const {
    samples = explainers::draw_at_most(std::move(samples), max_images_, sdk::Random(seed));
    Discovered out;
    out.images = static_cast<Index>(samples.size());
    const Eigen::RowVectorXd fill = images.fill(fill_);
    explainers::ImageEncoder encoder(images, head, model, context);
    for (Index i = 0; i < out.images; ++i) {
      const Index sample = samples[static_cast<std::size_t>(i)];
      const sdk::Matrix image = images.image(sample);
      for (const auto& mask : masks_of(images, sample)) {
        encoder.add(explainers::enlarged(explainers::masked(image, mask, fill), mask, images.height,
                                         images.width));
        out.image.push_back(i);
      }
    }
    out.embeddings = encoder.finish();
    return out;
  }

  /// Segments of all levels, coarse ones first, that are large enough and unlike those before.
  std::vector<std::vector<char>> masks_of(const explainers::Images& images, Index sample) const {
    std::vector<std::vector<char>> kept;
    for (const std::int64_t level : levels_) {
      auto options = slic_;
      options.segments = level;
      const auto labels = images.segments(sample, options);
      const Index count = *std::max_element(labels.begin(), labels.end()) + 1;
      for (Index l = 0; l < count; ++l) {
        std::vector<char> mask(labels.size());
        for (std::size_t i = 0; i < labels.size(); ++i) mask[i] = labels[i] == l;
        const auto size = static_cast<double>(std::count(mask.begin(), mask.end(), 1));
        if (size < min_share_ * static_cast<double>(mask.size())) continue;
        if (std::none_of(kept.begin(), kept.end(),
                         [&](const auto& other) { return jaccard(mask, other) > max_overlap_; }))
          kept.push_back(std::move(mask));
      }
    }
    return kept;
  }

  RandomSets draw(const std::vector<Discovered>& found, sdk::Seed seed) const {
    std::vector<std::pair<std::size_t, Index>> pool;
    for (std::size_t c = 0; c < found.size(); ++c)
      for (Index i = 0; i < found[c].embeddings.rows(); ++i) pool.emplace_back(c, i);
    RandomSets out;
    if (pool.empty()) return out;  // no output has members; said later
    const Index width = found[pool[0].first].embeddings.cols();
    for (std::int64_t r = 0; r <= random_sets_; ++r) {
      sdk::Random(seed.child(static_cast<std::uint64_t>(r))).shuffle(pool);
      const auto size = std::min(pool.size(), static_cast<std::size_t>(members_));
      sdk::Matrix set(static_cast<Index>(size), width);
      for (std::size_t i = 0; i < size; ++i)
        set.row(static_cast<Index>(i)) = found[pool[i].first].embeddings.row(pool[i].second);
      out.sets.push_back(std::move(set));
    }
    const sdk::Matrix one_more = std::move(out.sets.back());
    out.sets.pop_back();
    out.cavs = cavs_of(one_more, out.sets);
    return out;
  }

  sdk::Matrix cavs_of(const sdk::Matrix& has, const std::vector<sdk::Matrix>& random) const {
    sdk::Matrix out(static_cast<Index>(random.size()), has.cols());
    for (std::size_t r = 0; r < random.size(); ++r)
      out.row(static_cast<Index>(r)) =
          methods::concept_activation_vector(has, random[r], cav_c_).transpose();
    return out;
  }

  /// Of each CAV: the share of the output's images whose logit rises along it. The head is linear
  /// in the mean of the positions, so it rises for all of them or for none.
  static Eigen::VectorXd tcav(const sdk::Matrix& cavs, const Eigen::RowVectorXd& weight) {
    return ((cavs * weight.transpose()).array() > 0.0).cast<double>();
  }

  explainers::OutputConcepts concepts_of(const Discovered& found, const RandomSets& random,
                                         const Eigen::RowVectorXd& weight, Index output,
                                         const sdk::Context& context) const {
    explainers::need_rows("ace", output, found.embeddings.rows(), k_);
    const numerics::Seed seed = context.seed();
    const auto clusters = numerics::kmeans(
        found.embeddings, k_, seed.child("clusters").child(static_cast<std::uint64_t>(output)));
    const Eigen::VectorXd by_chance = tcav(random.cavs, weight);
    std::vector<Eigen::RowVectorXd> cavs;
    std::vector<double> importance;
    Index common = 0;
    for (Index l = 0; l < k_; ++l) {
      context.check_cancelled();
      std::vector<Index> mine;
      for (std::size_t i = 0; i < clusters.labels.size(); ++i)
        if (clusters.labels[i] == l) mine.push_back(static_cast<Index>(i));
      if (!is_common(found, mine)) continue;
      ++common;
      const Eigen::VectorXd distance =
          (found.embeddings(mine, Eigen::all).rowwise() - clusters.centres.row(l))
              .rowwise()
              .squaredNorm();
      std::vector<Index> order(mine.size());
      std::iota(order.begin(), order.end(), Index{0});
      std::stable_sort(order.begin(), order.end(),
                       [&](Index a, Index b) { return distance[a] < distance[b]; });
      order.resize(std::min(order.size(), static_cast<std::size_t>(members_)));
      for (Index& at : order) at = mine[static_cast<std::size_t>(at)];
      const sdk::Matrix each = cavs_of(found.embeddings(order, Eigen::all), random.sets);
      const Eigen::VectorXd scores = tcav(each, weight);
      if (numerics::paired_t_test(scores, by_chance).p > significance_) continue;
      const Eigen::RowVectorXd mean = each.colwise().mean();
      cavs.push_back(mean.norm() > 0.0 ? Eigen::RowVectorXd(mean / mean.norm()) : mean);
      importance.push_back(scores.mean());
    }
    context.log("ace: output " + std::to_string(output) + ": " +
                std::to_string(found.embeddings.rows()) + " segments of " +
                std::to_string(found.images) + " images, " + std::to_string(common) + " of " +
                std::to_string(k_) + " clusters common, " + std::to_string(cavs.size()) +
                " significant");
    explainers::OutputConcepts out{
        sdk::Matrix(static_cast<Index>(cavs.size()), found.embeddings.cols()),
        Eigen::VectorXd(static_cast<Index>(cavs.size()))};
    for (std::size_t v = 0; v < cavs.size(); ++v) {
      out.cavs.row(static_cast<Index>(v)) = cavs[v];
      out.importance[static_cast<Index>(v)] = importance[v];
    }
    return out;
  }

  /// Enough segments, and from enough images, counted against the cluster and against all images.
  bool is_common(const Discovered& found, const std::vector<Index>& mine) const {
    const auto size = static_cast<double>(mine.size());
    if (static_cast<std::int64_t>(mine.size()) <= min_size_) return false;
    std::vector<char> seen(static_cast<std::size_t>(found.images), 0);
    for (const Index i : mine)
      seen[static_cast<std::size_t>(found.image[static_cast<std::size_t>(i)])] = 1;
    const auto images = static_cast<double>(std::count(seen.begin(), seen.end(), 1));
    const auto all = static_cast<double>(found.images);
    return images > 0.5 * size || (images > 0.25 * size && images > 0.25 * all) ||
           (images > 0.1 * size && images > 0.5 * all);
  }

  std::int64_t k_;
  std::vector<std::int64_t> levels_;
  numerics::SlicOptions slic_;
  double min_share_, max_overlap_;
  std::int64_t max_images_, min_size_, members_, random_sets_;
  double significance_, cav_c_;
  std::string fill_;
};

}  // namespace

CONOSCOPE_EXPLAINER(Ace, "ace", "1.0.1", R"toml(
summary = "superpixels of images, run through the model one by one and clustered; CAVs against random segments, TCAV scores as importance"
licence = "Apache-2.0"
citation = "Ghorbani, Wexler, Zou & Kim, Towards automatic concept-based explanations (ACE), NeurIPS 2019; no psi is defined for it: <h, cav>, importance the TCAV score (Kim et al., ICML 2018)"
needs = ["head_view", "inputs", "forward"]
offers = ["explanation"]
seeded = true
)toml",
                    kParameters)
