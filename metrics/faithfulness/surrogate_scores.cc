#include "metrics/faithfulness/surrogate_scores.h"

#include <stdexcept>

#include "metrics/faithfulness/logit_pair.h"
#include "metrics/faithfulness/surf_norm_l1.h"
#include "metrics/faithfulness/surf_tally.h"
#include "metrics/score.h"

namespace conoscope::metrics::detail {

namespace {

constexpr const char* kMeasures[] = {"_mae", "_emd", "_top1", "_rank_corr", "_norm_l1"};

}  // namespace

Score norm_l1_score(const std::string& name, const MatrixRef& model_logits,
                    const MatrixRef& surrogate_logits, const Annotations* annotations) {
  if (!annotations || annotations->labels.empty())
    return not_applicable(name, "needs annotations.labels");
  try {
    const NormL1 norm = surf_norm_l1(model_logits, surrogate_logits, annotations->labels);
    Score score = number(name, norm.value);
    if (norm.skipped > 0)
      score.message =
          std::to_string(norm.skipped) + " samples left out: the true class's logit is exactly 0";
    return score;
  } catch (const std::domain_error& error) {
    return none(name, "undefined", error.what());
  }
}

void append_surrogate_scores(std::vector<Score>& scores, const std::string& prefix,
                             const MatrixRef& model_logits, const MatrixRef& surrogate_logits,
                             Output output, const Annotations* annotations) {
  require_logit_pair(prefix, model_logits, surrogate_logits);
  const bool softmax = output == Output::kSoftmax;
  SurfTally tally(model_logits.cols(),
                  {.mae = true, .emd = softmax, .top1 = softmax, .rank_corr = softmax});
  tally.add(model_logits, surrogate_logits);
  scores.push_back(number(prefix + "_mae", tally.mae(), tally.mae_rows()));
  if (!softmax) {
    for (const char* measure : {"_emd", "_top1", "_rank_corr", "_norm_l1"})
      scores.push_back(not_applicable(prefix + measure, "the outputs are not a softmax's"));
    return;
  }
  scores.push_back(number(prefix + "_emd", tally.emd(), tally.emd_rows()));
  scores.push_back(number(prefix + "_top1", tally.top1()));
  scores.push_back(model_logits.cols() == 1
                       ? none(prefix + "_rank_corr", "undefined", "one output cannot be ranked")
                       : number(prefix + "_rank_corr", tally.rank_corr(), tally.rank_corr_rows()));
  if (tally.rank_corr_undefined() > 0 && scores.back().reason.empty())
    scores.back().message =
        std::to_string(tally.rank_corr_undefined()) + " samples with a constant row counted 0";
  scores.push_back(norm_l1_score(prefix + "_norm_l1", model_logits, surrogate_logits, annotations));
}

void append_no_surrogate_scores(std::vector<Score>& scores, const std::string& prefix,
                                const std::string& reason, const std::string& why) {
  for (const char* measure : kMeasures) scores.push_back(none(prefix + measure, reason, why));
}

}  // namespace conoscope::metrics::detail
