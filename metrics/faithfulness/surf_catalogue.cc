#include "metrics/faithfulness/surf_catalogue.h"

#include "metrics/catalogue.h"
#include "metrics/faithfulness/surf.h"

namespace conoscope::metrics {

namespace {

constexpr std::string_view kPaper =
    "Kumar and Ahuja, Measuring the (Un)Faithfulness of Concept-Based Explanations, "
    "arXiv 2504.10833";
constexpr std::string_view kIce =
    "Zhang et al., Invertible Concept-based Explanations, AAAI 2021; on the surrogate of "
    "arXiv 2504.10833";
constexpr std::string_view kOwn = "conoscope; a bounded companion to SURF_MAE, arXiv 2504.10833";

std::vector<Score> score_surf(const Views& subject) { return surf(subject); }

}  // namespace

std::vector<Metric> declare::surf() {
  constexpr auto kLower = Direction::kLower, kHigher = Direction::kHigher;
  const std::vector<std::string_view> views{"head_view", "explanation"};
  const std::vector<std::string_view> labelled{"head_view", "explanation", "labels"};
  std::vector<Metric> rows{
      {"surf_mae", "surf", "How far is the surrogate's answer from the model's, in logits?", kLower,
       0.0, kUnbounded, "logits", kPaper, views},
      {"surf_emd", "surf", "How much probability must move to turn its answer into the model's?",
       kLower, 0.0, 1.0, "", kPaper, views},
      {"surf_top1", "surf", "How often does it choose the class that the model chooses?", kHigher,
       0.0, 1.0, "", kPaper, views},
      {"surf_rank_corr", "surf", "Does it rank the outputs as the model does?", kHigher, -1.0, 1.0,
       "", kPaper, views},
      {"surf_rank_corr_undefined", "surf",
       "In how many samples is a ranking constant, so that 0 was counted?", Direction::kNone, 0.0,
       kUnbounded, "samples", kPaper, views},
      {"surf_norm_l1", "surf", "By what fraction is it off on the true class?", kLower, 0.0,
       kUnbounded, "", kIce, labelled},
      {"surf_attr_acc", "surf", "How often does it see an attribute where the model sees it?",
       kHigher, 0.0, 1.0, "", kPaper, views},
      {"surf_prob_mae", "surf", "How far is its probability of an attribute from the model's?",
       kLower, 0.0, 1.0, "", kOwn, views},
      {"surf_mae_spatial_mean", "surf", "surf_mae, where psi sees every position: its mean", kLower,
       0.0, kUnbounded, "logits", kPaper, views},
      {"surf_emd_spatial_mean", "surf", "surf_emd, where psi sees every position: its mean", kLower,
       0.0, 1.0, "", kPaper, views},
      {"surf_top1_spatial_mean", "surf", "surf_top1, where psi sees every position: its mean",
       kHigher, 0.0, 1.0, "", kPaper, views},
      {"surf_rank_corr_spatial_mean", "surf",
       "surf_rank_corr, where psi sees every position: its mean", kHigher, -1.0, 1.0, "", kPaper,
       views},
      {"surf_rank_corr_undefined_spatial_mean", "surf",
       "surf_rank_corr_undefined, where psi sees every position: its mean", Direction::kNone, 0.0,
       kUnbounded, "samples", kPaper, views},
      {"surf_norm_l1_spatial_mean", "surf", "surf_norm_l1, where psi sees every position: its mean",
       kLower, 0.0, kUnbounded, "", kIce, labelled},
      {"surf_attr_acc_spatial_mean", "surf",
       "surf_attr_acc, where psi sees every position: its mean", kHigher, 0.0, 1.0, "", kPaper,
       views},
      {"surf_prob_mae_spatial_mean", "surf",
       "surf_prob_mae, where psi sees every position: its mean", kLower, 0.0, 1.0, "", kOwn, views},
      {"surf_params", "surf", "How many parameters does the surrogate train for its evaluation?",
       kLower, 0.0, kUnbounded, "parameters", kPaper, views},
      {"surf_flops", "surf", "What does the surrogate cost beyond the concept scores?", kLower, 0.0,
       kUnbounded, "FLOP per sample", kPaper, views},
  };
  return from_pass<score_surf>(std::move(rows));
}

}  // namespace conoscope::metrics
