// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Dense>

#include "tests/plugins/models/classifiers/trained.h"

using namespace conoscope::testing;

namespace {

Arguments brief(const char* shortcut, std::int64_t epochs) {
  return {{"depth", 8}, {"width", 8}, {"epochs", epochs}, {"shortcut", std::string(shortcut)}};
}

}  // namespace

TEST_CASE("resnet: learns the digits with either shortcut") {
  const Bundle data = digits();
  for (const char* shortcut : {"A", "B"}) {
    const Outcome model = plugin("resnet").fit_model(brief(shortcut, 5), data);
    REQUIRE(model.error == "");
    const double told = std::stod(model.out.texts.at("test_accuracy"));
    MESSAGE("shortcut " << std::string(shortcut) << ": test accuracy " << told);
    // Measured over 6 seeds and three kernel sets: min 0.967, max 0.989.
    CHECK(told >= 0.94);
    CHECK(head_accuracy(model.out, data) == doctest::Approx(told).epsilon(1e-5));
    CHECK(model.out.shape("activations") == std::vector<std::int64_t>{1797, 4, 32});
    CHECK(model.out.texts.at("pooling") == "mean");
    CHECK(std::ranges::min(model.out.values<float>("activations")) == 0.0F);
    // The running statistics of batch normalisation are part of what is kept.
    CHECK(std::ranges::max(model.out.values<float>("state.stem.variance")) != 1.0F);
    CHECK(model.out.has("state.stage1.block0.projection.kernel") == (shortcut[0] == 'B'));
    check_forward(plugin("resnet"), brief(shortcut, 5), data, model.out);
  }
}

TEST_CASE("resnet: every weight above its layer is drawn anew, not the head's alone") {
  const Arguments arguments = {{"depth", 8}, {"width", 4}, {"epochs", 1}, {"layer", 1}};
  const Outcome model = plugin("resnet").fit_model(arguments, digits());
  REQUIRE(model.error == "");
  const auto all = model.out.values<float>("activations");
  auto shape = model.out.shape("activations");
  shape[0] = 100;
  const auto count = static_cast<std::ptrdiff_t>(shape[0] * shape[1] * shape[2]);
  const auto activations =
      OwnedArray::of<double>(shape, std::vector<double>(all.begin(), all.begin() + count));
  // Heads alone would read 16 features, so that all of these answers, and a constant, would span
  // 17 dimensions at most.
  Eigen::MatrixXd answers(shape[0], 41);
  answers.col(0).setOnes();
  for (int i = 0; i < 4; ++i) {
    Host host;
    host.seed = static_cast<std::uint64_t>(i);
    const Outcome out =
        i == 0 ? plugin("resnet").head(arguments, model.out, activations)
               : plugin("resnet").redrawn_head(arguments, model.out, activations, host);
    REQUIRE(out.error == "");
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    answers.middleCols(1 + 10 * i, 10) =
        Eigen::Map<const Rows>(out.out.values<double>("outputs").data(), shape[0], 10);
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(answers);
  qr.setThreshold(1e-9);
  CHECK(qr.rank() > 17);
}

TEST_CASE("resnet: a batch of one sample that ends as one position is trained on") {
  Bundle data;
  std::vector<float> images;
  for (int i = 0; i < 27; ++i) images.push_back(static_cast<float>(i % 7));
  data.arrays["inputs"] = OwnedArray::of<float>({3, 3, 3, 1}, images);
  data.arrays["labels"] = OwnedArray::of<std::int64_t>({3}, {0, 1, 0});
  put_split(data, {0, 1, 2}, {0, 1, 2});
  Arguments arguments = brief("A", 2);
  arguments["batch_size"] = 2;
  const Outcome model = plugin("resnet").fit_model(arguments, data);
  CHECK(model.error == "");
  CHECK(model.out.shape("activations") == std::vector<std::int64_t>{3, 1, 32});
}

TEST_CASE("resnet: the same seed gives the same bits at 1 and 2 threads, another other weights") {
  check_repeatable(plugin("resnet"), brief("A", 1), digits(), "head_weight");
}

TEST_CASE("resnet: what it refuses") {
  const Bundle data = digits();
  for (const std::int64_t depth : {10, 18, 21})
    CHECK(plugin("resnet").fit_model({{"depth", depth}}, data).error ==
          "resnet: depth is " + std::to_string(depth) + ", expected 6n + 2, as 8, 14, 20, 32");

  Bundle table = data;
  table.arrays["inputs"].shape = {1797, 64};
  CHECK(plugin("resnet").fit_model({}, table).status == CONO_NOT_APPLICABLE);

  const Outcome model = plugin("resnet").fit_model(brief("A", 1), data);
  const auto colours = OwnedArray::of<float>({1, 8, 8, 2}, std::vector<float>(128));
  CHECK(plugin("resnet").forward(brief("A", 1), model.out, colours, {1, 4, 32}).error ==
        "inputs: 1 x 8 x 8 x 2, but the network sees 1 channels");
  const auto grey = OwnedArray::of<float>({1, 8, 8, 1}, std::vector<float>(64));
  CHECK(plugin("resnet").forward(brief("B", 1), model.out, grey, {1, 4, 32}).error ==
        "array state.stage1.block0.projection.kernel is missing");
}
