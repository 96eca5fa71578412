// SPDX-License-Identifier: Apache-2.0
// How time and memory grow with the data, as a user meets them: `conoscope run` on activations of
// the SURF paper's own shape (ResNet-50: 7 x 7 positions x 2048 channels, float16), n images of C
// classes, K = 5.
//
//   <method>/n    n = 1,000 to 8,000 images of 100 classes
//   <method>/C    10 to 1,000 classes among 4,000 images; methods that take an image as one row need
//                 five images of each class to train on, and end at 100
//   --images=N    no more than N images
//
// Counters: CPU seconds (of the command and its workers, for a cell: fit and scores) and peak (MiB
// resident of its hungriest worker) at each size, and the exponents of both, by least squares in
// logarithms. Iterations and epochs are held low, so that the work is fixed; memory does not depend
// on them. A cell that is not ok fails the benchmark, as does one beyond 4 GiB. Needs 12 GB of disk
// below TMPDIR; an hour or more in all, so choose: --benchmark_filter='kmeans|svd'.

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "conoscope/sdk/random.h"
#include "conoscope/sdk/tensor.h"
#include "tests/support/command.h"
#include "tests/support/npy_bytes.h"
#include "tests/support/scratch.h"

namespace {

using namespace conoscope::testing;
namespace sdk = conoscope::sdk;

constexpr std::int64_t kPositions = 49, kWidth = 2048;
constexpr double kMostMiB = 4096;

std::int64_t most_images = 8000;

/// Of all processes that have been waited for.
double cpu_seconds_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::string extents(const std::vector<std::int64_t>& shape) {
  std::string text = "(";
  for (const auto extent : shape) text += std::to_string(extent) + ", ";
  return text + ")";
}

enum class Rows {
  kSparse,  ///< four in five numbers are 0, as after a ReLU, the others larger where the head's are
  kParts,   ///< each position near one of 64 subspaces of three dimensions, five of them a class
};

/// Numbers in [0, 1), many of them quickly.
class Uniform {
 public:
  float operator()() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<float>(state_ >> 40) * 0x1p-24F;
  }

 private:
  std::uint64_t state_ = 1;
};

/// Subspaces that positions lie near, as they do in a network: what subspace clustering is for.
class Parts {
 public:
  Parts() : directions_(static_cast<std::size_t>(kParts * kDimensions * kWidth)) {
    for (float& d : directions_) d = draw_() < 0.9F ? 0.0F : draw_();
  }

  /// A position of an image of this class.
  void draw(std::int64_t label, sdk::Half* row) {
    const auto which = static_cast<std::int64_t>(5 * draw_());
    const float* direction =
        directions_.data() + (label * 5 + which) % kParts * kDimensions * kWidth;
    const float weights[kDimensions] = {0.2F + draw_(), 0.2F + draw_(), 0.2F + draw_()};
    for (std::int64_t d = 0; d < kWidth; ++d) {
      float value = 0.01F * draw_();
      for (std::int64_t r = 0; r < kDimensions; ++r)
        value += weights[r] * direction[r * kWidth + d];
      row[d] = sdk::Half(value);
    }
  }

 private:
  static constexpr std::int64_t kParts = 64, kDimensions = 3;
  Uniform draw_;
  std::vector<float> directions_;
};

/// Image i shows class i % C.
class Images {
 public:
  Images(std::int64_t samples, std::int64_t classes, Rows rows) {
    sdk::Random random(sdk::Seed(1));
    std::vector<float> weight(static_cast<std::size_t>(classes * kWidth));
    for (float& w : weight) w = static_cast<float>(random.uniform());
    std::vector<std::int64_t> labels;
    for (std::int64_t i = 0; i < samples; ++i) labels.push_back(i % classes);
    scratch_.write("w.npy", npy_bytes("<f4", extents({classes, kWidth}), weight));
    scratch_.write("b.npy", npy_bytes("<f4", extents({classes}),
                                      std::vector<float>(static_cast<std::size_t>(classes))));
    scratch_.write("y.npy", npy_bytes("<i8", extents({samples}), labels));

    std::ofstream file(scratch_.path("a.npy"), std::ios::binary);
    file << npy_bytes<sdk::Half>("<f2", extents({samples, kPositions, kWidth}), {});
    Uniform draw;
    Parts parts;
    std::vector<sdk::Half> image(static_cast<std::size_t>(kPositions * kWidth));
    for (const std::int64_t label : labels) {
      if (rows == Rows::kParts) {
        for (std::int64_t p = 0; p < kPositions; ++p) parts.draw(label, image.data() + p * kWidth);
      } else {
        for (std::size_t j = 0; j < image.size(); ++j) {
          const float u = draw();
          const float w = weight[static_cast<std::size_t>(label * kWidth) + j % kWidth];
          image[j] = sdk::Half(u < 0.8F ? 0.0F : 5.0F * (u - 0.8F) * w * w);
        }
      }
      file.write(reinterpret_cast<const char*>(image.data()),
                 static_cast<std::streamsize>(image.size() * sizeof(sdk::Half)));
    }
  }

  struct Cost {
    double seconds = 0.0, mib = 0.0;
    std::string fault;
  };

  /// What a cell with this explainer takes once dataset and model are there.
  Cost cell(const std::string& explainer, const std::string& metrics) const {
    const std::string perfect = "perfect\"";
    double before = cpu_seconds_of_children();
    run(perfect, "\"surf_mae\"");  // makes dataset and model, too
    if (explainer != perfect) {
      before = cpu_seconds_of_children();
      run(explainer, metrics);
    }
    const double seconds = cpu_seconds_of_children() - before;
    const auto rows =
        nlohmann::json::parse(call({"query",
                                    "SELECT peak_memory, status, coalesce(message, '') AS message "
                                    "FROM attempt ORDER BY rowid DESC LIMIT 1",
                                    "--store", scratch_.path("results.db"), "--format", "json"})
                                  .out);
    Cost cost{seconds, rows[0]["peak_memory"].get<double>() / 0x1p20, ""};
    if (rows[0]["status"] != "ok") cost.fault = rows[0]["message"];
    if (cost.mib > kMostMiB) cost.fault = "more than 4 GiB";
    return cost;
  }

 private:
  void run(const std::string& explainer, const std::string& metrics) const {
    scratch_.write(
        "run.toml",
        "metrics = [" + metrics +
            "]\nlimits = { seconds = 36000 }\n"
            "[[dataset]]\nid = \"precomputed\"\nparams = { activations = \"a.npy\", "
            "head_weight = \"w.npy\", head_bias = \"b.npy\", labels = \"y.npy\", "
            "pooling = \"mean\" }\n[[model]]\nid = \"precomputed\"\n[[explainer]]\nid = \"" +
            explainer);
    call({"run", scratch_.path("run.toml"), "--no-board", "--store", scratch_.path("results.db")});
  }

  Ended call(std::vector<std::string> words) const {
    words.insert(words.begin(), built_conoscope().string());
    const Ended ended = Command(words)
                            .set("HOME", scratch_.path("home"))
                            .set("CONOSCOPE_CACHE", scratch_.path("cache"))
                            .run(36000);
    if (ended.code != 0 && ended.code != 4) throw std::runtime_error(ended.err);
    return ended;
  }

  Scratch scratch_;
};

/// Made when first asked for, and kept: methods are measured on the same.
const Images& images(std::int64_t samples, std::int64_t classes, Rows rows) {
  static std::map<std::tuple<std::int64_t, std::int64_t, Rows>, std::unique_ptr<Images>> all;
  auto& found = all[{samples, classes, rows}];
  if (!found) found = std::make_unique<Images>(samples, classes, rows);
  return *found;
}

/// Slope of log y over log x by least squares.
double exponent(const std::vector<double>& x, const std::vector<double>& y) {
  double mx = 0, my = 0, xy = 0, xx = 0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) mx += std::log(x[i]) / n, my += std::log(y[i]) / n;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (std::log(x[i]) - mx) * (std::log(y[i]) - my);
    xx += (std::log(x[i]) - mx) * (std::log(x[i]) - mx);
  }
  return xy / xx;
}

struct Method {
  const char* name;
  const char* explainer;  ///< the rest of its entry in the run file
  const char* metrics = "\"surf_mae\"";
  Rows rows = Rows::kSparse;
  bool images_are_rows = false;  ///< averaged over positions, where others take these as rows
};

// With surf_mae, the cheapest score; `metrics` is what judges an explanation of a head view by the
// model's answers, for one that projects and rebuilds each row, `more_metrics` what else judges it.
// mcd needs rows with subspaces: of the others a row's support is all the others, and the cost N^4.
constexpr Method kMethods[] = {
    {"read", "perfect\""},  // with the dataset and the model, whose artifacts are written then
    {"svd", "svd\"", "\"surf_mae\"", Rows::kSparse, true},
    {"pca", "pca\""},
    {"ica", "ica\"\nparams = { max_iter = 10 }"},
    {"cdisco", "cdisco\"", "\"surf_mae\"", Rows::kSparse, true},
    {"cdisco_directional", "cdisco_directional\"", "\"surf_mae\"", Rows::kSparse, true},
    {"kmeans", "kmeans\"\nparams = { n_init = 1, max_iter = 10 }"},
    {"nmf", "nmf\"\nparams = { max_iter = 10 }"},
    {"ice", "ice\"\nparams = { max_iter = 10 }"},
    {"craft", "craft\"\nparams = { max_iter = 10 }"},
    {"mcd", "mcd\"", "\"surf_mae\"", Rows::kParts},
    {"topk_sae", "topk_sae\"\nparams = { epochs = 1, latents = 505 }"},
    {"c_shap", "c_shap\"\nparams = { epochs = 1, coalitions = 256 }"},
    {"metrics", "topk_sae\"\nparams = { epochs = 1, latents = 505 }",
     "\"surf\", \"ice_eval\", \"sae_eval\", \"c_shap_eval\", \"deletion\""},
    {"more_metrics", "topk_sae\"\nparams = { epochs = 1, latents = 505 }",
     "\"attacks\", \"parsimony\", \"readability\""},
};

void series(benchmark::State& state, const Method& method, bool over_classes) {
  const std::array<std::int64_t, 4> samples = {1000, 2000, 4000, 8000};
  const std::array<std::int64_t, 3> classes = {10, 100, 1000};
  for (auto _ : state) {
    std::vector<double> sizes, seconds, mib;
    const auto measure = [&](std::int64_t n, std::int64_t c) {
      const Images::Cost cost = images(n, c, method.rows).cell(method.explainer, method.metrics);
      if (!cost.fault.empty()) {
        state.SkipWithError((std::to_string(n) + " images: " + cost.fault).c_str());
        return false;
      }
      const auto size = over_classes ? c : n;
      sizes.push_back(static_cast<double>(size));
      seconds.push_back(cost.seconds);
      mib.push_back(cost.mib);
      state.counters[std::to_string(size) + "_s"] = cost.seconds;
      state.counters[std::to_string(size) + "_MiB"] = cost.mib;
      return true;
    };
    bool good = true;
    const std::int64_t n = std::min<std::int64_t>(4000, most_images);
    if (over_classes)
      for (const auto c : classes)
        good = good && ((method.images_are_rows && n < 10 * c) || measure(n, c));
    else
      for (const auto size : samples) good = good && (size > most_images || measure(size, 100));
    if (!good || sizes.size() < 2) continue;
    state.counters["s_exponent"] = exponent(sizes, seconds);
    state.counters["MiB_exponent"] = exponent(sizes, mib);
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (const Method& method : kMethods)
    for (const bool over_classes : {false, true})
      benchmark::RegisterBenchmark(
          (std::string(method.name) + (over_classes ? "/C" : "/n")).c_str(),
          [&method, over_classes](benchmark::State& state) { series(state, method, over_classes); })
          ->Iterations(1)
          ->UseRealTime()
          ->Unit(benchmark::kSecond);
  benchmark::Initialize(&argc, argv);
  constexpr std::string_view kImages = "--images=";
  if (argc == 2 && std::string_view(argv[1]).starts_with(kImages)) {
    most_images = std::stoll(argv[1] + kImages.size());
    argc = 1;
  }
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
