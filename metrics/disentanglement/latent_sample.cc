// SPDX-License-Identifier: Apache-2.0
#include "metrics/disentanglement/latent_sample.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "metrics/caveat.h"
#include "metrics/left_out.h"
#include "numerics/random.h"

namespace conoscope::metrics {

namespace {

constexpr Index kMostSamples = 15000, kLeastSamples = 30;

struct Drawn {
  Matrix train_codes, test_codes, codes, train_binned, test_binned, binned, factors;
};

Drawn draw_sample(const Subject& subject) {
  const LatentFactors& from = subject.once(latent_factors);
  IndexVector order(static_cast<std::size_t>(from.codes.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  numerics::Random random(subject.seed(), 37);
  random.shuffle(order);
  const Index used = std::min(from.codes.rows(), kMostSamples), tested = used / 3;
  const IndexVector test(order.begin(), order.begin() + tested),
      train(order.begin() + tested, order.begin() + used);
  IndexVector all = train;
  all.insert(all.end(), test.begin(), test.end());
  return {from.codes(train, Eigen::all), from.codes(test, Eigen::all),
          from.codes(all, Eigen::all),   from.binned(train, Eigen::all),
          from.binned(test, Eigen::all), from.binned(all, Eigen::all),
          from.factors(all, Eigen::all)};
}

LatentSample checked_sample(const Subject& subject) {
  const Drawn& of = subject.once(draw_sample);
  return {{of.train_codes, of.train_binned, of.test_codes, of.test_binned},
          {of.codes, of.binned},
          {of.codes, of.factors}};
}

void require_at_least(Index least, const char* what, Index there) {
  if (there < least)
    throw NotApplicable("needs at least " + std::to_string(least) + " " + what + ", there " +
                        (there == 1 ? "is " : "are ") + std::to_string(there));
}

}  // namespace

const LatentSample& latent_sample(const Subject& subject, LatentNeeds least) {
  const LatentFactors& from = subject.once(latent_factors);
  require_at_least(kLeastSamples, "samples", from.codes.rows());
  require_at_least(least.codes, least.codes == 1 ? "code" : "codes", from.codes.cols());
  require_at_least(least.factors, least.factors == 1 ? "factor that varies" : "factors that vary",
                   from.factors.cols());
  return subject.once(checked_sample);
}

Metric latent_metric(const char* name, const char* question, std::string_view source,
                     LatentNeeds least, std::string_view parts,
                     std::function<Result(const Subject&, const LatentSample&)> compute,
                     std::vector<Setting> settings, ComputeWith compute_with) {
  const auto completed = [parts](const Subject& subject, Result result) {
    const LatentFactors& from = subject.once(latent_factors);
    if (parts == "factor") result.parts = with_gaps(result.parts, from.constant);
    const std::string own = std::exchange(result.caveat, from.caveat);
    add_note(result.caveat, own);
    return result;
  };
  Metric metric{
      .name = name,
      .group = "disentanglement",
      .question = question,
      .direction = Direction::kHigher,
      .high = 1.0,
      .source = source,
      .needs = {"latent_view", "factors"},
      .parts = parts,
      .compute =
          [=](const Subject& subject) {
            return completed(subject, compute(subject, latent_sample(subject, least)));
          },
      .settings = std::move(settings),
  };
  if (compute_with)
    metric.compute_with = [=](const Subject& subject, const std::vector<Setting>& with) {
      return completed(subject, compute_with(subject, latent_sample(subject, least), with));
    };
  return metric;
}

}  // namespace conoscope::metrics
