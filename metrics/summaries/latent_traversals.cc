// SPDX-License-Identifier: Apache-2.0
#include "metrics/summaries/latent_traversals.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "metrics/summaries/packed_pixels.h"
#include "metrics/summaries/shown_items.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr Index kMostLatents = 6, kSteps = 7;

double quantile(Vector values, double level) {
  std::ranges::sort(values);
  return values[static_cast<Index>(std::lround(level * static_cast<double>(values.size() - 1)))];
}

IndexVector latents_that_vary_most(const Matrix& codes) {
  const Eigen::RowVectorXd spread =
      (codes.rowwise() - codes.colwise().mean()).colwise().squaredNorm();
  IndexVector out(static_cast<std::size_t>(codes.cols()));
  std::iota(out.begin(), out.end(), Index{0});
  std::ranges::stable_sort(out, {}, [&spread](Index l) { return -spread[l]; });
  out.resize(std::min(out.size(), static_cast<std::size_t>(kMostLatents)));
  std::ranges::sort(out);
  return out;
}

SummaryTable traversals(const Subject& subject) {
  const LatentView& latent = subject.latent();
  const ImageView& images = subject.images();
  if (!latent.decode)
    throw NotApplicable("the model does not turn codes back into inputs (decode)");
  numerics::require_finite("latent_traversals", "codes", latent.codes);
  const PixelRange range = range_of(images);
  const IndexVector shown = latents_that_vary_most(latent.codes);
  const IndexVector samples = evenly(latent.codes.rows(), kSteps);
  const auto rows = static_cast<Index>(samples.size()) + kSteps * static_cast<Index>(shown.size());
  Matrix codes(rows, latent.codes.cols());
  struct Row {
    double latent, step, value, sample;
  };
  std::vector<Row> what;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    codes.row(static_cast<Index>(what.size())) = latent.codes.row(samples[i]);
    what.push_back({kNoNumber, static_cast<double>(i), kNoNumber, static_cast<double>(samples[i])});
  }
  for (const Index l : shown) {
    const double low = quantile(latent.codes.col(l), 0.02),
                 high = quantile(latent.codes.col(l), 0.98);
    for (Index step = 0; step < kSteps; ++step) {
      const double value = low + (high - low) * static_cast<double>(step) / (kSteps - 1);
      codes.row(static_cast<Index>(what.size())) = latent.codes.row(samples[0]);
      codes(static_cast<Index>(what.size()), l) = value;
      what.push_back({static_cast<double>(l), static_cast<double>(step), value,
                      static_cast<double>(samples[0])});
    }
  }
  const Matrix decoded = latent.decode(codes);
  if (decoded.rows() != rows || decoded.cols() != images.pixels.cols())
    numerics::refuse("latent_traversals", "decode() gave " + std::to_string(decoded.rows()) +
                                              " x " + std::to_string(decoded.cols()) +
                                              ", expected " + std::to_string(rows) + " x " +
                                              std::to_string(images.pixels.cols()));
  SummaryTable out;
  if (static_cast<Index>(shown.size()) < latent.codes.cols())
    out.caveat = "the " + std::to_string(shown.size()) + " of " +
                 std::to_string(latent.codes.cols()) + " latents that vary most";
  for (std::size_t r = 0; r < what.size(); ++r) {
    out.add({what[r].latent, what[r].step, what[r].value, what[r].sample});
    out.add(packed_pixels(decoded.row(static_cast<Index>(r)), images, range));
  }
  return out;
}

}  // namespace

Summary declare::latent_traversals() {
  Summary out{
      .name = "latent_traversals",
      .question =
          "What does the decoder make of a code, and of a code one latent of which is moved?",
      .source = "ours; traversals as in Higgins et al., ICLR 2017",
      .needs = {"latent_view", "inputs"},
      .uses = {"decode"},
      .columns = {"latent", "step", "value", "sample"},
      .compute = traversals};
  std::ranges::copy(pixel_columns("pixel"), std::back_inserter(out.columns));
  return out;
}

}  // namespace conoscope::metrics
