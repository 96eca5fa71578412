#include "metrics/faithfulness/surf.h"

#include <string>
#include <utility>

#include "metrics/faithfulness/explanation.h"
#include "metrics/faithfulness/model_logits.h"
#include "metrics/faithfulness/surf_attr_acc.h"
#include "metrics/faithfulness/surf_complexity.h"
#include "metrics/faithfulness/surf_prob_mae.h"
#include "metrics/faithfulness/surf_surrogate.h"
#include "metrics/faithfulness/surf_tally.h"
#include "metrics/faithfulness/surrogate_scores.h"
#include "metrics/score.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kMeasures[] = {
    "surf_mae",     "surf_emd",      "surf_top1",    "surf_rank_corr", "surf_rank_corr_undefined",
    "surf_norm_l1", "surf_attr_acc", "surf_prob_mae"};
constexpr const char* kSpatialMean = "_spatial_mean";

using detail::none, detail::number;

// The eight measures under one position rule, in the order of kMeasures.
std::vector<Score> measures(const Matrix& model, const Matrix& surrogate, Output output,
                            const Annotations* annotations) {
  const bool softmax = output == Output::kSoftmax, sigmoid = output == Output::kSigmoid;
  SurfTally tally(model.cols(),
                  {.mae = true, .emd = softmax, .top1 = softmax, .rank_corr = softmax});
  tally.add(model, surrogate);

  std::vector<Score> scores{number("surf_mae", tally.mae(), tally.mae_rows())};
  if (softmax) {
    scores.push_back(number("surf_emd", tally.emd(), tally.emd_rows()));
    scores.push_back(number("surf_top1", tally.top1()));
    scores.push_back(model.cols() == 1
                         ? none("surf_rank_corr", "undefined", "one output cannot be ranked")
                         : number("surf_rank_corr", tally.rank_corr(), tally.rank_corr_rows()));
    scores.push_back(
        number("surf_rank_corr_undefined", static_cast<double>(tally.rank_corr_undefined())));
    scores.push_back(detail::norm_l1_score("surf_norm_l1", model, surrogate, annotations));
  } else {
    for (const char* name :
         {"surf_emd", "surf_top1", "surf_rank_corr", "surf_rank_corr_undefined", "surf_norm_l1"})
      scores.push_back(none(name, "not_applicable", "the outputs are not a softmax's"));
  }
  if (sigmoid) {
    scores.push_back(number("surf_attr_acc", surf_attr_acc(model, surrogate)));
    scores.push_back(number("surf_prob_mae", surf_prob_mae(model, surrogate)));
  } else {
    for (const char* name : {"surf_attr_acc", "surf_prob_mae"})
      scores.push_back(none(name, "not_applicable", "the outputs are not sigmoids of attributes"));
  }
  return scores;
}

std::vector<Score> no_measures(const std::string& why) {
  std::vector<Score> scores;
  for (const char* name : kMeasures) scores.push_back(none(name, "not_applicable", why));
  return scores;
}

void append(std::vector<Score>& all, std::vector<Score> scores, const char* suffix) {
  for (Score& score : scores) {
    score.name += suffix;
    all.push_back(std::move(score));
  }
}

}  // namespace

std::vector<Score> surf(const Views& subject, const SurfOptions& options) {
  std::vector<Score> all;
  if (!subject.head || !subject.explanation) {
    const std::string why = subject.head ? "needs an explanation" : "needs a head view";
    append(all, no_measures(why), "");
    append(all, no_measures(why), kSpatialMean);
    for (const char* name : {"surf_params", "surf_flops"})
      all.push_back(none(name, "not_applicable", why));
    return all;
  }
  const HeadView& head = *subject.head;
  const Explanation& explanation = *subject.explanation;

  const Matrix model = model_logits(head);
  const std::vector<Score> pooled =
      measures(model, surf_surrogate(head, explanation), head.output, subject.annotations);
  append(all, pooled, "");

  if (!options.spatial_mean)
    append(all, no_measures("not asked for"), kSpatialMean);
  else if (head.pooling == Pooling::kFlatten)
    append(all, no_measures("a flatten head sums over positions"), kSpatialMean);
  else if (explanation.linear() || head.positions == 1)
    append(all, pooled, kSpatialMean);  // identical: a mean and a linear psi commute
  else
    append(all,
           measures(model, surf_surrogate(head, explanation, PositionRule::kSpatialMean),
                    head.output, subject.annotations),
           kSpatialMean);

  const Complexity cost = surf_complexity(detail::concepts_per_output(explanation));
  all.push_back(number("surf_params", static_cast<double>(cost.params)));
  all.push_back(number("surf_flops", static_cast<double>(cost.flops)));
  return all;
}

}  // namespace conoscope::metrics
