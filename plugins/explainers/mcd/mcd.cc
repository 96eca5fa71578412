// SPDX-License-Identifier: Apache-2.0
// MCD: an output's concepts are subspaces. Unit-norm position features are clustered by sparse
// subspace clustering; the centred PCA of a cluster spans its concept. Each basis vector is a CAV.

#include <utility>

#include "numerics/spectral.h"
#include "plugins/explainers/class_rows.h"
#include "plugins/explainers/draw_at_most.h"
#include "plugins/explainers/subspaces.h"

namespace {

namespace sdk = conoscope::sdk;
namespace numerics = conoscope::numerics;
namespace explainers = conoscope::explainers;
using Eigen::Index;

constexpr auto kParameters = sdk::parameters(
    sdk::integer("k", 5).at_least(1).counts_concepts().help(
        "concepts per output; each is a subspace of one or more dimensions; 5 is Kumar and "
        "Ahuja's, the authors add concepts until their completeness is 0.5"),
    sdk::text("clustering", "ssc")
        .choices({"ssc", "kmeans"})
        .help(
            "sparse subspace clustering, or K-Means of the unit-norm features (no outliers then)"),
    sdk::real("gamma", 50)
        .at_least(1.000001)
        .help("self-representation: penalty = largest |product| with another row / gamma"),
    sdk::real("outlier_quantile", 0.75)
        .between(0.01, 1)
        .help("rows whose self-representation has an l1 norm above this quantile are left out; 1: "
              "none"),
    sdk::text("dimension_rule", "fo")
        .choices({"fo", "ratio"})
        .help("dimension of a concept: eigenvalues above threshold * largest, or the first that "
              "hold that share of the variance"),
    sdk::real("dimension_threshold", 0.05).between(1e-06, 0.999999).help("of the dimension rule"),
    sdk::integer("max_dimension", 0)
        .at_least(0)
        .help("at most so many dimensions per concept; 0: as the rule says"),
    sdk::integer("max_rows", 10000)
        .at_least(2)
        .help("a random subset of an output's positions if there are more"));

class Mcd final : public sdk::Explainer, public explainers::SubspaceProjection {
 public:
  explicit Mcd(const sdk::ParamsOf<kParameters>& params)
      : k_(params.integer("k")),
        by_self_representation_(params.text("clustering") == "ssc"),
        gamma_(params.real("gamma")),
        quantile_(params.real("outlier_quantile")),
        rule_(params.text("dimension_rule") == "fo" ? numerics::DimensionRule::kFukunagaOlsen
                                                    : numerics::DimensionRule::kRatio),
        threshold_(params.real("dimension_threshold")),
        max_dimension_(params.integer("max_dimension")),
        max_rows_(params.integer("max_rows")) {}

  void fit(const sdk::HeadView& head, const sdk::Context& context,
           sdk::ExplanationOut& out) override {
    std::vector<explainers::Subspaces> found(static_cast<std::size_t>(head.outputs()));
    explainers::explain_each_output<explainers::Numbers::kOwn>(
        head, context, out, "mcd", false, [&](Index c, const auto& rows) {
          const numerics::Seed seed = context.seed().child(static_cast<std::uint64_t>(c));
          const sdk::Matrix units = unit_rows(rows, seed.child("rows"));
          explainers::need_rows("mcd", c, units.rows(), k_);
          auto& concepts = found[static_cast<std::size_t>(c)];
          concepts = subspaces_of(units, c, seed.child("clusters"), context);
          if (concepts.bases.rows() == 0)
            throw std::domain_error("mcd: output " + std::to_string(c) +
                                    ": the rows of a cluster do not differ, in any cluster");
          return sdk::Matrix(concepts.bases);
        });
    explainers::write_subspaces(found, sdk::to_matrix(head.weight()), false, out);
  }

 private:
  /// Rows that are not zero, scaled to norm 1; max_rows of them, drawn, if there are more.
  template <typename T>
  sdk::Matrix unit_rows(const numerics::RowMajor<T>& rows, numerics::Seed seed) const {
    std::vector<Index> used;
    for (Index i = 0; i < rows.rows(); ++i)
      if (!rows.row(i).isZero(T(0))) used.push_back(i);
    used = explainers::draw_at_most(std::move(used), max_rows_, numerics::Random(seed));
    sdk::Matrix units = rows(used, Eigen::all).template cast<double>();
    units.rowwise().normalize();
    return units;
  }

  explainers::Subspaces subspaces_of(const sdk::Matrix& units, Index output, numerics::Seed seed,
                                     const sdk::Context& context) const {
    sdk::Matrix kept = units;
    std::vector<Index> labels;
    if (by_self_representation_) {
      const numerics::SelfRepresentationOptions options{
          .gamma = gamma_, .progress = [&](double) { context.check_cancelled(); }};
      auto own = numerics::sparse_self_representation(units, options);
      const auto inliers = numerics::rows_within_quantile(own.l1, quantile_);
      if (inliers.size() < static_cast<std::size_t>(units.rows())) {
        kept = units(inliers, Eigen::all);
        explainers::need_rows("mcd", output, kept.rows(), k_);
        own = numerics::sparse_self_representation(kept, options);
      }
      labels = numerics::spectral_clustering(numerics::affinity_of(own.coefficients), k_, seed);
    } else {
      labels = numerics::kmeans(units, k_, seed, {.n_init = 20}).labels;
    }
    explainers::Subspaces out;
    for (Index l = 0; l < k_; ++l) {
      const sdk::Matrix members = explainers::rows_with_label(kept, labels, l);
      out.add(members.rows() > 0
                  ? numerics::subspace_basis(members, rule_, threshold_, max_dimension_)
                  : sdk::Matrix(0, units.cols()));
    }
    return out;
  }

  std::int64_t k_;
  bool by_self_representation_;
  double gamma_, quantile_;
  numerics::DimensionRule rule_;
  double threshold_;
  std::int64_t max_dimension_, max_rows_;
};

}  // namespace

CONOSCOPE_EXPLAINER(Mcd, "mcd", "1.0.1", R"toml(
summary = "multi-dimensional concepts: sparse subspace clustering of position features, a PCA basis per cluster"
licence = "Apache-2.0"
citation = "Vielhaben, Bluecher & Strodthoff, Multi-dimensional concept discovery (MCD), TMLR 2023, arXiv:2301.11911"
needs = ["head_view"]
offers = ["explanation"]
seeded = true
)toml",
                    kParameters)
