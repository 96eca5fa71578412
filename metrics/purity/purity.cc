#include "metrics/purity/purity.h"

#include <stdexcept>
#include <string>

#include "metrics/catalogue.h"
#include "metrics/purity/concept_alignment.h"
#include "metrics/purity/nis.h"
#include "metrics/purity/ois.h"
#include "metrics/score.h"

namespace conoscope::metrics {

namespace {

using detail::none;
using detail::not_applicable;
using detail::number;

constexpr const char* kOis = "ois";
constexpr const char* kOffDiagonal = "ois_off_diagonal";
constexpr const char* kGreedy = "ois_aligned_greedy";
constexpr const char* kOptimal = "ois_aligned_optimal";
constexpr const char* kFailed = "ois_failed_fits";
constexpr const char* kNis = "nis";
constexpr const char* kSoftmax = "nis_softmax";

std::vector<Score> all_of(std::initializer_list<const char*> names, const std::string& reason,
                          const std::string& message) {
  std::vector<Score> scores;
  for (const char* name : names) scores.push_back(none(name, reason, message));
  return scores;
}

void append(std::vector<Score>& scores, std::vector<Score> more) {
  for (Score& score : more) scores.push_back(std::move(score));
}

std::vector<double> parts_of(const Matrix& matrix) {
  return {matrix.data(), matrix.data() + matrix.size()};
}

std::vector<Score> ois_scores(const Matrix& purity, const Matrix& oracle) {
  std::vector<Score> scores;
  if (purity.rows() == purity.cols()) {
    scores.push_back(number(kOis, ois(purity, oracle), parts_of(purity)));
    scores.push_back(number(kOffDiagonal, ois(purity, oracle, false), parts_of(purity)));
  } else {
    const std::string why = std::to_string(purity.rows()) + " representations of " +
                            std::to_string(purity.cols()) + " concepts have to be aligned first";
    append(scores, all_of({kOis, kOffDiagonal}, "not_applicable", why));
  }
  const auto aligned = [&](const char* name, const IndexVector& alignment) {
    scores.push_back(number(name, ois(aligned_rows(purity, alignment), oracle),
                            {alignment.begin(), alignment.end()}));
  };
  const IndexVector optimal = optimal_alignment(purity);
  aligned(kGreedy, greedy_alignment(purity));
  aligned(kOptimal, optimal);
  const Matrix own = purity.rows() == purity.cols() ? purity : aligned_rows(purity, optimal);
  const auto failed = (own.diagonal().array() < 0.5).count();
  if (failed > 0)
    for (Score& score : scores)
      if (score.reason.empty())
        score.message = std::to_string(failed) + " of " + std::to_string(own.rows()) +
                        " networks came out worse than chance at a representation's own concept";
  scores.push_back(number(kFailed, static_cast<double>(failed)));
  return scores;
}

}  // namespace

std::vector<Score> purity(const Views& subject) {
  const bool annotated = subject.annotations && subject.annotations->concepts.size() > 0;
  const char* const lacking = !subject.concepts ? "needs a concept view"
                              : !annotated      ? "needs annotations.concepts"
                              : subject.annotations->concepts.cols() < 2
                                  ? "purity is between concepts, and there is one"
                                  : nullptr;
  if (lacking)
    return all_of({kOis, kOffDiagonal, kGreedy, kOptimal, kFailed, kNis, kSoftmax},
                  "not_applicable", lacking);
  const Matrix& c_hat = subject.concepts->scores;
  const Matrix& truth = subject.annotations->concepts;
  const Index width = subject.concepts->width;

  std::vector<Score> scores;
  if (width >= 1 && c_hat.cols() / width < truth.cols()) {
    append(scores,
           all_of({kOis, kOffDiagonal, kGreedy, kOptimal, kFailed}, "not_applicable",
                  std::to_string(c_hat.cols() / width) + " representations cannot stand for " +
                      std::to_string(truth.cols()) + " concepts"));
  } else {
    PurityOptions options;
    options.seed = subject.seed;
    try {
      append(scores, ois_scores(purity_matrix(c_hat, width, truth, options),
                                oracle_matrix(truth, options)));
    } catch (const std::domain_error& error) {
      append(scores,
             all_of({kOis, kOffDiagonal, kGreedy, kOptimal, kFailed}, "undefined", error.what()));
    }
  }

  if (!((truth.array() == 0.0) || (truth.array() == 1.0)).all()) {
    append(scores, all_of({kNis, kSoftmax}, "not_applicable", "the concepts are not binary"));
    return scores;
  }
  try {
    const NicheScores niches = nis(c_hat, width, truth, subject.seed);
    for (const auto& [name, result] :
         {std::pair(kNis, &niches.definition), std::pair(kSoftmax, &niches.softmax)}) {
      scores.push_back(
          number(name, result->score, {result->by_beta.begin(), result->by_beta.end()}));
      if (result->skipped > 0)
        scores.back().message =
            std::to_string(result->skipped) + " concepts left out: constant in the test part";
    }
  } catch (const std::domain_error& error) {
    append(scores, all_of({kNis, kSoftmax}, "undefined", error.what()));
  }
  return scores;
}

std::vector<Metric> declare::purity() {
  constexpr auto kLower = Direction::kLower;
  constexpr std::string_view kSource = "Espinosa Zarlenga et al., AAAI 2023";
  const std::vector<std::string_view> needs{"concept_view", "concepts"};
  return from_pass<metrics::purity>({
      {kOis, "purity",
       "How much more does each representation know of other concepts than the "
       "concepts themselves do?",
       kLower, 0.0, 2.0, "", kSource, needs},
      {kOffDiagonal, "purity", "The same without how well each knows its own concept", kLower, 0.0,
       2.0, "", kSource, needs},
      {kGreedy, "purity", "The same for representations without names, aligned by the paper's rule",
       kLower, 0.0, 2.0, "", kSource, needs},
      {kOptimal, "purity", "The same, aligned so that the sum of AUCs is largest", kLower, 0.0, 2.0,
       "", kSource, needs},
      {kFailed, "purity",
       "How many helper networks of a representation's own concept are worse "
       "than chance?",
       Direction::kNone, 0.0, kUnbounded, "concepts", kSource, needs},
      {kNis, "purity", "How well do representations outside of a concept's niche predict it?",
       kLower, 0.0, 0.95, "", kSource, needs},
      {kSoftmax, "purity", "The same as the authors' code has it, with a softmax over concepts",
       kLower, 0.0, 0.95, "", "Espinosa Zarlenga et al., AAAI 2023, code c09d125", needs},
  });
}

}  // namespace conoscope::metrics
