// SPDX-License-Identifier: Apache-2.0
#include "harness/core/run/subject.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "harness/core/artifacts/views.h"
#include "harness/core/border/loader.h"
#include "metrics/faithfulness/model_logits.h"
#include "tests/support/throws.h"

using namespace conoscope::core;
namespace metrics = conoscope::metrics;
using metrics::Index;
using metrics::Matrix;
using metrics::MatrixRef;

namespace {

using Shape = std::vector<std::int64_t>;

/// Element i of the array is start + i, so that each can be told by its value.
template <typename T>
void count_up(ArrayBag& bag, const std::string& name, const Shape& shape, T start = 0) {
  std::size_t size = 1;
  for (const auto extent : shape) size *= static_cast<std::size_t>(extent);
  std::vector<T> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<T>(start + static_cast<T>(i));
  bag.add_copy(name, values.data(), shape);
}

void index(ArrayBag& bag, const std::string& name, const std::vector<std::int64_t>& rows) {
  bag.add_copy(name, rows.data(), {static_cast<std::int64_t>(rows.size())});
}

template <typename T>
std::vector<T> values(const ArrayBag& bag, const std::string& name) {
  const auto read = bag.get(name).values<const T>();
  return {read.begin(), read.end()};
}

/// All numbers in order, from wherever they lie.
std::vector<float> numbers(const ArrayBag& bag, const std::string& name) {
  std::vector<float> out(static_cast<std::size_t>(bag.get(name).size()));
  bag.get(name).copy_to(std::span(out));
  return out;
}

/// Five samples: labels 0 ... 4, inputs 5 x 2, train 0, 2, 4, test 3, 1.
ArrayBag dataset() {
  ArrayBag bag;
  count_up<float>(bag, "inputs", {5, 2});
  count_up<std::int64_t>(bag, "labels", {5});
  count_up<std::uint8_t>(bag, "concepts", {5, 2}, 10);
  index(bag, "train_index", {0, 2, 4});
  index(bag, "test_index", {3, 1});
  bag.set_text("task", "classification");
  bag.set_text("output", "the dataset's");
  return bag;
}

ArrayBag model(const Shape& activations = {5, 2, 3}, const std::string& pooling = "mean") {
  ArrayBag bag;
  count_up<float>(bag, "activations", activations);
  const std::int64_t columns = pooling == "flatten" ? 6 : 3;
  count_up<double>(bag, "head_weight", {2, columns}, 1);
  count_up<double>(bag, "head_bias", {2}, 100);
  bag.set_text("pooling", pooling);
  bag.set_text("output", "softmax");
  return bag;
}

ArrayBag explanation() {
  ArrayBag bag;
  count_up<double>(bag, "cavs", {3, 3});
  count_up<double>(bag, "importance", {3}, 7);
  index(bag, "counts", {1, 2});
  bag.set_text("scope", "class_specific");
  return bag;
}

}  // namespace

TEST_CASE("rows_of takes rows of per-sample arrays, everything else as it is") {
  const ArrayBag data = dataset();
  const std::vector<std::int64_t> scattered{4, 0, 3};
  const ArrayBag some = rows_of(data, scattered, 5);
  CHECK(values<std::int64_t>(some, "labels") == std::vector<std::int64_t>{4, 0, 3});
  CHECK(numbers(some, "inputs") == std::vector<float>{8, 9, 0, 1, 6, 7});
  CHECK(values<std::int64_t>(some, "train_index") == std::vector<std::int64_t>{0, 2, 4});
  CHECK(some.text("task") == "classification");
  const ArrayBag only = rows_of(data, scattered, 5, Which::kAnnotations);
  CHECK_FALSE(only.find("train_index").has_value());
  CHECK(values<std::uint8_t>(only, "concepts") ==
        std::vector<std::uint8_t>{18, 19, 10, 11, 16, 17});
  const ArrayBag rest = rows_of(data, scattered, 5, Which::kNoAnnotations);
  CHECK_FALSE(rest.find("labels").has_value());
  CHECK(rest.find("train_index").has_value());
}

TEST_CASE("the truth is the dataset's, whatever a model brings") {
  const ArrayBag data = dataset();
  ArrayBag own = model();
  const std::vector<std::int64_t> flattering{1, 1, 1, 1, 1};
  own.add_copy("labels", flattering.data(), {5});
  const ArrayBag honest = model();
  JudgedSubject subject(data, own, nullptr), usual(data, honest, nullptr);
  CHECK(values<std::int64_t>(subject.arrays(), "labels") ==
        values<std::int64_t>(usual.arrays(), "labels"));
  const conoscope::sdk::Seed seed(1);
  CHECK(values<std::int64_t>(make_explainer_input(data, own, "none", seed), "labels") ==
        values<std::int64_t>(make_explainer_input(data, honest, "none", seed), "labels"));
}

TEST_CASE("activations and inputs are never copied") {
  const ArrayBag data = dataset(), fitted = model();
  const std::vector<std::int64_t> scattered{4, 0, 3}, run{1, 2};
  for (const auto& [bag, name] : {std::pair{&data, "inputs"}, std::pair{&fitted, "activations"}}) {
    const ArrayBag part = rows_of(*bag, scattered, 5);
    CHECK(part.get(name).raw().data == bag->get(name).raw().data);
    CHECK(part.get(name).raw().row_index == scattered.data());
    CHECK(rows_of(*bag, run, 5).get(name).contiguous());
  }
}

TEST_CASE("consecutive rows are not copied; others that look alike are") {
  const ArrayBag data = dataset();
  const auto* base = data.get("labels").values<const std::int64_t>().data();
  const std::vector<std::int64_t> run{1, 2, 3};
  const ArrayBag part = rows_of(data, run, 5);
  CHECK(part.get("labels").values<const std::int64_t>().data() == base + 1);
  CHECK(numbers(part, "inputs") == std::vector<float>{2, 3, 4, 5, 6, 7});
  // First, last, number and order are those of a run.
  for (const std::vector<std::int64_t>& rows :
       {std::vector<std::int64_t>{0, 2, 2, 3}, {0, 0, 2}, {2, 1, 0}, {3}})
    CHECK(values<std::int64_t>(rows_of(data, rows, 5), "labels") == rows);
  CHECK(rows_of(data, {}, 5).get("labels").rows() == 0);
}

TEST_CASE("a per-sample array of another length is refused") {
  ArrayBag data = dataset();
  count_up<double>(data, "factors", {4, 1});
  const std::vector<std::int64_t> rows{0};
  CHECK_THROWS_SAYING(rows_of(data, rows, 5), std::runtime_error, "factors: 4 rows for 5 samples");
}

TEST_CASE("an explainer is given the training rows, logits and predictions") {
  const ArrayBag data = dataset(), head = model();
  const ArrayBag in = make_explainer_input(data, head);
  CHECK(values<std::int64_t>(in, "labels") == std::vector<std::int64_t>{0, 2, 4});
  CHECK(in.get("activations").shape_text() == "3 x 2 x 3");
  CHECK(numbers(in, "activations")[6] == 12);  // sample 2 begins at 2 * 6
  CHECK(in.get("head_weight").shape_text() == "2 x 3");
  // Sample 0: positions (0, 1, 2) and (3, 4, 5), mean (1.5, 2.5, 3.5); W = (1 2 3; 4 5 6).
  const auto logits = values<double>(in, "logits");
  CHECK(in.get("logits").shape_text() == "3 x 2");
  CHECK(logits[0] == doctest::Approx(1.5 + 5 + 10.5 + 100));
  CHECK(logits[1] == doctest::Approx(6 + 12.5 + 21 + 101));
  CHECK(values<std::int64_t>(in, "predictions") == std::vector<std::int64_t>{1, 1, 1});
  CHECK_FALSE(in.find("train_index").has_value());  // of no use to it, and it tells of the rest
  CHECK(in.text("output") == "softmax");            // the model's, not the dataset's
  CHECK(in.text("task") == "classification");
}

TEST_CASE("a twin that is trained: an explainer is told its name, and given all else as it is") {
  const ArrayBag data = dataset(), head = model();
  const ArrayBag real = make_explainer_input(data, head),
                 in = make_explainer_input(data, head, "frozen_decoder", conoscope::sdk::Seed(4));
  CHECK(in.text("twin", "") == "frozen_decoder");
  CHECK(real.text("twin", "") == "");
  for (const char* name : {"activations", "head_weight", "logits"})
    CHECK(numbers(in, name) == numbers(real, name));
}

TEST_CASE("random_model: an explainer is given another head, its logits and its predictions") {
  const ArrayBag data = dataset(), head = model();
  const conoscope::sdk::Seed seed(4);
  const ArrayBag real = make_explainer_input(data, head),
                 in = make_explainer_input(data, head, "random_model", seed);
  CHECK(in.get("head_weight").shape_text() == "2 x 3");
  CHECK(in.get("head_weight").dtype() == real.get("head_weight").dtype());
  CHECK(numbers(in, "activations") == numbers(real, "activations"));
  const auto view = make_head_view(in);
  CHECK(view.weight != make_head_view(real).weight);
  const auto logits = values<double>(in, "logits"), wanted = values<double>(real, "logits");
  CHECK(logits != wanted);
  CHECK(logits[0] + logits[2] + logits[4] ==
        doctest::Approx(wanted[0] + wanted[2] + wanted[4]).epsilon(1e-6));
  CHECK(values<double>(make_explainer_input(data, head, "random_model", seed), "logits") == logits);
  ArrayBag below = model();  // the logits of layers above
  const std::vector<double> given(10, 1.0);
  below.add_copy("logits", given.data(), {5, 2});
  CHECK_THROWS_SAYING(make_explainer_input(data, below, "random_model", seed),
                      conoscope::core::CallFault,
                      "needs a model that can redraw the weights above the layer");
}

TEST_CASE("random_model below the last layer: the drawn network's logits and reading") {
  const ArrayBag data = dataset();
  ArrayBag below = model();
  const std::vector<double> given{5, 1, 4, 2, 3, 3, 2, 4, 1, 5};
  below.add_copy("logits", given.data(), {5, 2});
  metrics::HeadCalls above;
  // Reads the first feature of the first position, with either sign.
  above.outputs = [](const metrics::MatrixRef& rows) {
    metrics::Matrix out(rows.rows() / 2, 2);
    for (metrics::Index i = 0; i < out.rows(); ++i) out.row(i) << rows(2 * i, 0), -rows(2 * i, 0);
    return out;
  };
  above.vjp = [](const metrics::MatrixRef& rows, const metrics::MatrixRef& cotangents) {
    metrics::Matrix out = metrics::Matrix::Zero(rows.rows(), rows.cols());
    for (metrics::Index i = 0; i < cotangents.rows(); ++i)
      out(2 * i, 0) = cotangents(i, 0) - cotangents(i, 1);
    return out;
  };
  const ArrayBag real = make_explainer_input(data, below),
                 in = make_explainer_input(data, below, "random_model", conoscope::sdk::Seed(4),
                                           &above);
  CHECK(values<double>(real, "logits") == std::vector<double>{5, 1, 3, 3, 1, 5});
  // Samples 0, 2, 4 begin with 0, 12, 24; the real logits have the mean 3 and the same spread.
  const auto logits = values<double>(in, "logits");
  const std::vector<double> wanted{1, 5, 3, 3, 5, 1};
  for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(logits[i] == doctest::Approx(wanted[i]));
  CHECK(values<std::int64_t>(in, "predictions") == std::vector<std::int64_t>{1, 0, 0});
  const auto weight = make_head_view(in).weight;
  CHECK(weight(0, 0) == doctest::Approx(1.0 / 6.0));
  CHECK(weight(1, 0) == doctest::Approx(-1.0 / 6.0));
  CHECK(weight.rightCols(2).isZero(1e-12));
  CHECK(numbers(in, "activations") == numbers(real, "activations"));
  // What an explainer may call answers as what it is shown.
  const auto answers = above.outputs(make_head_view(in).activations.block(0, 6));
  for (std::size_t i = 0; i < wanted.size(); ++i)
    CHECK(answers.data()[i] == doctest::Approx(wanted[i]));
}

TEST_CASE("poisoned, noisy: an explainer is given moved activations in the model's precision") {
  ArrayBag data;
  std::vector<std::int64_t> train;
  for (std::int64_t i = 0; i < 40; ++i) train.push_back((7 * i) % 40);  // no run of rows
  index(data, "train_index", train);
  conoscope::sdk::Random random{conoscope::sdk::Seed(1)};
  std::vector<double> h(40 * 2 * 12), weight(3 * 12), bias(3, 0.5);
  for (double& value : h) value = std::max(0.0, 1.0 + random.normal());
  for (double& value : weight) value = random.normal();
  const auto model_of = [&](auto number, const std::string& pooling = "mean") {
    using T = decltype(number);
    std::vector<T> given;
    for (const double value : h) given.push_back(T(static_cast<float>(value)));
    ArrayBag bag;
    bag.add_copy("activations", given.data(), {40, 2, 12});
    bag.add_copy("head_weight", weight.data(), {3, 12});
    bag.add_copy("head_bias", bias.data(), {3});
    bag.set_text("pooling", pooling);
    bag.set_text("output", "softmax");
    return bag;
  };
  const conoscope::sdk::Seed seed(4);
  const auto check = [&](const ArrayBag& head, double rounding) {
    const ArrayBag real = make_explainer_input(data, head);
    for (const std::string control : {"poisoned", "noisy"}) {
      CAPTURE(control);
      const ArrayBag in = make_explainer_input(data, head, control, seed);
      CHECK(in.get("activations").dtype() == head.get("activations").dtype());
      CHECK(in.get("activations").shape_text() == "40 x 2 x 12");
      CHECK(numbers(in, "activations") != numbers(real, "activations"));
      CHECK(numbers(in, "activations") ==
            numbers(make_explainer_input(data, head, control, seed), "activations"));
      CHECK(values<double>(in, "logits") == values<double>(real, "logits"));
      CHECK(values<std::int64_t>(in, "predictions") == values<std::int64_t>(real, "predictions"));
      const auto read = [](const ArrayBag& bag) {
        return metrics::head_reading(make_head_view(bag));
      };
      const double changed = (read(in) - read(real)).cwiseAbs().maxCoeff();
      CHECK((changed < rounding) == (control == "poisoned"));
    }
  };
  // Of logits up to 20, sums of 24 products: each dtype's own rounding of the activations.
  check(model_of(0.0), 1e-9);
  check(model_of(0.0F), 1e-5);
  check(model_of(conoscope::sdk::Half()), 0.03);

  ArrayBag below = model_of(0.0);
  const std::vector<double> given(40 * 3, 1.0);
  below.add_copy("logits", given.data(), {40, 3});
  CHECK_THROWS_SAYING(make_explainer_input(data, below, "poisoned", seed),
                      conoscope::core::CallFault, "poisoned moves", "below the last one");
  ArrayBag flat = model_of(0.0, "flatten");
  weight.resize(3 * 24, 1.0);
  flat.add_copy("head_weight", weight.data(), {3, 24});
  CHECK_THROWS_SAYING(make_explainer_input(data, flat, "noisy", seed), conoscope::core::CallFault,
                      "noisy moves", "other weights for each position");
}

TEST_CASE("activations n x D are given as n x 1 x D") {
  const ArrayBag data = dataset(), head = model({5, 3}, "none");
  const ArrayBag in = make_explainer_input(data, head);
  CHECK(in.get("activations").shape_text() == "3 x 1 x 3");
  CHECK(numbers(in, "activations") == std::vector<float>{0, 1, 2, 6, 7, 8, 12, 13, 14});
}

TEST_CASE("predictions only where the output is one class") {
  ArrayBag head = model();
  head.set_text("output", "sigmoid");
  const ArrayBag data = dataset();
  CHECK_FALSE(make_explainer_input(data, head).find("predictions").has_value());
}

TEST_CASE("on a tie the lowest class is predicted") {
  ArrayBag head = model();
  const std::vector<double> same(6, 1.0), none(2, 0.0);
  head.add_copy("head_weight", same.data(), {2, 3});
  head.add_copy("head_bias", none.data(), {2});
  const ArrayBag data = dataset();
  CHECK(values<std::int64_t>(make_explainer_input(data, head), "predictions") ==
        std::vector<std::int64_t>{0, 0, 0});
}

TEST_CASE("the head view of n x P x D, n x D and flatten") {
  const ArrayBag bag = model();  // whose numbers stay where they are
  const auto cube = make_head_view(bag);
  CHECK(cube.positions == 2);
  CHECK(cube.samples() == 5);
  CHECK(cube.width() == 3);
  CHECK(cube.outputs() == 2);
  CHECK(cube.activations.all()(3, 2) == 11.0);  // sample 1, position 1
  CHECK(cube.pooling == metrics::Pooling::kMean);
  const auto flat = make_head_view(model({5, 3}, "mean"));
  CHECK(flat.positions == 1);
  CHECK(flat.pooling == metrics::Pooling::kNone);  // the mean of one
  const auto flattened = make_head_view(model({5, 2, 3}, "flatten"));
  CHECK(flattened.pooling == metrics::Pooling::kFlatten);
  CHECK(flattened.weight.cols() == 6);
  CHECK(flattened.output == metrics::Output::kSoftmax);
}

TEST_CASE("a metric is given the test rows, in the split's order") {
  const ArrayBag data = dataset(), head = model(), found = explanation();
  JudgedSubject subject(data, head, &found);
  const metrics::Views views = subject.views();
  REQUIRE(views.head != nullptr);
  CHECK(views.head->samples() == 2);
  CHECK(views.head->activations.all()(0, 0) == 18.0);  // sample 3
  CHECK(views.head->activations.all()(2, 0) == 6.0);   // sample 1
  REQUIRE(views.explanation != nullptr);
  CHECK(views.explanation->cavs(2, 1) == 7.0);
  CHECK(views.explanation->offset == metrics::IndexVector{0, 1, 3});
  CHECK(views.explanation->importance[2] == 9.0);
  CHECK(views.explanation->linear());
  CHECK(views.annotations->labels == metrics::IndexVector{3, 1});
  CHECK(views.annotations->concepts(0, 1) == 17.0);
  CHECK(views.annotations->factors.size() == 0);
  CHECK(views.concepts == nullptr);
  CHECK(views.latent == nullptr);
}

TEST_CASE("the training split's head view is there when it was asked for") {
  const ArrayBag data = dataset(), head = model(), found = explanation();
  JudgedSubject subject(data, head, &found);
  CHECK(subject.views().train_head == nullptr);
  subject.add_train_head(data, head);
  const auto* train = subject.views().train_head;
  REQUIRE(train != nullptr);
  CHECK(train->samples() == 3);  // 0, 2, 4
  CHECK(train->positions == 2);
  CHECK(train->activations.all()(0, 0) == 0.0);
  CHECK(train->activations.all()(2, 0) == 12.0);
  CHECK(train->activations.all()(5, 2) == 29.0);
  CHECK(train->weight == subject.views().head->weight);
  CHECK(train->bias == subject.views().head->bias);
  CHECK(train->pooling == metrics::Pooling::kMean);
  CHECK(train->output == metrics::Output::kSoftmax);
  // The test split is what it was.
  CHECK(subject.views().head->samples() == 2);
  CHECK(subject.views().head->activations.all()(0, 0) == 18.0);
}

TEST_CASE("a model without a head has none on the training split either") {
  const ArrayBag data = dataset();
  ArrayBag codes;
  count_up<double>(codes, "codes", {5, 2});
  JudgedSubject subject(data, codes, nullptr);
  subject.add_train_head(data, codes);
  CHECK(subject.views().train_head == nullptr);
}

TEST_CASE("concept scores stand for a concept view and codes, where the model has none") {
  const ArrayBag data = dataset(), head = model(), found = explanation();
  JudgedSubject subject(data, head, &found);
  subject.add_concept_scores();
  const auto views = subject.views();
  REQUIRE(views.latent != nullptr);
  REQUIRE(views.concepts != nullptr);
  // Sample 3 pooled is (19.5, 20.5, 21.5); the second CAV is (3, 4, 5).
  CHECK(views.latent->codes.rows() == 2);
  CHECK(views.latent->codes.cols() == 3);
  CHECK(views.latent->codes(0, 1) == 3 * 19.5 + 4 * 20.5 + 5 * 21.5);
  CHECK(views.concepts->scores == views.latent->codes);
  CHECK(views.concepts->width == 1);
  CHECK(views.concepts->probabilities.size() == 0);
  CHECK(subject.arrays().get("codes").shape_text() == "2 x 3");
  CHECK(subject.arrays().get("concept_scores").shape_text() == "2 x 3 x 1");

  ArrayBag both = model();
  count_up<double>(both, "codes", {5, 4});
  JudgedSubject own(data, both, &found);
  own.add_concept_scores();
  CHECK(own.views().latent->codes.cols() == 4);     // the model's own
  CHECK(own.views().concepts->scores.cols() == 3);  // the explanation's
}

TEST_CASE("codes stand for concepts that nobody has named") {
  const ArrayBag data = dataset();
  ArrayBag bag;
  count_up<double>(bag, "codes", {5, 4});
  JudgedSubject subject(data, bag, nullptr);
  CHECK(subject.views().concepts == nullptr);
  subject.add_concept_scores();
  REQUIRE(subject.views().concepts != nullptr);
  CHECK(subject.views().concepts->scores == subject.views().latent->codes);
  CHECK(subject.views().concepts->width == 1);
  CHECK(subject.views().concepts->probabilities.size() == 0);
}

TEST_CASE("a flattened head has no concept scores to judge") {
  const ArrayBag data = dataset(), head = model({5, 2, 3}, "flatten"), found = explanation();
  JudgedSubject subject(data, head, &found);
  subject.add_concept_scores();
  CHECK(subject.views().latent == nullptr);
  CHECK(subject.views().concepts == nullptr);
}

TEST_CASE("views that are not offered are not there") {
  const ArrayBag data = dataset();
  ArrayBag codes;
  count_up<double>(codes, "codes", {5, 2});
  JudgedSubject subject(data, codes, nullptr);
  const auto views = subject.views();
  CHECK(views.head == nullptr);
  CHECK(views.explanation == nullptr);
  REQUIRE(views.latent != nullptr);
  CHECK(views.latent->codes(0, 1) == 7.0);
  subject.set_projection(nullptr, nullptr);  // nothing to project, no harm
  subject.set_intervention([](const MatrixRef& m, const MatrixRef&) -> Matrix { return m; });
}

TEST_CASE("a posterior's variances and losses, of the test split as its codes are") {
  const ArrayBag data = dataset();
  ArrayBag model;
  count_up<double>(model, "codes", {5, 2});
  CHECK(JudgedSubject(data, model, nullptr).views().latent->log_variance.size() == 0);
  count_up<double>(model, "codes_log_variance", {5, 2});
  count_up<double>(model, "reconstruction_loss", {5});
  JudgedSubject subject(data, model, nullptr);
  const auto views = subject.views();
  CHECK(views.latent->codes(0, 1) == 7.0);  // of sample 3
  CHECK(views.latent->log_variance == views.latent->codes);
  REQUIRE(views.latent->reconstruction_loss.size() == 2);
  CHECK(views.latent->reconstruction_loss[0] == 3.0);
  CHECK(subject.arrays().get("codes_log_variance").shape_text() == "2 x 2");
}

TEST_CASE("a concept view with vectors for concepts") {
  const ArrayBag data = dataset();
  ArrayBag bag;
  count_up<double>(bag, "concept_scores", {5, 2, 3});
  count_up<double>(bag, "concept_probabilities", {5, 2});
  count_up<double>(bag, "task_outputs", {5, 4});
  count_up<double>(bag, "reference_outputs", {5, 4});
  JudgedSubject subject(data, bag, nullptr);
  subject.set_intervention([](const MatrixRef& m, const MatrixRef&) -> Matrix { return m * 2.0; });
  const auto* concepts = subject.views().concepts;
  REQUIRE(concepts != nullptr);
  CHECK(concepts->width == 3);
  CHECK(concepts->scores.cols() == 6);
  CHECK(concepts->scores(1, 5) == 11.0);  // sample 1
  CHECK(concepts->probabilities(0, 0) == 6.0);
  CHECK(concepts->outputs.cols() == 4);
  CHECK(concepts->reference_outputs(1, 3) == 7.0);  // sample 1
  CHECK(concepts->intervene(Matrix::Ones(1, 6), Matrix::Ones(1, 2))(0, 0) == 2.0);
}

TEST_CASE("a class-agnostic explanation") {
  const ArrayBag data = dataset(), head = model();
  ArrayBag found;
  count_up<double>(found, "cavs", {4, 3});
  count_up<double>(found, "importance", {2, 4});
  found.set_text("scope", "class_agnostic");
  JudgedSubject subject(data, head, &found);
  const auto* e = subject.views().explanation;
  CHECK(e->class_agnostic);
  CHECK(e->importance_by_output(1, 3) == 7.0);
  CHECK(subject.arrays().text("scope") == "class_agnostic");
  CHECK(subject.arrays().get("importance").shape_text() == "2 x 4");
  CHECK_FALSE(subject.arrays().find("counts").has_value());
}

TEST_CASE("counts that contradict the head are refused") {
  const ArrayBag data = dataset(), head = model();
  ArrayBag found = explanation();
  index(found, "counts", {1, 1, 1});
  CHECK_THROWS_SAYING(JudgedSubject(data, head, &found), std::runtime_error,
                      "counts: 3 entries for 2 outputs");
}

TEST_CASE("a metric plugin sees the same numbers as arrays, after a control") {
  const ArrayBag data = dataset(), head = model(), found = explanation();
  JudgedSubject subject(data, head, &found);
  subject.apply("random_importance", conoscope::sdk::Seed(7));
  const ArrayBag& arrays = subject.arrays();
  const auto drawn = values<double>(arrays, "importance");
  for (const double importance : drawn) CHECK((importance >= 0.0 && importance < 1.0));
  const auto views = subject.views();
  REQUIRE(views.twin_of != nullptr);
  CHECK(views.twin_of->importance[0] == 7.0);
  CHECK(views.explanation->importance[0] == drawn[0]);
  CHECK(values<std::int64_t>(arrays, "counts") == std::vector<std::int64_t>{1, 2});
  CHECK(arrays.get("cavs").shape_text() == "3 x 3");
  CHECK(arrays.get("logits").shape_text() == "2 x 2");
  CHECK(values<std::int64_t>(arrays, "labels") == std::vector<std::int64_t>{3, 1});
  CHECK(numbers(arrays, "activations")[0] == 18);
  CHECK(arrays.text("scope") == "class_specific");
  CHECK(arrays.text("pooling") == "mean");
  CHECK_FALSE(arrays.find("train_index").has_value());
  subject.apply("random_importance", conoscope::sdk::Seed(8));
  CHECK(values<double>(subject.arrays(), "importance") != drawn);
  JudgedSubject itself(data, head, &found);
  itself.apply("none", conoscope::sdk::Seed(7));
  CHECK(itself.views().twin_of == nullptr);
}

TEST_CASE("images of the test split come with the training split's mean and a forward call") {
  ArrayBag images = dataset();
  count_up<float>(images, "inputs", {5, 2, 1, 2});
  const ArrayBag fitted = model();
  JudgedSubject subject(images, fitted, nullptr);
  CHECK(subject.views().images == nullptr);  // left out unless asked for
  subject.add_images(
      images, [](const MatrixRef& pixels) { return Matrix(2.0 * pixels); },
      [](const MatrixRef&, const MatrixRef& cotangents) { return Matrix(2.0 * cotangents); });
  const metrics::ImageView* view = subject.views().images;
  REQUIRE(view != nullptr);
  CHECK(view->height == 2);
  CHECK(view->width == 1);
  CHECK(view->channels == 2);
  CHECK(view->pixels.all() == (Matrix(2, 4) << 12, 13, 14, 15, 4, 5, 6, 7).finished());
  // Rows 0, 2 and 4 hold 0 2, 8 10 and 16 18 in the first channel, one more in the second.
  CHECK(view->mean == (metrics::Vector(2) << 9, 10).finished());
  CHECK(view->forward(view->pixels.all())(0, 0) == 24.0);
  CHECK(view->forward_gradient(view->pixels.all(), view->pixels.all())(0, 0) == 24.0);

  const ArrayBag table = dataset();
  JudgedSubject flat(table, fitted, nullptr);
  flat.add_images(table, [](const MatrixRef& pixels) { return Matrix(pixels); });
  CHECK(flat.views().images == nullptr);
}
