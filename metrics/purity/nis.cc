// SPDX-License-Identifier: Apache-2.0
#include "metrics/purity/nis.h"

#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

#include "metrics/auc.h"
#include "metrics/left_out.h"
#include "metrics/metric.h"
#include "metrics/purity/concept_labels.h"
#include "metrics/purity/nicher.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr Index kThresholds = 21, kInCode = 20;
constexpr double kStep = 0.05;

constexpr std::uint64_t kSplit = 10;  // stream of the seed; ois.cc has 0 to 3

using Niches = Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Output j of the network with some representations set to 0. The same mask comes back at many
/// thresholds, and is computed once.
class MaskedOutputs {
 public:
  MaskedOutputs(const NicheNetwork& network, const MatrixRef& c_hat, Index width)
      : network_(network), c_hat_(c_hat), width_(width) {}

  const Vector& operator()(Index output, const std::vector<bool>& masked) {
    auto [found, is_new] = known_.try_emplace({output, masked});
    if (!is_new) return found->second;
    Matrix x = c_hat_;
    for (std::size_t i = 0; i < masked.size(); ++i)
      if (masked[i]) x.middleCols(static_cast<Index>(i) * width_, width_).setZero();
    NicheNetwork one = network_;
    one.weight[2] = network_.weight[2].col(output);
    one.bias[2] = network_.bias[2].segment(output, 1);
    return found->second = one.probabilities(x).col(0);
  }

 private:
  const NicheNetwork& network_;
  const MatrixRef& c_hat_;
  Index width_;
  std::map<std::pair<Index, std::vector<bool>>, Vector> known_;
};

/// Of probabilities, which need no shift; number by number, so that equal rows keep equal bits: an AUC
/// counts their ties.
void apply_softmax(Matrix& rows) {
  for (Index i = 0; i < rows.rows(); ++i) {
    double sum = 0.0;
    for (Index j = 0; j < rows.cols(); ++j) sum += rows(i, j) = std::exp(rows(i, j));
    for (Index j = 0; j < rows.cols(); ++j) rows(i, j) /= sum;
  }
}

Matrix rows_of(const MatrixRef& matrix, const IndexVector& rows) {
  return matrix(rows, Eigen::all);
}

}  // namespace

Niches concept_niches(const MatrixRef& nicher, double beta) {
  return (nicher.array() > beta).matrix();
}

NicheImpurity niche_impurity(const NicheNetwork& network, const MatrixRef& nicher,
                             const MatrixRef& c_hat, Index width, const MatrixRef& concepts,
                             NicheVariant variant) {
  constexpr const char* kName = "niche_impurity";
  detail::require_representations(kName, c_hat, width, concepts.rows());
  detail::require_binary(kName, concepts);
  const Index k = concepts.cols(), representations = c_hat.cols() / width;
  if (nicher.rows() != representations || nicher.cols() != k || network.outputs() != k ||
      network.features() != c_hat.cols())
    numerics::refuse(kName, "nicher is " + numerics::shape_of(nicher) + " and the network " +
                                std::to_string(network.features()) + " -> " +
                                std::to_string(network.outputs()) + ", for " +
                                std::to_string(representations) + " representations and " +
                                std::to_string(k) + " concepts");
  numerics::require_finite(kName, "nicher", nicher);

  std::vector<IndexVector> present(static_cast<std::size_t>(k));
  std::vector<bool> judged(static_cast<std::size_t>(k));
  NicheImpurity result;
  for (Index j = 0; j < k; ++j) {
    auto& flags = present[static_cast<std::size_t>(j)];
    for (Index i = 0; i < concepts.rows(); ++i) flags.push_back(concepts(i, j) == 1.0 ? 1 : 0);
    const double ones = concepts.col(j).sum();
    const bool varies = ones > 0.0 && ones < static_cast<double>(concepts.rows());
    judged[static_cast<std::size_t>(j)] = varies;
    result.skipped += !varies;
  }
  if (result.skipped == k)
    throw std::domain_error("niche_impurity: every concept is constant in the test part");

  MaskedOutputs outputs(network, c_hat, width);
  result.beta.resize(kThresholds);
  result.by_beta.resize(kThresholds);
  Matrix probabilities(concepts.rows(), k);
  std::vector<bool> masked(static_cast<std::size_t>(representations));
  for (Index b = 0; b < kThresholds; ++b) {
    result.beta(b) = static_cast<double>(b) * kStep;
    const Niches niches = concept_niches(nicher, result.beta(b));
    for (Index j = 0; j < k; ++j) {
      for (Index i = 0; i < representations; ++i)
        masked[static_cast<std::size_t>(i)] =
            niches(i, j) != (variant == NicheVariant::kComplement);
      probabilities.col(j) = outputs(j, masked);
    }
    if (variant == NicheVariant::kSoftmax) apply_softmax(probabilities);
    double sum = 0.0;
    for (Index j = 0; j < k; ++j)
      if (judged[static_cast<std::size_t>(j)]) {
        const Vector column = probabilities.col(j);
        sum += auc(present[static_cast<std::size_t>(j)], column);
      }
    result.by_beta(b) = sum / static_cast<double>(k - result.skipped);
  }
  for (Index b = 0; b + 1 < kThresholds; ++b) {
    if (b + 1 == kInCode) result.score = result.full;
    result.full += 0.5 * kStep * (result.by_beta(b) + result.by_beta(b + 1));
  }
  return result;
}

NicheScores nis(const MatrixRef& c_hat, Index width, const MatrixRef& concepts, std::uint64_t seed,
                const NicheTraining& training) {
  constexpr const char* kName = "nis";
  const detail::ConceptLabels labels = detail::concept_labels(kName, concepts);
  detail::require_binary(kName, concepts);
  detail::require_representations(kName, c_hat, width, labels.samples());
  const detail::TrainTest rows = detail::split_80_20(kName, labels.samples(), seed, kSplit);
  const Matrix train_x = rows_of(c_hat, rows.train), train_y = rows_of(concepts, rows.train);
  const Matrix test_x = rows_of(c_hat, rows.test), test_y = rows_of(concepts, rows.test);
  const NicheNetwork network = train_niche_network(train_x, train_y, training);
  const Matrix nicher = train_x.rows() < 2 ? Matrix::Zero(c_hat.cols() / width, concepts.cols())
                                           : concept_nicher(train_x, width, train_y);
  const Matrix signed_nicher =
      train_x.rows() < 2 ? nicher : concept_nicher(train_x, width, train_y, true);
  return {niche_impurity(network, nicher, test_x, width, test_y, NicheVariant::kMasked),
          niche_impurity(network, nicher, test_x, width, test_y, NicheVariant::kSoftmax),
          niche_impurity(network, signed_nicher, test_x, width, test_y, NicheVariant::kComplement)};
}

namespace {

NicheScores trained(const Subject& subject, const NicheTraining& training) {
  const ConceptView& view = subject.concepts();
  if (subject.annotations().concepts.cols() < 2)
    throw NotApplicable("purity is between concepts, and there is one");
  const Matrix& truth = detail::binary_concepts(subject);
  return nis(view.scores, view.width, truth, subject.seed(), training);
}

NicheScores scores_of(const Subject& subject) { return trained(subject, {}); }

NicheTraining training_of(const std::vector<Setting>& settings) {
  return {
      .hidden = settings[0].value, .most_epochs = settings[1].value, .batch = settings[2].value};
}

/// In the order of training_of.
std::vector<Setting> published() {
  const NicheTraining training;
  return {{"hidden", training.hidden}, {"epochs", training.most_epochs}, {"batch", training.batch}};
}

std::string caveat_of(const NicheImpurity& found) {
  return found.skipped == 0 ? "" : left_out(found.skipped, "concept", "constant in the test part");
}

Result to_095(const NicheImpurity& found) {
  return {found.score, {found.by_beta.begin(), found.by_beta.begin() + kInCode}, caveat_of(found)};
}

Result to_1(const NicheImpurity& found) {
  return {found.full, {found.by_beta.begin(), found.by_beta.end()}, caveat_of(found)};
}

Result rescaled(const NicheImpurity& found) {
  Result result = to_1(found);
  result.value = 2.0 * (result.value - 0.5);
  return result;
}

}  // namespace

std::vector<Metric> declare::nis() {
  constexpr std::string_view kPaper = "Espinosa Zarlenga et al., AAAI 2023";
  const auto row = [](const char* name, const char* question, std::string_view source,
                      NicheImpurity NicheScores::*variant, Result (*read)(const NicheImpurity&)) {
    return Metric{
        .name = name,
        .group = "purity",
        .question = question,
        .direction = Direction::kLower,
        .high = 0.95,
        .source = source,
        .needs = {"concept_view", "concepts"},
        .compute = [=](const Subject& subject) { return read(subject.once(scores_of).*variant); },
        .settings = published(),
        .compute_with =
            [=](const Subject& subject, const std::vector<Setting>& settings) {
              return read(trained(subject, training_of(settings)).*variant);
            },
    };
  };
  Metric complement = row("nis_complement", "How well is a concept predicted by its niche alone?",
                          "Parisini et al., 2025, Figs. 15 and 16: a port of the code of NIS",
                          &NicheScores::complement, to_095);
  complement.direction = Direction::kNone;
  Metric full = row(
      "nis_full_grid", "How well is a concept predicted by the representations outside its niche?",
      "Espinosa Zarlenga et al., AAAI 2023, Def. 4 and 5", &NicheScores::masked, to_1);
  full.high = 1.0;
  Metric centred = row("nis_rescaled",
                       "How much better than by chance is a concept predicted by the "
                       "representations outside its niche?",
                       "Parisini et al., 2025, appendix B", &NicheScores::masked, rescaled);
  centred.low = -1.0;
  centred.high = 1.0;
  return {
      row("nis",
          "How well is a concept predicted by the representations outside its niche, for niches "
          "of correlations up to 0.95?",
          kPaper, &NicheScores::masked, to_095),
      row("nis_softmax",
          "How well is a concept predicted by the representations outside its niche, after a "
          "softmax over concepts?",
          "Espinosa Zarlenga et al., AAAI 2023, code c09d125", &NicheScores::softmax, to_095),
      complement, full, centred};
}

}  // namespace conoscope::metrics
