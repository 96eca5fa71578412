// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/image_bundle.h"
#include "tests/support/outcomes.h"

using namespace conoscope::testing;

namespace {

const Arguments kSmall{{"k", 4},           {"segments", std::vector<std::int64_t>{4, 16}},
                       {"max_images", 12}, {"min_size", 5},
                       {"members", 15},    {"random_sets", 8},
                       {"sigma", 0.0},     {"significance", 1.0}};

Outcome fit(const Arguments& arguments, const Bundle& head, const Host& host = {}) {
  return plugin("ace").fit_explainer_with(arguments, head, shades, host);
}

}  // namespace

TEST_CASE("ace: unit directions, importances between 0 and 1, concepts for both outputs") {
  const Outcome found = fit(kSmall, image_bundle(40));
  REQUIRE(found.error == "");
  CHECK(found.out.texts.at("scope") == "class_specific");
  const auto counts = found.out.values<std::int64_t>("counts");
  REQUIRE(counts.size() == 2);
  CHECK(counts[0] > 0);
  CHECK(counts[1] > 0);
  const Rows cavs = matrix_of(found.out, "cavs");
  for (Eigen::Index v = 0; v < cavs.rows(); ++v) CHECK(cavs.row(v).norm() == doctest::Approx(1.0));
  for (const double alpha : found.out.values<double>("importance")) {
    CHECK(alpha >= 0.0);
    CHECK(alpha <= 1.0);
    CHECK(std::abs(alpha * 8.0 - std::round(alpha * 8.0)) < 1e-12);  // all or none, of 8 sets
  }
  CHECK(found.log.size() == 2);  // what became of the clusters of each output
}

TEST_CASE("ace: a concept that raises the logit has importance 1, and points that way") {
  const Outcome found = fit(kSmall, image_bundle(40));
  REQUIRE(found.error == "");
  const Rows cavs = matrix_of(found.out, "cavs");
  const auto importance = found.out.values<double>("importance");
  const auto counts = found.out.values<std::int64_t>("counts");
  const Eigen::RowVector4d bright(1, -1, 0, 0);
  bool any = false;
  for (Eigen::Index v = 0; v < cavs.rows(); ++v) {
    const double along = (v < counts[0] ? 1.0 : -1.0) * cavs.row(v).dot(bright);
    if (importance[static_cast<std::size_t>(v)] == 1.0) CHECK(along > 0.0);
    if (importance[static_cast<std::size_t>(v)] == 0.0) CHECK(along < 0.0);
    any = any || importance[static_cast<std::size_t>(v)] == 1.0;
  }
  CHECK(any);
}

TEST_CASE("ace: the significance test drops concepts that are like random ones") {
  Arguments strict = kSmall;
  strict["significance"] = 0.01;
  std::int64_t all = 0, kept = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    all += fit(kSmall, image_bundle(40), {.seed = seed}).out.shape("cavs")[0];
    const Outcome some = fit(strict, image_bundle(40), {.seed = seed});
    if (some.error.empty()) kept += some.out.shape("cavs")[0];
  }
  CAPTURE(all);
  CHECK(kept > 0);
  CHECK(kept < all);
  // Of a head that looks at nothing every TCAV score is 0, a random set's too: no difference.
  Bundle blind = image_bundle(40);
  blind.arrays["head_weight"] = OwnedArray::of<double>({2, 4}, std::vector<double>(8, 0.0));
  check_fault(fit(strict, blind), CONO_UNDEFINED,
              "ace: no cluster of any output is common and significant");
}

TEST_CASE("ace: the same bits whatever the threads; another seed draws others") {
  const Bundle head = image_bundle(60);
  const Outcome once = fit(kSmall, head, {.seed = 3});
  REQUIRE(once.error == "");
  CHECK((fit(kSmall, head, {.seed = 3, .threads = 8}).out == once.out));
  CHECK_FALSE((fit(kSmall, head, {.seed = 4}).out == once.out));
  Arguments mean = kSmall;
  mean["fill"] = "mean";
  CHECK_FALSE((fit(mean, head, {.seed = 3}).out == once.out));
}

TEST_CASE("ace: sigmoid outputs, constant images, and a class that nothing is predicted as") {
  CHECK(fit(kSmall, image_bundle(40, "sigmoid")).error == "");
  Bundle flat = image_bundle(40);
  flat.arrays["inputs"] = OwnedArray::of<double>({40, 8, 8, 1}, std::vector<double>(40 * 64, 0.5));
  const Outcome constant = fit(kSmall, flat);  // every segment is the same picture
  CHECK(constant.status == CONO_UNDEFINED);
  CHECK(constant.error == "ace: no cluster of any output is common and significant");
  // Of the class that has images none is, and the last one has no images.
  flat.arrays["predictions"] = OwnedArray::of<std::int64_t>({40}, std::vector<std::int64_t>(40, 0));
  CHECK(fit(kSmall, flat).error == "ace: no cluster of any output is common and significant");
  flat = image_bundle(40, "sigmoid");
  flat.arrays["logits"] = OwnedArray::of<double>({40, 2}, std::vector<double>(80, -1.0));
  CHECK(fit(kSmall, flat).error == "ace: the model predicts no class at all");
  Bundle one = image_bundle(40);
  one.arrays["predictions"] = OwnedArray::of<std::int64_t>({40}, std::vector<std::int64_t>(40, 1));
  const Outcome lone = fit(kSmall, one);
  REQUIRE(lone.error == "");
  CHECK(lone.out.values<std::int64_t>("counts")[0] == 0);
}

TEST_CASE("ace: what is refused") {
  const Bundle head = image_bundle(40);
  Outcome outcome = plugin("ace").fit_explainer(kSmall, head);
  CHECK(outcome.status == CONO_NOT_APPLICABLE);
  CHECK(outcome.error == "ace: it needs a model that runs new images (forward)");

  outcome = fit(kSmall, image_bundle(40, "softmax", "flatten"));
  CHECK(outcome.status == CONO_NOT_APPLICABLE);
  CHECK(outcome.error == "ace: a flattened head has one weight vector per position");

  Bundle bad = head;
  bad.arrays.erase("inputs");
  outcome = fit(kSmall, bad);
  CHECK(outcome.status == CONO_NOT_APPLICABLE);
  CHECK(outcome.error == "ace: the dataset has no inputs");

  bad.arrays["inputs"] = OwnedArray::of<double>({40, 64}, std::vector<double>(40 * 64));
  outcome = fit(kSmall, bad);
  CHECK(outcome.status == CONO_NOT_APPLICABLE);
  CHECK(outcome.error ==
        "ace: inputs are 40 x 64, but it works on images (n x height x width x 1 or 3)");

  std::vector<double> pixels(40 * 64, 0.5);
  pixels[70] = std::nan("");
  bad.arrays["inputs"] = OwnedArray::of<double>({40, 8, 8, 1}, pixels);
  outcome = fit(kSmall, bad);
  CHECK(outcome.status == CONO_INVALID_ARGUMENT);
  CHECK(outcome.error == "ace: inputs: value 70 (row-major) is not finite");

  bad.arrays["inputs"] = OwnedArray::of<double>({2, 8, 8, 1}, std::vector<double>(128));
  outcome = fit(kSmall, bad);
  CHECK(outcome.error == "ace: inputs are 2 x 8 x 8 x 1 for 40 samples");

  Arguments many = kSmall;
  many["k"] = 100000;
  outcome = fit(many, head);
  CHECK(outcome.status == CONO_INVALID_ARGUMENT);
  CHECK(outcome.error.find("fewer than k = 100000 concepts") != std::string::npos);

  Arguments rare = kSmall;
  rare["min_size"] = 100000;
  outcome = fit(rare, head);
  CHECK(outcome.status == CONO_UNDEFINED);
  CHECK(outcome.error == "ace: no cluster of any output is common and significant");
}

TEST_CASE("ace: what the model says is passed on, and cancelling stops it") {
  const auto refuses = [](const conoscope::sdk::Tensor&, std::span<double>) -> cono_status {
    return CONO_NOT_APPLICABLE;
  };
  CHECK(plugin("ace").fit_explainer_with(kSmall, image_bundle(40), refuses).status ==
        CONO_NOT_APPLICABLE);
  CHECK(fit(kSmall, image_bundle(40), {.cancelled = [] { return true; }}).status == CONO_CANCELLED);
}
