// SPDX-License-Identifier: Apache-2.0
// The explainers that are sparse autoencoders, called through the C border.

#include <doctest/doctest.h>

#include "tests/support/capture_binding.h"
#include "tests/support/head_bundle.h"
#include "tests/support/outcomes.h"

using namespace conoscope::testing;

namespace {

constexpr const char* kNames[] = {"batch_topk_sae", "gated_sae", "jumprelu_sae", "matryoshka_sae",
                                  "mp_sae",         "ra_sae",    "relu_sae"};
const Arguments kQuick = {{"epochs", 3.0}, {"batch", 32}};

bool has_centre(const std::string& name) { return name != "ra_sae"; }

Rows scores_of(const Plugin& plugin, const Outcome& fit, const Rows& rows, std::int64_t concepts) {
  const Outcome projected = plugin.project(
      kQuick, fit.out, 0, OwnedArray::of<double>({rows.rows(), rows.cols()}, flat(rows)), concepts);
  REQUIRE(projected.error == "");
  return matrix_of(projected.out, "scores");
}

}  // namespace

TEST_CASE("five latents per output and the bias; importance <w, d>; decodes what it codes") {
  const Bundle head = random_head_bundle(60, 4, 12, 3, 1);
  for (const char* name : kNames) {
    CAPTURE_BINDING(name);
    const Plugin plugin(plugin_file(name));
    const Outcome fit = plugin.fit_explainer(kQuick, head);
    REQUIRE(fit.error == "");
    CHECK(fit.progress.back() == 1.0);
    const std::int64_t concepts = has_centre(name) ? 16 : 15;
    const Rows cavs = matrix_of(fit.out, "cavs");
    REQUIRE(cavs.rows() == concepts);
    CHECK(cavs.rowwise().norm().isApproxToConstant(1.0, 1e-12));
    CHECK(matrix_of(fit.out, "importance")
              .isApprox(matrix_of(head, "head_weight") * cavs.transpose(), 1e-12));
    const auto constant = fit.out.values<std::int64_t>("constant_concepts");
    for (std::size_t k = 0; k < 15; ++k) CHECK(constant[k] == 0);
    if (has_centre(name)) CHECK(constant[15] == 1);

    const Rows rows = normal_rows(9, 12, 5, true);
    const Rows scores = scores_of(plugin, fit, rows, concepts);
    CHECK(scores.minCoeff() >= 0.0);
    CHECK(scores.maxCoeff() > 0.0);
    if (has_centre(name)) {
      CHECK(scores.col(15).isApproxToConstant(matrix_of(fit.out, "decoder_bias").norm(), 1e-12));
      CHECK((cavs.row(15) * scores(0, 15))
                .isApprox(matrix_of(fit.out, "decoder_bias").reshaped(1, 12), 1e-12));
    }
    const Outcome rebuilt = plugin.reconstruct(
        kQuick, fit.out, 0, OwnedArray::of<double>({9, concepts}, flat(scores)), 12);
    REQUIRE(rebuilt.error == "");
    CHECK(matrix_of(rebuilt.out, "rows").isApprox(scores * cavs, 1e-12));
    // Equal rows have equal scores wherever they stand.
    const Rows alike = scores_of(plugin, fit, rows.row(0).replicate(130, 1), concepts);
    CHECK(alike == alike.row(0).replicate(130, 1));
  }
}

TEST_CASE("seeded: the same bits for a seed at any thread count, others for another") {
  const Bundle head = random_head_bundle<float>(40, 2, 8, 2, 1);
  for (const char* name : kNames) {
    CAPTURE_BINDING(name);
    const Plugin plugin(plugin_file(name));
    const Outcome once = plugin.fit_explainer(kQuick, head, {.seed = 3, .threads = 1});
    REQUIRE(once.error == "");
    CHECK((plugin.fit_explainer(kQuick, head, {.seed = 3, .threads = 8}).out == once.out));
    CHECK(!(plugin.fit_explainer(kQuick, head, {.seed = 4}).out == once.out));
  }
}

TEST_CASE("more epochs rebuild better; none is the start") {
  const Bundle head = random_head_bundle(200, 2, 10, 3, 1);
  const Rows rows = matrix_of(head, "activations").reshaped<Eigen::RowMajor>(400, 10);
  for (const char* name : kNames) {
    CAPTURE_BINDING(name);
    const Plugin plugin(plugin_file(name));
    const auto error = [&](double epochs) {
      const Outcome fit = plugin.fit_explainer({{"epochs", epochs}, {"batch", 32}}, head);
      REQUIRE(fit.error == "");
      const Rows cavs = matrix_of(fit.out, "cavs");
      return (rows - scores_of(plugin, fit, rows, cavs.rows()) * cavs).squaredNorm();
    };
    CHECK(error(30) < error(0));
  }
}

TEST_CASE("twins: of the same start, what the name says is kept") {
  Bundle head = random_head_bundle(60, 2, 10, 3, 1);
  const auto fit = [&](const Plugin& plugin, const char* twin) {
    head.texts["twin"] = twin;
    const Outcome out = plugin.fit_explainer(kQuick, head, {.seed = 7});
    REQUIRE(out.error == "");
    return out.out;
  };
  for (const char* name : kNames) {
    CAPTURE_BINDING(name);
    const Plugin plugin(plugin_file(name));
    const Bundle trained = fit(plugin, ""), start = fit(plugin, "untrained_dictionary");
    const Bundle decoder = fit(plugin, "frozen_decoder"), random = fit(plugin, "random_l0");
    const auto atoms = [](const Bundle& of) { return Rows(matrix_of(of, "cavs").topRows(15)); };
    CHECK(atoms(trained) != atoms(start));
    CHECK(atoms(decoder).isApprox(atoms(start), 1e-6));
    CHECK(!(decoder == start));
    CHECK(random.texts.at("reading") == "0");
    CHECK(matrix_of(random, "threshold").minCoeff() == matrix_of(random, "threshold").maxCoeff());
    head.texts["twin"] = "frozen_encoder";
    if (std::string(name) == "mp_sae")
      check_fault(plugin.fit_explainer(kQuick, head), CONO_NOT_APPLICABLE,
                  "mp_sae: matching pursuit has no encoder to freeze");
    else
      CHECK(matrix_of(fit(plugin, "frozen_encoder"), "encoder") == matrix_of(start, "encoder"));
    head.texts["twin"] = "soft_frozen_decoder";
    if (std::string(name) == "ra_sae") {
      CHECK(plugin.fit_explainer(kQuick, head).status == CONO_NOT_APPLICABLE);
    } else {
      const Rows soft = atoms(fit(plugin, "soft_frozen_decoder"));
      CHECK((soft.array() * atoms(start).array()).rowwise().sum().minCoeff() > 0.8 - 1e-6);
    }
  }
}

TEST_CASE("published settings are other fits") {
  const Bundle head = random_head_bundle(60, 2, 10, 3, 1);
  for (const char* name :
       {"batch_topk_sae", "gated_sae", "jumprelu_sae", "matryoshka_sae", "mp_sae", "relu_sae"}) {
    CAPTURE_BINDING(name);
    const Plugin plugin(plugin_file(name));
    Arguments published = kQuick;
    published["settings"] = "published";
    const Outcome fit = plugin.fit_explainer(published, head);
    REQUIRE(fit.error == "");
    CHECK(!(fit.out == plugin.fit_explainer(kQuick, head).out));
  }
}

TEST_CASE("one output of a regression: five latents") {
  for (const char* name : kNames) {
    const Outcome fit =
        Plugin(plugin_file(name))
            .fit_explainer({{"epochs", 1.0}}, random_head_bundle(30, 2, 6, 1, 1, "regression"));
    REQUIRE(fit.error == "");
    CHECK(fit.out.shape("cavs") == std::vector<std::int64_t>{has_centre(name) ? 6 : 5, 6});
  }
}

TEST_CASE("what is refused, and cancellation") {
  const Bundle head = random_head_bundle(20, 2, 6, 2, 1);
  for (const char* name : kNames) {
    CAPTURE_BINDING(name);
    const Plugin plugin(plugin_file(name));
    CHECK(
        plugin.fit_explainer({}, random_head_bundle(20, 2, 6, 2, 1, "softmax", "flatten")).status ==
        CONO_NOT_APPLICABLE);
    Host cancelling;
    int asked = 0;
    cancelling.cancelled = [&asked] { return ++asked > 3; };
    CHECK(plugin.fit_explainer({}, head, cancelling).status == CONO_CANCELLED);
    Bundle other = head;
    other.texts["twin"] = "frozen";
    check_fault(plugin.fit_explainer({}, other), CONO_INVALID_ARGUMENT,
                "twin_named: no twin frozen");
  }
  check_fault(plugin("batch_topk_sae").fit_explainer({{"k", 10.5}}, head), CONO_INVALID_ARGUMENT,
              "batch_topk_sae: k = 10.5 is more than the 10 latents");
  check_fault(plugin("mp_sae").fit_explainer({{"k", 11}}, head), CONO_INVALID_ARGUMENT,
              "mp_sae: k = 11 is more than the 10 latents");
}
