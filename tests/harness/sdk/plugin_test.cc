// SPDX-License-Identifier: Apache-2.0
#include "conoscope/sdk/plugin.h"

#include <doctest/doctest.h>

#include <new>

#include "conoscope/sdk/metric.h"
#include "conoscope/sdk/model.h"
#include "harness/core/border/metadata.h"
#include "tests/support/plugin_driver.h"
#include "tests/support/throws.h"

namespace sdk = conoscope::sdk;

namespace {

/// A host that remembers the last error text.
struct Ear {
  Ear() {
    raw.struct_size = sizeof(raw);
    raw.self = this;
    raw.set_error = [](void* self, const char* text) { static_cast<Ear*>(self)->heard = text; };
    raw.cancelled = [](void* self) -> std::int32_t { return static_cast<Ear*>(self)->stop; };
  }
  cono_host raw{};
  std::string heard;
  std::int32_t stop = 0;
};

template <typename Body>
std::pair<cono_status, std::string> guarded(Body&& body) {
  Ear ear;
  const cono_status status = sdk::guard(&ear.raw, body);
  return {status, ear.heard};
}

using Heard = std::pair<cono_status, std::string>;

}  // namespace

TEST_CASE("guard turns every exception into its status and text") {
  static_assert(noexcept(sdk::guard(nullptr, [] { throw 5; })));
  CHECK(guarded([] {}) == Heard{CONO_OK, ""});
  CHECK(guarded([] { throw std::invalid_argument("bad k"); }) ==
        Heard{CONO_INVALID_ARGUMENT, "bad k"});
  CHECK(guarded([] { throw std::domain_error("all zero"); }) == Heard{CONO_UNDEFINED, "all zero"});
  CHECK(guarded([] { throw sdk::NotApplicable("negative"); }) ==
        Heard{CONO_NOT_APPLICABLE, "negative"});
  CHECK(guarded([] { throw sdk::Cancelled(); }) == Heard{CONO_CANCELLED, "cancelled"});
  CHECK(guarded([] { throw std::bad_alloc(); }) == Heard{CONO_OUT_OF_MEMORY, "out of memory"});
  CHECK(guarded([] { throw std::bad_array_new_length(); }) ==
        Heard{CONO_OUT_OF_MEMORY, "out of memory"});
  CHECK(guarded([] { throw std::runtime_error("no file"); }) == Heard{CONO_INTERNAL, "no file"});
  CHECK(guarded([] { throw std::out_of_range("at"); }) == Heard{CONO_INTERNAL, "at"});
  CHECK(guarded([] { throw 5; }) ==
        Heard{CONO_INTERNAL, "threw something that is not a std::exception"});
}

TEST_CASE("guard works without a host") {
  CHECK(sdk::guard(nullptr, [] { throw std::domain_error("x"); }) == CONO_UNDEFINED);
}

TEST_CASE("check_cancelled throws when the host says so, and only then") {
  Ear ear;
  const sdk::Context context(&ear.raw);
  context.check_cancelled();
  ear.stop = 1;
  CHECK(context.cancelled());
  CHECK_THROWS_AS(context.check_cancelled(), sdk::Cancelled);
}

TEST_CASE("a status comes back as the exception that it was made from") {
  for (const cono_status status :
       {CONO_INVALID_ARGUMENT, CONO_UNDEFINED, CONO_NOT_APPLICABLE, CONO_CANCELLED, CONO_INTERNAL})
    CHECK(guarded([status] { sdk::throw_unless_ok(status, "why"); }) == Heard{status, "why"});
  CHECK(guarded([] { sdk::throw_unless_ok(CONO_OUT_OF_MEMORY, "why"); }) ==
        Heard{CONO_OUT_OF_MEMORY, "out of memory"});
  CHECK(guarded([] { sdk::throw_unless_ok(77, "why"); }) == Heard{CONO_INTERNAL, "why"});
  CHECK_NOTHROW(sdk::throw_unless_ok(CONO_OK, "why"));
}

TEST_CASE("a metric's call that was cancelled is a cancellation, not a failure") {
  cono_status answer = CONO_CANCELLED;
  cono_calls calls{};
  calls.struct_size = sizeof(calls);
  calls.self = &answer;
  calls.project = [](void* self, std::int64_t, const cono_tensor*, cono_tensor*) {
    return *static_cast<cono_status*>(self);
  };
  cono_arrays none{};
  none.struct_size = sizeof(none);
  const sdk::Subject subject(&none, &calls);
  const auto project = [&] { subject.project(0, sdk::Tensor(), sdk::Tensor()); };
  CHECK(guarded(project) == Heard{CONO_CANCELLED, "project: the subject's plugin failed"});
  answer = CONO_NOT_APPLICABLE;
  CHECK(guarded(project).first == CONO_NOT_APPLICABLE);
  answer = CONO_OK;
  CHECK(guarded(project).first == CONO_OK);
}

TEST_CASE("a message goes with a score, and with a reason") {
  struct Given {
    std::string name, reason, message;
    double value = 0.0;
    std::int64_t parts = 0;
  } given;
  cono_scores raw{};
  raw.struct_size = sizeof(raw);
  raw.self = &given;
  raw.score = [](void* self, const char* name, double value, const char* reason,
                 const char* message, const double*, std::int64_t parts) -> cono_status {
    const auto text = [](const char* t) { return t == nullptr ? std::string("-") : t; };
    *static_cast<Given*>(self) = {name, text(reason), text(message), value, parts};
    return CONO_OK;
  };
  sdk::Scores scores(&raw);
  const double parts[] = {1.0, 2.0};
  scores.score("a", 1.5, parts, "over 2 of 3 classes");
  CHECK(given.name == "a");
  CHECK(given.value == 1.5);
  CHECK(given.parts == 2);
  CHECK(given.reason == "-");
  CHECK(given.message == "over 2 of 3 classes");
  scores.score("a", 1.5);
  CHECK(given.message == "-");
  scores.undefined("b", "all labels are the same");
  CHECK(given.reason == "undefined");
  CHECK(given.message == "all labels are the same");
  scores.not_applicable("c");
  CHECK(given.reason == "not_applicable");
  CHECK(given.message == "-");
}

namespace {

cono_param param(const char* name, std::int32_t type) {
  cono_param out{};
  out.struct_size = sizeof(out);
  out.type = type;
  out.name = name;
  out.text = "";
  return out;
}

constexpr auto kShared = sdk::parameters(sdk::real("tau", 0.5).between(0, 1));
constexpr auto kParameters = sdk::parameters(
    sdk::integer("k", 7).at_least(1).counts_concepts().help("how \"many\""), kShared,
    sdk::text("mode", "fast").choices({"fast", "slow"}).choice_offers({"", "latent_view"}),
    sdk::integers("hidden", {64, 32}).at_least(1).count_between(1, 4), sdk::boolean("whiten", true),
    sdk::optional_file("file").offers("head_view"), sdk::reals("mean", {}),
    sdk::texts("names", {"a", "b"}), sdk::integers("which", {}).empty_means("all"));

}  // namespace

TEST_CASE("parameters are read by name and type") {
  cono_param items[] = {param("k", CONO_PARAM_INTEGER),      param("tau", CONO_PARAM_REAL),
                        param("whiten", CONO_PARAM_BOOLEAN), param("mode", CONO_PARAM_TEXT),
                        param("file", CONO_PARAM_FILE),      param("hidden", CONO_PARAM_INTEGERS),
                        param("mean", CONO_PARAM_REALS),     param("names", CONO_PARAM_TEXTS),
                        param("which", CONO_PARAM_INTEGERS)};
  const std::int64_t hidden[] = {64, 32};
  const double mean[] = {0.5};
  const char* names[] = {"a", "b"};
  items[0].integer = 7;
  items[1].real = 0.5;
  items[2].integer = 1;
  items[3].text = "fast";
  items[4].text = "/data/x.npy";
  items[5].integers = hidden;
  items[5].count = 2;
  items[6].reals = mean;
  items[6].count = 1;
  items[7].texts = names;
  items[7].count = 2;
  const cono_params raw = {sizeof(cono_params), 9, items};
  const sdk::Params params(&raw);
  CHECK_THROWS_SAYING(params.real("k"), std::logic_error, "parameter k", "another type");
  CHECK_THROWS_SAYING(params.integer("K"), std::logic_error, "parameter K",
                      "not in the plugin's metadata");
  const auto check = [](const auto& p) {
    CHECK(p.integer("k") == 7);
    CHECK(p.real("tau") == 0.5);
    CHECK(p.boolean("whiten"));
    CHECK(p.text("mode") == "fast");
    CHECK(p.file("file") == "/data/x.npy");
    CHECK(p.integers("hidden") == std::vector<std::int64_t>{64, 32});
    CHECK(p.integers("which").empty());
    CHECK(p.reals("mean") == std::vector<double>{0.5});
    CHECK(p.texts("names") == std::vector<std::string>{"a", "b"});
  };
  check(params);
  check(sdk::ParamsOf<kParameters>(&raw));
  // A shared list's reader takes the longer list, too. (What is not declared does not compile.)
  const auto shared = [](const sdk::ParamsOf<kShared>& p) { return p.real("tau"); };
  CHECK(shared(sdk::ParamsOf<kParameters>(&raw)) == 0.5);
}

TEST_CASE("declared parameters become the metadata that the host reads") {
  constexpr auto toml = sdk::parameters_toml<kParameters>();
  const auto metadata = conoscope::core::parse_metadata(
      "abi = \"2.0\"\nkind = \"model\"\nid = \"m\"\nversion = \"1\"\n" +
          std::string(toml.data(), toml.size()),
      "m.so");
  using conoscope::core::Value;
  REQUIRE(metadata.parameters.size() == 9);
  const auto& k = metadata.parameters[0];
  CHECK(k.name == "k");
  CHECK(k.standard == Value(std::int64_t{7}));
  CHECK(k.min == 1.0);
  CHECK(k.help == "how \"many\"");
  CHECK(metadata.concept_count() == &k);
  CHECK(metadata.parameters[1].name == "tau");
  CHECK(metadata.parameters[1].max == 1.0);
  CHECK(metadata.parameters[2].choices == std::vector<std::string>{"fast", "slow"});
  CHECK(metadata.parameters[2].choice_offers == std::vector<std::string>{"", "latent_view"});
  CHECK(metadata.parameters[3].standard == Value(std::vector<std::int64_t>{64, 32}));
  CHECK(metadata.parameters[3].max_count == 4);
  CHECK(metadata.parameters[4].standard == Value(true));
  CHECK(metadata.parameters[5].standard == Value(std::string()));
  CHECK(metadata.parameters[5].offers == "head_view");
  CHECK(metadata.parameters[6].standard == Value(std::vector<double>()));
  CHECK(metadata.parameters[7].standard == Value(std::vector<std::string>{"a", "b"}));
  CHECK(metadata.parameters[8].empty == "all");
}

namespace {
constexpr auto kNumbers =
    sdk::parameters(sdk::reals("x", {0.1, 1e-8, -2.5, 0, 1e6, 123456.789, 2e15, 1e-22}),
                    sdk::integers("i", {0, -1, 9223372036854775807, -9223372036854775807 - 1}));
}

TEST_CASE("numbers in declarations read back as themselves") {
  constexpr auto toml = sdk::parameters_toml<kNumbers>();
  const auto metadata = conoscope::core::parse_metadata(
      "abi = \"2.0\"\nkind = \"model\"\nid = \"m\"\nversion = \"1\"\n" +
          std::string(toml.data(), toml.size()),
      "m.so");
  using conoscope::core::Value;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& p = metadata.parameters[i];
    if (i == 0)
      CHECK(p.standard ==
            Value(std::vector<double>(kNumbers[0].reals.begin(), kNumbers[0].reals.end())));
    else
      CHECK(p.standard == Value(std::vector<std::int64_t>(kNumbers[1].integers.begin(),
                                                          kNumbers[1].integers.end())));
  }
}

TEST_CASE("items are found by the step that their size gives, so that a later host may have more") {
  // As a host with longer structs would lay them out.
  struct Wider {
    cono_array array;
    double more[3];
  };
  struct WiderText {
    cono_text text;
    double more;
  };
  double one = 1.0, two = 2.0;
  const std::vector<std::int64_t> shape{1};
  Wider items[2] = {{{sizeof(Wider), 0, "a", sdk::make_tensor(&one, CONO_F64, shape)}, {}},
                    {{sizeof(Wider), 0, "b", sdk::make_tensor(&two, CONO_F64, shape)}, {}}};
  const WiderText texts[] = {{{sizeof(WiderText), 0, "scope", "x"}, 0.0},
                             {{sizeof(WiderText), 0, "pooling", "mean"}, 0.0}};
  const cono_arrays raw = {sizeof(cono_arrays), 2, 2, 0, &items[0].array, &texts[0].text};
  const sdk::Arrays arrays(&raw);
  CHECK(arrays.get("b").values<const double>()[0] == 2.0);
  CHECK(arrays.get("b").name() == "b");
  CHECK(arrays.has("a"));
  CHECK_FALSE(arrays.has("c"));
  CHECK_THROWS_SAYING(arrays.get("c"), std::invalid_argument, "array c is missing");
  CHECK(arrays.text("pooling") == "mean");
  CHECK(arrays.text("output", "softmax") == "softmax");
}

namespace {

/// Of a concept that was not told it reads what the first one was told.
class Updates final : public sdk::Model, public sdk::InterveneTold {
 public:
  explicit Updates(const sdk::Params&) {}
  void fit(const sdk::Arrays&, const sdk::Context&, sdk::Sink&) override {}
  void intervene(const sdk::Arrays&, const sdk::Tensor& concepts, const sdk::Tensor& told,
                 const sdk::Context&, std::span<double> outputs) override {
    const auto c = concepts.values<const double>(), mask = told.values<const double>();
    for (std::size_t i = 0; i < outputs.size(); ++i)
      outputs[i] = c[2 * i] + (mask[2 * i + 1] == 1.0 ? c[2 * i + 1] : c[2 * i]);
  }
};

}  // namespace

TEST_CASE("a model that updates concepts is told which of them were told") {
  CHECK(sdk::model_interface<Updates>(CONO_INTERVENE_INTERFACE) == nullptr);
  const auto* table = static_cast<const cono_intervene_told*>(
      sdk::model_interface<Updates>(CONO_INTERVENE_TOLD_INTERFACE));
  REQUIRE(table != nullptr);
  const cono_params none = {sizeof(cono_params), 0, nullptr};
  Updates model{sdk::Params(&none)};
  double concepts[] = {3, 5, 3, 5}, told[] = {1, 1, 1, 0}, outputs[2] = {};
  const std::vector<std::int64_t> cube{2, 2, 1}, square{2, 2}, column{2, 1};
  const cono_tensor c = sdk::make_tensor(concepts, CONO_F64, cube),
                    mask = sdk::make_tensor(told, CONO_F64, square);
  cono_tensor out = sdk::make_tensor(outputs, CONO_F64, column);
  const cono_arrays left = {sizeof(cono_arrays), 0, 0, 0, nullptr, nullptr};
  cono_host host{};
  host.struct_size = sizeof(host);
  CHECK(table->intervene(&model, &left, &c, &mask, &host, &out) == CONO_OK);
  CHECK(outputs[0] == 8.0);
  CHECK(outputs[1] == 6.0);
}

namespace {

class Twice final : public sdk::Model, public sdk::Decode {
 public:
  explicit Twice(const sdk::Params&) {}
  void fit(const sdk::Arrays&, const sdk::Context&, sdk::Sink&) override {}
  void decode(const sdk::Arrays&, const sdk::Tensor& codes, const sdk::Context&,
              std::span<double> inputs) override {
    codes.for_each([&](std::int64_t i, double z) { inputs[static_cast<std::size_t>(i)] = 2 * z; });
  }
};

}  // namespace

TEST_CASE("a model with a decoder has its table, and others have none") {
  CHECK(sdk::model_interface<Updates>(CONO_DECODE_INTERFACE) == nullptr);
  const auto* table =
      static_cast<const cono_decode*>(sdk::model_interface<Twice>(CONO_DECODE_INTERFACE));
  REQUIRE(table != nullptr);
  CHECK(table->struct_size == sizeof(cono_decode));
  const cono_params none = {sizeof(cono_params), 0, nullptr};
  Twice model{sdk::Params(&none)};
  double codes[] = {1, 2, 3, 4}, inputs[4] = {};
  const std::vector<std::int64_t> shape{2, 2};
  const cono_tensor in = sdk::make_tensor(codes, CONO_F64, shape);
  cono_tensor out = sdk::make_tensor(inputs, CONO_F64, shape);
  const cono_arrays left = {sizeof(cono_arrays), 0, 0, 0, nullptr, nullptr};
  cono_host host{};
  host.struct_size = sizeof(host);
  CHECK(table->decode(&model, &left, &in, &host, &out) == CONO_OK);
  CHECK(inputs[3] == 8.0);
}

TEST_CASE("a sink's refusal becomes an exception") {
  cono_status answer = CONO_OK;
  cono_sink raw{};
  raw.struct_size = sizeof(raw);
  raw.self = &answer;
  raw.create = [](void* self, const char*, std::int32_t, std::int32_t, const std::int64_t*,
                  cono_tensor*) { return *static_cast<cono_status*>(self); };
  raw.text = [](void* self, const char*, const char*) { return *static_cast<cono_status*>(self); };
  sdk::Sink sink(&raw);
  sink.text("scope", "class_specific");
  answer = CONO_INVALID_ARGUMENT;
  CHECK_THROWS_SAYING(sink.create("cavs", CONO_F64, {1, 1}), std::invalid_argument,
                      "refused output cavs");
  CHECK_THROWS_SAYING(sink.text("scope", "x"), std::invalid_argument, "refused output scope");
  answer = CONO_OUT_OF_MEMORY;
  CHECK_THROWS_AS(sink.create("cavs", CONO_F64, {1, 1}), std::bad_alloc);
}

TEST_CASE("the metadata note of a built plugin is read without loading it") {
  const auto file = conoscope::testing::plugin_file("random_concepts");
  const auto note = conoscope::core::read_metadata_note(file);
  REQUIRE(note.has_value());
  CHECK(note->rfind("abi = \"2.0\"\nkind = \"explainer\"\nid = \"random_concepts\"\n", 0) == 0);
  CHECK(note->back() != '\0');
  const auto metadata = conoscope::core::parse_metadata(*note, file.string());
  CHECK(metadata.id == "random_concepts");
  CHECK(metadata.needs == std::vector<std::string>{"head_view"});
}

TEST_CASE("a note is laid out as ELF wants it: sizes, type, padded owner, padded text") {
  constexpr sdk::MetadataNote<6> note("hello");
  static_assert(note.name_size == 10);
  static_assert(note.text_size == 6);
  static_assert(note.type == CONO_NOTE_TYPE);
  static_assert(sizeof(note.name) == 12);
  static_assert(sizeof(note.text) == 8);
  static_assert(sizeof(note) == 12 + 12 + 8);
  CHECK(std::string(note.name) == "conoscope");
  CHECK(std::string(note.text) == "hello");
}
