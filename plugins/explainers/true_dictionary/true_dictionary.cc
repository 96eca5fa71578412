// SPDX-License-Identifier: Apache-2.0
// The truth as an explanation, for judging measures and not for any ranking: it knows the answer. Its
// concepts are the dataset's known features, with their true activations as scores. Or that with a
// fault of known size.

#include <numbers>

#include "conoscope/sdk/eigen.h"
#include "conoscope/sdk/explainer.h"
#include "numerics/whole_blocks.h"
#include "plugins/explainers/true_dictionary/faults.h"

namespace {

namespace sdk = conoscope::sdk;
namespace methods = conoscope::methods;
using methods::Index;

constexpr auto kParameters = sdk::parameters(
    sdk::integer("features", 0)
        .at_least(0)
        .counts_concepts()
        .help("so many of the known features, in the dataset's order (superposition: the most "
              "frequent); 0: all"),
    sdk::text("fault", "none")
        .choices({"none", "angle", "dropped", "absorbed", "permuted"})
        .help("angle: every direction is turned; dropped: random directions in place of a share; "
              "absorbed: in a share of parents and their children the parent is silent where the "
              "child is active, and the child's direction holds both; permuted: a share of the "
              "directions is exchanged"),
    sdk::real("amount", 0.0)
        .between(0.0, 180.0)
        .help("of the fault: degrees of the angle, else a share, at most 1"));

class TrueDictionary final : public sdk::Explainer,
                             public sdk::Projection,
                             public sdk::Reconstruction {
 public:
  explicit TrueDictionary(const sdk::ParamsOf<kParameters>& params)
      : features_(params.integer("features")),
        fault_(params.text("fault")),
        amount_(params.real("amount")) {
    const double most = fault_ == "none" ? 0.0 : fault_ == "angle" ? 180.0 : 1.0;
    if (amount_ > most)
      throw std::invalid_argument("true_dictionary: amount = " + std::to_string(amount_) +
                                  " with fault = " + fault_ + ", expected at most " +
                                  std::to_string(most));
  }

  void fit(const sdk::HeadView& head, const sdk::Context& context,
           sdk::ExplanationOut& out) override {
    for (const char* name : {"truth_directions", "truth_activations"})
      if (!head.arrays().has(name))
        throw sdk::NotApplicable(std::string("true_dictionary: the dataset has no ") + name);
    const sdk::Matrix directions = sdk::to_matrix(head.arrays().get("truth_directions"));
    const sdk::Matrix activations = sdk::to_matrix(head.arrays().get("truth_activations"));
    const std::int64_t width = head.width(), outputs = head.outputs();
    if (head.positions() != 1 || directions.cols() != width)
      throw sdk::NotApplicable("true_dictionary: the known features are directions of " +
                               std::to_string(directions.cols()) +
                               " numbers, but the model's activations are " +
                               head.activations().shape_text());
    const Index known = directions.rows(), kept = features_ == 0 ? known : features_;
    if (kept > known)
      throw std::invalid_argument("true_dictionary: features = " + std::to_string(kept) +
                                  ", but only " + std::to_string(known) + " are known");
    Eigen::RowVectorXd bias = Eigen::RowVectorXd::Zero(width);
    if (const auto given = head.arrays().find("truth_bias"))
      bias = sdk::to_matrix(*given).transpose();

    context.check_cancelled();
    // All features make up the rows by which these are found again; only the kept ones explain them.
    const sdk::Matrix rows = activations * directions;
    methods::KnownDictionary dictionary{activations.leftCols(kept), directions.topRows(kept)};
    context.progress(0.5);
    spoil(dictionary, rows, head.arrays(), context.seed());
    context.check_cancelled();

    const double norm = bias.norm();
    const Index concepts = kept + (norm > 0.0 ? 1 : 0);
    auto explanation = out.class_agnostic(concepts, outputs, width);
    auto cavs = sdk::as_matrix(explanation.cavs, concepts, width);
    cavs.topRows(kept) = dictionary.atoms;
    const auto constant = out.create<std::int64_t>("constant_concepts", {concepts});
    if (norm > 0.0) {
      cavs.row(kept) = bias / norm;
      constant.back() = 1;
    }
    sdk::as_matrix(explanation.importance, outputs, concepts) =
        sdk::to_matrix(head.weight()) * cavs.transpose();
    sdk::as_matrix(out.create<double>("rows", {rows.rows(), width}), rows.rows(), width) =
        rows.rowwise() + bias;
    const auto scores = out.create<float>("scores", {rows.rows(), concepts});
    Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> all(
        scores.data(), rows.rows(), concepts);
    all.leftCols(kept) = dictionary.codes.cast<float>();
    if (norm > 0.0) all.col(kept).setConstant(static_cast<float>(norm));
  }

  void project(const sdk::ExplanationIn& explanation, std::int64_t, const sdk::Tensor& rows,
               std::span<double> scores) override {
    const methods::KnownRows known(sdk::to_matrix(explanation.get("rows")));
    const sdk::Tensor scores_of = explanation.get("scores");
    const auto values = scores_of.values<const float>();
    const sdk::Matrix asked = sdk::to_matrix(rows);
    const std::int64_t concepts = scores_of.shape(1);
    auto to = scores.begin();
    for (Index i = 0; i < asked.rows(); ++i) {
      const Index row = known.find(asked.row(i).transpose());
      if (row < 0)
        throw sdk::NotApplicable("true_dictionary: row " + std::to_string(i) +
                                 " is none of the test split's, of which alone the truth is known");
      const auto from = values.begin() + row * concepts;
      to = std::copy(from, from + concepts, to);
    }
  }

  void reconstruct(const sdk::ExplanationIn& explanation, std::int64_t, const sdk::Tensor& scores,
                   std::span<double> rows) override {
    const sdk::Matrix cavs = sdk::to_matrix(explanation.cavs());
    sdk::as_matrix(rows, scores.rows(), cavs.cols()) =
        conoscope::numerics::product_by_whole_blocks<double>(sdk::to_matrix(scores),
                                                             sdk::Matrix(cavs.transpose()));
  }

 private:
  void spoil(methods::KnownDictionary& dictionary, const sdk::Matrix& rows, const sdk::Arrays& arrays,
             sdk::Seed seed) const {
    const Index kept = dictionary.atoms.rows();
    const sdk::Seed which = seed.child("which"), how = seed.child("how");
    if (fault_ == "angle") {
      sdk::Matrix ways(kept, dictionary.atoms.cols());
      sdk::Random random(how);
      for (Index i = 0; i < ways.size(); ++i) ways.data()[i] = random.normal();
      dictionary.atoms =
          methods::turned(dictionary.atoms, ways, amount_ * std::numbers::pi / 180.0);
    } else if (fault_ == "dropped") {
      methods::drop(dictionary, rows, methods::draw_share(kept, amount_, which), how);
    } else if (fault_ == "absorbed") {
      const auto pairs = families(arrays, kept);
      std::vector<std::pair<Index, Index>> drawn;
      for (const Index one : methods::draw_share(static_cast<Index>(pairs.size()), amount_, which))
        drawn.push_back(pairs[static_cast<std::size_t>(one)]);
      methods::absorb(dictionary, drawn);
    } else if (fault_ == "permuted") {
      methods::exchange_atoms(dictionary, methods::draw_share(kept, amount_, which));
    }
  }

  /// Parents and children among the first features.
  static std::vector<std::pair<Index, Index>> families(const sdk::Arrays& arrays, Index kept) {
    std::vector<std::pair<Index, Index>> out;
    if (const auto parent = arrays.find("truth_parent")) {
      const auto values = parent->values<const std::int64_t>();
      for (Index i = 0; i < kept; ++i)
        if (const Index up = values[static_cast<std::size_t>(i)]; up >= 0 && up < kept)
          out.emplace_back(up, i);
    }
    if (out.empty())
      throw sdk::NotApplicable("true_dictionary: fault = absorbed, but no feature has a parent");
    return out;
  }

  std::int64_t features_;
  std::string fault_;
  double amount_;
};

}  // namespace

CONOSCOPE_EXPLAINER(TrueDictionary, "true_dictionary", "1.0.0", R"toml(
summary = "the known features themselves, whole or with a fault of known size; judges measures: it knows the answer"
licence = "Apache-2.0"
citation = "world and measures of truth: SynthSAEBench, arXiv:2602.14687; absorption: Chanin et al., arXiv:2409.14507"
needs = ["head_view", "truth"]
offers = ["explanation"]
seeded = true
)toml",
                    kParameters)
