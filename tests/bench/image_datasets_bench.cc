// SPDX-License-Identifier: Apache-2.0
// How fast the images of dsprites and shapes3d are drawn, in images per second. Checked: the mean
// area of the sprites, the mean grey level of the rooms.

#include <benchmark/benchmark.h>

#include <numeric>
#include <vector>

#include "conoscope/sdk/random.h"
#include "datasets/dsprites/render.h"
#include "datasets/dsprites/task.h"
#include "datasets/shapes3d/render.h"
#include "datasets/shapes3d/task.h"

namespace {

namespace dsprites = conoscope::datasets::dsprites;
namespace shapes3d = conoscope::datasets::shapes3d;

/// Rows all over the grid.
std::vector<std::uint8_t> some_rows(std::span<const int> sizes, std::size_t count) {
  conoscope::sdk::Random random{conoscope::sdk::Seed(1)};
  std::vector<std::uint8_t> rows;
  for (std::size_t i = 0; i < count; ++i)
    for (const int size : sizes)
      rows.push_back(static_cast<std::uint8_t>(random.below(static_cast<std::uint64_t>(size))));
  return rows;
}

void images_per_second(benchmark::State& state, std::size_t images) {
  state.counters["images"] = benchmark::Counter(static_cast<double>(images),
                                                benchmark::Counter::kIsIterationInvariantRate);
}

void dsprites_render(benchmark::State& state) {
  constexpr std::size_t kImages = 3000;
  auto rows = some_rows(dsprites::kSizes, kImages);
  for (std::size_t i = 0; i < kImages; ++i) rows[i * 5] = static_cast<std::uint8_t>(state.range(0));
  std::vector<std::uint8_t> image(dsprites::kPixels);
  double area = 0;
  for (auto _ : state) {
    area = 0;
    for (std::size_t i = 0; i < kImages; ++i) {
      dsprites::render(std::span(rows).subspan(i * 5, 5), image);
      area += std::accumulate(image.begin(), image.end(), 0);
    }
  }
  images_per_second(state, kImages);
  // Mean area: that at scale 1 times the mean square of the scales, 0.5917.
  const double expected[] = {368.5, 289.2, 224.0};
  const double mean = area / kImages / (0.5917 * expected[state.range(0)]);
  if (mean < 0.97 || mean > 1.03) state.SkipWithError("the mean area is wrong");
}

/// So many images of one geometry, which the plugin draws together.
void shapes3d_render(benchmark::State& state) {
  const auto members = static_cast<std::size_t>(state.range(0));
  std::vector<std::uint8_t> image(shapes3d::kNumbers);
  double sum = 0;
  int turn = 0;
  for (auto _ : state) {
    const shapes3d::Geometry geometry(turn % 8, turn % 4, turn % 15);
    for (std::size_t i = 0; i < members; ++i) {
      const auto hue = static_cast<int>(i % 10);
      shapes3d::paint(geometry, hue, hue, hue, image);
      benchmark::DoNotOptimize(image.data());
    }
    sum = std::accumulate(image.begin(), image.end(), 0.0) / shapes3d::kNumbers;
    ++turn;
  }
  images_per_second(state, members);
  if (sum < 60 || sum > 180) state.SkipWithError("the mean grey level is wrong");
}

BENCHMARK(dsprites_render)->ArgName("shape")->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK(shapes3d_render)
    ->ArgName("hues")
    ->Arg(1)
    ->Arg(10)
    ->Arg(100)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
