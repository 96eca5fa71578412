// The rows of the digits table that are a factorisation or clustering per class, alpha = <w_c, v>,
// and the SURF measures on the test split.

#include <doctest/doctest.h>

#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>

#include "conoscope/sdk/random.h"
#include "metrics/faithfulness/class_assignment.h"
#include "metrics/faithfulness/model_logits.h"
#include "metrics/faithfulness/surf_emd.h"
#include "metrics/faithfulness/surf_mae.h"
#include "metrics/faithfulness/surf_rank_corr.h"
#include "metrics/faithfulness/surf_surrogate.h"
#include "metrics/faithfulness/surf_top1.h"
#include "plugins/numerics/kmeans.h"
#include "plugins/numerics/nmf.h"
#include "plugins/numerics/nnls.h"
#include "plugins/numerics/svd.h"
#include "tests/support/golden.h"

namespace conoscope::tests::golden {

namespace {

using namespace conoscope::numerics;
using metrics::Explanation;
using metrics::HeadView;

HeadView read_head(const Case& one, const std::string& activations) {
  const Npy h = one.input(activations);
  HeadView head;
  head.activations = h.matrix();
  head.positions = head.activations.rows() / h.shape.front();
  head.weight = one.input("W").matrix();
  head.bias = one.input("b").vector();
  head.pooling = metrics::Pooling::kMean;
  return head;
}

/// The positions of the samples given, as rows; pooled: their means.
Matrix features(const HeadView& head, const metrics::IndexVector& members, bool pooled) {
  const Index p = head.positions, n = static_cast<Index>(members.size());
  Matrix rows(n * p, head.width());
  for (Index i = 0; i < n; ++i)
    rows.middleRows(i * p, p) =
        head.activations.middleRows(members[static_cast<std::size_t>(i)] * p, p);
  if (!pooled) return rows;
  Matrix means(n, head.width());
  for (Index i = 0; i < n; ++i) means.row(i) = rows.middleRows(i * p, p).colwise().mean();
  return means;
}

Matrix cavs_of(const std::string& method, const Matrix& rows, Index k, sdk::Seed seed) {
  if (method == "kmeans") return kmeans(rows, k, seed).centres.rowwise().normalized();
  if (method == "nmf_ice") return nmf(rows, k, seed).h;
  return truncated_svd(rows, k, method == "pca").components;
}

Explanation fit(const std::string& method, const HeadView& train, Index k, sdk::Seed seed) {
  const auto members = metrics::class_assignment(metrics::model_logits(train)).members;
  Explanation out;
  out.cavs.resize(train.outputs() * k, train.width());
  for (Index c = 0; c < train.outputs(); ++c) {
    const Matrix rows = features(train, members[static_cast<std::size_t>(c)], method == "svd");
    out.cavs.middleRows(c * k, k) =
        cavs_of(method, rows, k, seed.child(static_cast<std::uint64_t>(c)));
    out.offset.push_back(c * k);
  }
  out.offset.push_back(train.outputs() * k);
  out.importance.resize(out.cavs.rows());
  for (Index r = 0; r < out.cavs.rows(); ++r)
    out.importance[r] = train.weight.row(r / k).dot(out.cavs.row(r));
  if (method == "nmf_ice")
    out.project = [cavs = out.cavs, k](Index c, const metrics::MatrixRef& rows) {
      return nnls(rows, cavs.middleRows(c * k, k));
    };
  return out;
}

void run_row(const Case& one, const std::string& method) {
  CAPTURE(method);
  const HeadView train = read_head(one, "atr"), test = read_head(one, "ate");
  const Matrix model = metrics::model_logits(test);
  const int seeds = method == "kmeans" ? 5 : 1;  // the others draw nothing
  std::map<std::string, double> mean;
  for (int s = 0; s < seeds; ++s) {
    const Explanation explanation =
        fit(method, train, one.params().at("K"), sdk::Seed(static_cast<std::uint64_t>(s)));
    for (const auto& [name, rule] : {std::pair{"pooled.", metrics::PositionRule::kPooled},
                                     std::pair{"spatial.", metrics::PositionRule::kSpatialMean}}) {
      const Matrix surrogate = metrics::surf_surrogate(test, explanation, rule);
      const std::string prefix = name;
      mean[prefix + "mae"] += metrics::surf_mae(model, surrogate) / seeds;
      mean[prefix + "emd"] += metrics::surf_emd(model, surrogate) / seeds;
      mean[prefix + "top1"] += metrics::surf_top1(model, surrogate) / seeds;
      mean[prefix + "rank_corr"] += metrics::surf_rank_corr(model, surrogate).value / seeds;
    }
  }
  const Json& tolerances = one.json.at("tolerance").at("per_metric");
  REQUIRE(tolerances.size() == mean.size());
  for (const auto& [name, tolerance] : tolerances.items()) {
    CAPTURE(name);
    REQUIRE(mean.contains(name));
    const double expected = one.json.at("expected").at(name + "_mean");
    std::cout << method << " " << name << ": " << mean.at(name) << ", reference " << expected
              << "\n";
    CHECK(std::abs(mean.at(name) - expected) <= tolerance.at("abs").get<double>());
  }
}

}  // namespace

TEST_CASE("digits table: the factorisations and clusterings") {
  const auto folder = full_folder("faithfulness");
  if (folder.empty()) {
    MESSAGE("no full set: CONOSCOPE_GOLDEN_DIR is not set and ../shared/golden does not exist");
    return;
  }
  std::ifstream stream(folder / "cases.json");
  REQUIRE(stream.good());
  const Json file = Json::parse(stream);
  int rows = 0;
  for (const Json& json : file.at("cases")) {
    if (json.at("kind") != "digits_table") continue;
    const std::string method = json.at("params").at("method");
    if (method != "kmeans" && method != "nmf_ice" && method != "svd" && method != "svd_pos" &&
        method != "pca")
      continue;
    run_row({folder, &file, json}, method);
    ++rows;
  }
  CHECK(rows == 5);
}

}  // namespace conoscope::tests::golden
