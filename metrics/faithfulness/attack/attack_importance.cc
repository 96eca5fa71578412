#include "metrics/faithfulness/attack/attack_importance.h"

#include "metrics/faithfulness/logit_row.h"

namespace conoscope::metrics {

namespace {

Vector turned_over(const Vector& z, const Matrix& others) {
  detail::LogitRow row(z.size());
  Vector out(others.rows());
  for (Index i = 0; i < others.rows(); ++i)
    out(i) = 0.5 * (1.0 - row.spearman(z.data(), others.row(i).data()).value_or(1.0));
  return out;
}

}  // namespace

Result attack_importance(const ExplainedHead& of, std::uint64_t seed,
                         const AttackOptions& options) {
  const AttackedSamples found = attack(of, 2, turned_over, nullptr, seed, options);
  return {.value = found.by_attack.mean() - found.by_noise.mean(),
          .parts = {found.by_attack.begin(), found.by_attack.end()},
          .caveat = found.caveat};
}

std::vector<Metric> declare::attack_importance() {
  return {{.name = "attack_importance",
           .group = "attacks",
           .question = "How much further than noise can a move that the model does not notice turn "
                       "over the ranking of concepts?",
           .direction = Direction::kLower,
           .low = -1.0,
           .high = 1.0,
           .source = "ours, after Sinha et al., AAAI 2023",
           .needs = {"head_view", "explanation"},
           .compute = [](const Subject& subject) {
             require_softmax(subject);
             require_last_layer(subject);
             require_pooled(subject);
             return metrics::attack_importance(subject.once(explained_head), subject.seed());
           }}};
}

}  // namespace conoscope::metrics
