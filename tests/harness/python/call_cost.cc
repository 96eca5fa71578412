// SPDX-License-Identifier: Apache-2.0
// What a call of a plugin costs, from the host's matrix to the host's matrix:
//
//   plugin_call_cost PYTHON RUNNER LIBRARY   (RUNNER: harness/python/conoscope/_run_plugin.py,
//                                             LIBRARY: linear.cc)

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "harness/core/artifacts/artifact.h"
#include "harness/core/border/fitted_plugin.h"

namespace {

namespace core = conoscope::core;
namespace fs = std::filesystem;
using conoscope::metrics::Matrix;
using Clock = std::chrono::steady_clock;

constexpr const char* kPlugin = R"(
# /// conoscope
# kind = "explainer"
# id = "linear"
# version = "1"
# ///
import conoscope.plugin as cp

class Linear(cp.Explainer):
    def fit(self, head, context): ...
    def project(self, output, rows):
        return rows @ self.explanation.cavs.T

cp.main(Linear)
)";

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The median of several calls, in milliseconds.
double milliseconds(core::FittedPlugin& explainer, const Matrix& rows, const Matrix& cavs,
                    int calls) {
  std::vector<double> times;
  for (int i = 0; i < calls; ++i) {
    const auto start = Clock::now();
    const Matrix scores = explainer.call("project", {rows});
    times.push_back(1e3 * seconds_since(start));
    if (rows.rows() > 0 && !scores.isApprox(rows * cavs.transpose(), 1e-12))
      throw std::runtime_error("call_cost: the scores are wrong");
  }
  std::nth_element(times.begin(), times.begin() + calls / 2, times.end());
  return times[static_cast<std::size_t>(calls / 2)];
}

void measure(const core::PluginUse& use, const fs::path& folder) {
  constexpr std::int64_t kConcepts = 5, kWidth = 512;
  const Matrix cavs = Matrix::Random(kConcepts, kWidth);
  const Matrix importance = Matrix::Ones(1, kConcepts);
  core::ArrayBag artifact;
  artifact.add_copy("cavs", cavs.data(), {kConcepts, kWidth});
  artifact.add_copy("importance", importance.data(), {1, kConcepts});
  artifact.set_text("scope", "class_agnostic");
  core::Host host;
  host.scratch = folder.string();
  const auto start = Clock::now();
  core::FittedPlugin explainer(use, core::Kind::kExplainer, host, artifact,
                               core::Extents::of_arrays(artifact));
  std::printf("to start it                 %8.3f ms\n", 1e3 * seconds_since(start));
  std::printf("project, no row             %8.3f ms\n",
              milliseconds(explainer, Matrix(0, kWidth), cavs, 500));
  std::printf("project, 5,000 x 512        %8.3f ms\n",
              milliseconds(explainer, Matrix::Random(5000, kWidth), cavs, 50));
}

}  // namespace

int main(int count, char** words) try {
  if (count != 4) throw std::invalid_argument("usage: plugin_call_cost PYTHON RUNNER LIBRARY");
  const fs::path folder = fs::temp_directory_path() / ("call_cost." + std::to_string(::getpid()));
  fs::create_directories(folder);
  const fs::path file = folder / "linear.py";
  std::ofstream(file) << kPlugin;
  core::PluginUse script{file, {}};
  script.command = {words[1], words[2], file.string()};
  script.folders = {fs::path(words[2]).parent_path().parent_path().string()};
  std::puts("a script");
  measure(script, folder);
  std::puts("a library");
  measure({words[3], {}}, folder);
  fs::remove_all(folder);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
