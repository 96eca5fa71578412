// SPDX-License-Identifier: Apache-2.0
#include "harness/core/border/loader.h"

#include <doctest/doctest.h>

#include <limits>
#include <thread>

#include "conoscope/sdk/parameters.h"
#include "tests/support/float_control.h"
#include "tests/support/throws.h"

using namespace conoscope::core;

namespace {

std::filesystem::path file_of(const std::string& oddity) {
  return std::filesystem::path(CONOSCOPE_ODD_PLUGIN_DIR) / ("odd_" + oddity + ".so");
}

Metadata metadata_of(const std::string& oddity) {
  const auto note = read_metadata_note(file_of(oddity));
  REQUIRE(note.has_value());
  return parse_metadata(*note, oddity);
}

LoadedPlugin load(const std::string& oddity) {
  return LoadedPlugin(file_of(oddity), metadata_of(oddity));
}

void refused(const std::string& oddity, const std::string& why) {
  CHECK_THROWS_SAYING(load(oddity), LoadFault, file_of(oddity).string() + ": ", why);
}

}  // namespace

TEST_CASE("a plugin is loaded, and its tables are read") {
  const LoadedPlugin plugin = load("good");
  CHECK(plugin.metadata().id == "odd");
  const auto table = plugin.table(&cono_explainer::fit);
  CHECK((table.fit != nullptr));
  CHECK((table.project == nullptr));
  CHECK(plugin.interface("conoscope.unheard_of/1") == nullptr);
  CHECK_FALSE(plugin.optional_table<cono_intervene>(CONO_INTERVENE_INTERFACE).has_value());
}

TEST_CASE("a file that contradicts its metadata is refused with the reason") {
  refused("no_entry", "exports no symbol conoscope_plugin_entry although it has metadata");
  refused("no_table", "its entry function returned no table");
  refused("small_table", "its plugin table has 32 bytes, too few for plugin border 2");
  refused("newer", "its table is built for plugin border 2.1, this conoscope has 2.0");
  refused("other_id", "its table contradicts its metadata in kind, id or version");
  refused("no_interface", "offers no interface conoscope.explainer/1");
  refused("unresolved", "conoscope_test_nobody_defines_this");
  Metadata other = metadata_of("good");
  other.kind = Kind::kModel;
  CHECK_THROWS_SAYING(LoadedPlugin(file_of("good"), other), LoadFault, "contradicts its metadata");
  CHECK_THROWS_SAYING(LoadedPlugin("/no/such.so", other), LoadFault,
                      "/no/such.so: cannot be loaded");
}

TEST_CASE("a table without its main slot, or too short for it, is incomplete") {
  for (const char* oddity : {"no_fit", "small_explainer"}) {
    const LoadedPlugin plugin = load(oddity);
    CHECK_THROWS_SAYING(plugin.table(&cono_explainer::fit), LoadFault,
                        "odd: its conoscope.explainer/1 table is incomplete");
  }
}

TEST_CASE("an older plugin's table is read no further than it goes") {
  const LoadedPlugin plugin = load("older_explainer");
  const auto table = plugin.table(&cono_explainer::fit);
  CHECK((table.fit != nullptr));
  CHECK((table.project == nullptr));
  CHECK((table.reconstruct == nullptr));
}

TEST_CASE("a library that turns on flush-to-zero is refused, and it is turned off again") {
  const auto before = conoscope::test::float_control();
  refused("flush", "changed the floating-point control word");
  CHECK(conoscope::test::float_control() == before);
  volatile double tiny = std::numeric_limits<double>::denorm_min();
  CHECK(tiny * 1.0 != 0.0);
}

TEST_CASE("a call: errors come with the plugin's text, the float state is put back") {
  const LoadedPlugin plugin = load("good");
  const auto table = plugin.table(&cono_explainer::fit);
  const ParamTable params(plugin.metadata(), {std::int64_t{3}, std::string("fast")});
  HostCalls host;
  void* instance = nullptr;
  const auto create = [&] {
    call_plugin(host,
                [&](const cono_host* raw) { return table.create(params.raw(), raw, &instance); });
  };
  const auto before = conoscope::test::float_control();
  create();
  CHECK(conoscope::test::float_control() == before);
  table.destroy(instance);
  host.seed = 13;
  try {
    create();
    FAIL("was made");
  } catch (const CallFault& e) {
    CHECK(e.status() == CONO_INVALID_ARGUMENT);
    CHECK(std::string(e.what()) == "thirteen");
  }
  host.seed = 14;
  CHECK_THROWS_SAYING(create(), CallFault, "the plugin gave no reason");  // not yesterday's
}

TEST_CASE("parameters cross in the metadata's order, with type and value") {
  const Metadata metadata = metadata_of("good");
  const ParamTable params(metadata, {std::int64_t{3}, std::string("fast")});
  const cono_params* raw = params.raw();
  REQUIRE(raw->count == 2);
  CHECK(raw->struct_size == sizeof(cono_params));
  CHECK(std::string(raw->items[0].name) == "b");
  CHECK(raw->items[0].type == CONO_PARAM_INTEGER);
  CHECK(raw->items[0].integer == 3);
  CHECK(std::string(raw->items[1].name) == "a");
  CHECK(raw->items[1].type == CONO_PARAM_TEXT);
  CHECK(std::string(raw->items[1].text) == "fast");
  CHECK_THROWS_SAYING(ParamTable(metadata, {}), std::invalid_argument,
                      "0 values for 2 parameters of odd");
}

TEST_CASE("lists cross with their number of elements") {
  const Metadata metadata = parse_metadata(
      "abi = \"2.0\"\nkind = \"explainer\"\nid = \"e\"\nversion = \"1\"\n"
      "[parameters.i]\ntype = \"integers\"\n[parameters.r]\ntype = \"reals\"\n"
      "[parameters.t]\ntype = \"texts\"\n[parameters.none]\ntype = \"reals\"\n",
      "e.so");
  const ParamTable table(metadata, {std::vector<std::int64_t>{64, 32}, std::vector<double>{0.5},
                                    std::vector<std::string>{"a", "b"}, std::vector<double>{}});
  for (int i = 0; i < 4; ++i) CHECK(table.raw()->items[i].struct_size == sizeof(cono_param));
  const conoscope::sdk::Params params(table.raw());
  CHECK(params.integers("i") == std::vector<std::int64_t>{64, 32});
  CHECK(params.reals("r") == std::vector<double>{0.5});
  CHECK(params.texts("t") == std::vector<std::string>{"a", "b"});
  CHECK(params.reals("none").empty());
}

TEST_CASE("the host may be called from any thread of the plugin's") {
  HostCalls host;
  std::vector<double> progress;
  std::vector<std::string> lines;
  host.progress = [&](double done) { progress.push_back(done); };
  host.log = [&](const std::string& text) { lines.push_back(text); };
  host.cancelled = [] { return true; };
  const cono_host* raw = host.raw();
  CHECK(raw->struct_size == sizeof(cono_host));
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([raw] {
        for (int i = 0; i < 500; ++i) {
          raw->set_error(raw->self, "a text that is too long for a small string");
          raw->progress(raw->self, 0.5);
          raw->log(raw->self, "line");
          if (raw->cancelled(raw->self) == 0) raw->log(raw->self, "not cancelled?");
        }
      });
  }
  CHECK(progress.size() == 2000);
  CHECK(lines == std::vector<std::string>(2000, "line"));
  CHECK(host.take_error() == "a text that is too long for a small string");
  raw->set_error(raw->self, nullptr);
  CHECK(host.take_error() == "the plugin gave no reason");
  raw->log(raw->self, nullptr);
  CHECK(lines.size() == 2000);
}
