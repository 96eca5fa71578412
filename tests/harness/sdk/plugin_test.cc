#include "conoscope/sdk/plugin.h"

#include <doctest/doctest.h>

#include <new>

#include "conoscope/sdk/metric.h"
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

TEST_CASE("parameters are read by name and type") {
  const cono_param items[] = {{"k", CONO_PARAM_INTEGER, 0, 7, 0.0, ""},
                              {"tau", CONO_PARAM_REAL, 0, 0, 0.5, ""},
                              {"whiten", CONO_PARAM_BOOLEAN, 0, 1, 0.0, ""},
                              {"mode", CONO_PARAM_TEXT, 0, 0, 0.0, "fast"},
                              {"file", CONO_PARAM_FILE, 0, 0, 0.0, "/data/x.npy"}};
  const cono_params raw = {sizeof(cono_params), 5, items};
  const sdk::Params params(&raw);
  CHECK(params.integer("k") == 7);
  CHECK(params.real("tau") == 0.5);
  CHECK(params.boolean("whiten"));
  CHECK(params.text("mode") == "fast");
  CHECK(params.file("file") == "/data/x.npy");
  CHECK_THROWS_SAYING(params.real("k"), std::logic_error, "parameter k", "another type");
  CHECK_THROWS_SAYING(params.integer("K"), std::logic_error, "parameter K",
                      "not in the plugin's metadata");
}

TEST_CASE("arrays are found by the step that the host gives, so that a later host may have more") {
  // As a host with a longer cono_array would lay them out.
  struct Wider {
    cono_array array;
    double more[3];
  };
  double one = 1.0, two = 2.0;
  const std::vector<std::int64_t> shape{1};
  Wider items[2] = {{{"a", sdk::make_tensor(&one, CONO_F64, shape)}, {}},
                    {{"b", sdk::make_tensor(&two, CONO_F64, shape)}, {}}};
  const cono_text texts[] = {{"pooling", "mean"}};
  const cono_arrays raw = {sizeof(cono_arrays), 2, 1, sizeof(Wider), &items[0].array, texts};
  const sdk::Arrays arrays(&raw);
  CHECK(arrays.get("b").values<const double>()[0] == 2.0);
  CHECK(arrays.get("b").name() == "b");
  CHECK(arrays.has("a"));
  CHECK_FALSE(arrays.has("c"));
  CHECK_THROWS_SAYING(arrays.get("c"), std::invalid_argument, "array c is missing");
  CHECK(arrays.text("pooling") == "mean");
  CHECK(arrays.text("output", "softmax") == "softmax");
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
  CHECK(note->rfind("abi = \"1.0\"\nkind = \"explainer\"\nid = \"random_concepts\"\n", 0) == 0);
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
