// SPDX-License-Identifier: Apache-2.0
#include "harness/core/plan/component.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/fake_plugin.h"
#include "tests/support/scratch.h"

using namespace conoscope::core;
using conoscope::testing::elf_file;
using conoscope::testing::fake_plugin;
using conoscope::testing::metadata_text;
using conoscope::testing::Scratch;
namespace fs = std::filesystem;

namespace {

const std::string kParameters = R"(
offers = ["head_view"]
[parameters.k]
type = "integer"
default = 5
min = 1
[parameters.mode]
type = "text"
default = "fast"
choices = ["fast", "exact"]
[parameters.tau]
type = "real"
default = 0.5
)";

struct World {
  Scratch scratch;
  Quarantine quarantine{scratch.path("quarantine.tsv")};
  std::vector<std::string> errors, notes;
  std::vector<fs::path> folders{scratch.path("")};
  Place place{7, 3};

  World() { fs::create_directories(scratch.path("plugins")); }

  void plugin(const std::string& id, const std::string& rest, const std::string& kind = "explainer",
              const std::string& version = "1.0.0") const {
    scratch.write("plugins/" + id + ".so", fake_plugin(metadata_text(kind, id, rest, version)));
  }

  /// Resolves as an explainer, with the mistakes in `errors`.
  std::vector<Component> operator()(const ComponentRequest& request, Kind kind = Kind::kExplainer) {
    const Registry registry({scratch.path("plugins")}, quarantine);
    Diagnostics diagnostics("f");
    auto out = resolve(request, kind, registry, quarantine, folders, diagnostics);
    errors.clear();
    notes = diagnostics.notes();
    try {
      diagnostics.throw_if_any();
    } catch (const RunFileError& e) {
      errors = e.errors();
    }
    return out;
  }

  ComponentRequest ask(const std::string& id,
                       const std::vector<ParameterRequest>& params = {}) const {
    ComponentRequest out;
    out.id = id;
    out.params = params;
    out.place = place;
    return out;
  }
};

std::int64_t whole(std::int64_t v) { return v; }
std::string text(const std::string& v) { return v; }

}  // namespace

TEST_CASE("defaults are filled in, and left out of the name") {
  World world;
  world.plugin("e", kParameters);
  const auto found = world(world.ask("e"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].values == std::vector<Value>{whole(5), text("fast"), 0.5});
  CHECK(found[0].params == R"(k=5;mode="fast";tau=0.5)");
  CHECK(found[0].name == "e");
  CHECK(found[0].id == "e");
  CHECK(found[0].version == "1.0.0");
  CHECK(found[0].content.empty());
  CHECK(found[0].offers == std::vector<std::string>{"head_view"});
  CHECK(found[0].usable());
  CHECK(found[0].key.size() == 32);
}

TEST_CASE("a parameter that was added leaves the identity as it was, at its default") {
  World world;
  world.plugin("e", kParameters);
  const auto before = world(world.ask("e"))[0];
  const std::string more = "[parameters.layer]\ntype = \"integer\"\ndefault = 0\n";
  const auto key = [&](const std::string& text, const std::vector<ParameterRequest>& params) {
    world.plugin("e", text);
    return world(world.ask("e", params))[0].key;
  };
  const std::string added = "added = [\"layer\"]" + kParameters + more;
  CHECK(key(added, {}) == before.key);
  CHECK(key(added, {{"layer", {whole(0)}, {}}}) == before.key);
  CHECK(key(added, {{"layer", {whole(1)}, {}}}) != before.key);
  // -0.0 equals the default 0.0, so it has that key, and is that value.
  const std::string real =
      "added = [\"layer\"]" + kParameters + "[parameters.layer]\ntype = \"real\"\ndefault = 0.0\n";
  CHECK(key(real, {{"layer", {-0.0}, {}}}) == before.key);
  CHECK_FALSE(
      std::signbit(std::get<double>(world(world.ask("e", {{"layer", {-0.0}, {}}}))[0].values[3])));
  CHECK(key(kParameters + more, {}) != before.key);
  // A file that is not given is at its default.
  const std::string file =
      "added = [\"more\"]" + kParameters + "[parameters.more]\ntype = \"file\"\ndefault = \"\"\n";
  CHECK(key(file, {}) == before.key);
  CHECK(key(file, {{"more", {text(world.scratch.write("more.npy", "1"))}, {}}}) != before.key);
}

TEST_CASE("what is told of a trained model leaves its randomness as it was") {
  World world;
  const std::string text = "readouts = { mode = \"tau\" }\n" + kParameters;
  world.plugin("m", text, "model");
  const auto of = [&](const std::string& mode, double tau, std::int64_t k = 5) {
    return world(world.ask("m", {{"mode", {mode}, {}}, {"tau", {tau}, {}}, {"k", {k}, {}}}),
                 Kind::kModel)[0];
  };
  CHECK(of("fast", 0.1).key != of("exact", 0.1).key);
  CHECK(of("fast", 0.1).lineage == of("exact", 0.1).lineage);
  CHECK(of("fast", 0.1).lineage != of("fast", 0.1, 6).lineage);
  CHECK(of("fast", 0.1).lineage != of("fast", 0.2).lineage);
  // Where tau is at its default, the mode is one of training.
  CHECK(of("exact", 0.5).lineage == of("exact", 0.5).key);
}

TEST_CASE("a sweep varies the last parameter of the run file fastest") {
  World world;
  world.plugin("e", kParameters);
  const auto found =
      world(world.ask("e", {{"tau", {0.1, 0.2}, {}}, {"k", {whole(1), whole(2)}, {}}}));
  REQUIRE(found.size() == 4);
  CHECK(found[0].name == "e(k=1,tau=0.1)");
  CHECK(found[1].name == "e(k=2,tau=0.1)");
  CHECK(found[2].name == "e(k=1,tau=0.2)");
  CHECK(found[3].name == "e(k=2,tau=0.2)");
  CHECK(found[3].values == std::vector<Value>{whole(2), text("fast"), 0.2});
}

TEST_CASE("a sweep names each value once") {
  World world;
  world.plugin("e", kParameters);
  CHECK(world(world.ask("e", {{"k", {whole(3), whole(2), 3.0}, {9, 5}}})).empty());
  CHECK(world.errors == std::vector<std::string>{"f:9:5: error: e: k: 3 is listed twice"});
}

TEST_CASE("a sweep of millions is refused before it is made") {
  World world;
  world.plugin("e", kParameters);
  std::vector<Value> taus, ks;
  for (int i = 1; i <= 8000; ++i) taus.emplace_back(i * 0.001), ks.emplace_back(std::int64_t{i});
  CHECK(world(world.ask("e", {{"tau", taus, {}}, {"k", ks, {}}})).empty());
  REQUIRE(world.errors.size() == 1);
  CHECK(world.errors[0].find("a sweep over more than 100000 parameter sets") != std::string::npos);
}

TEST_CASE("the identity is kind, id, version and values, however they are written") {
  World world;
  world.plugin("e", kParameters);
  const auto plain = world(world.ask("e"))[0];
  // A default that was written out, a whole number for a real, another order, a name.
  auto request = world.ask("e", {{"tau", {0.5}, {}}, {"k", {whole(5)}, {}}});
  request.name = "mine";
  const auto spelt = world(request)[0];
  CHECK(spelt.key == plain.key);
  CHECK(spelt.name == "mine");
  CHECK(world(world.ask("e", {{"tau", {whole(2)}, {}}}))[0].key ==
        world(world.ask("e", {{"tau", {2.0}, {}}}))[0].key);
  CHECK(world(world.ask("e", {{"k", {whole(6)}, {}}}))[0].key != plain.key);

  // Another build of the same version is the same component (its hash is kept beside it) ...
  world.plugin("e", kParameters + "help = \"new words\"\n");
  const auto rebuilt = world(world.ask("e"))[0];
  CHECK(rebuilt.key == plain.key);
  CHECK(rebuilt.plugin.sha256 != plain.plugin.sha256);
  // ... another version, id or kind is not.
  world.plugin("e", kParameters, "explainer", "1.0.1");
  CHECK(world(world.ask("e"))[0].key != plain.key);
  world.plugin("f", kParameters);
  CHECK(world(world.ask("f"))[0].key != plain.key);
  world.plugin("e", kParameters, "model");
  CHECK(world(world.ask("e"), Kind::kModel)[0].key != plain.key);
}

TEST_CASE("a list is one value; a list of lists is a sweep") {
  World world;
  world.plugin("e", "[parameters.hidden]\ntype = \"integers\"\ndefault = [64, 64]\nmin = 1\n");
  const auto components = [&](std::vector<Value> values, bool in_brackets = true) {
    return world(world.ask("e", {{"hidden", std::move(values), {9, 2}, in_brackets}}));
  };
  const auto one = components({whole(32), whole(16)});
  REQUIRE(one.size() == 1);
  CHECK(one[0].name == "e(hidden=32,16)");
  CHECK(one[0].params == "hidden=\"32,16\"");
  CHECK(components({whole(64), whole(64)})[0].name == "e");
  using Integers = std::vector<std::int64_t>;
  const auto two = components({Integers{8}, Integers{8, 8}});
  REQUIRE(two.size() == 2);
  CHECK(two[1].name == "e(hidden=8,8)");
  CHECK(components({})[0].params == "hidden=\"\"");

  CHECK(components({std::string("32,16")}, false).empty());
  REQUIRE(world.errors.size() == 1);
  CHECK(world.errors[0] ==
        "f:9:2: error: e: hidden = \"32,16\": expected a list of whole numbers, as "
        "hidden = [32, 16]");

  // The keys of before, when the parameter was a text: seeds, and with them scores, hang on them.
  const std::string listed = components({whole(32), whole(16)})[0].key;
  world.plugin("e", "[parameters.hidden]\ntype = \"text\"\ndefault = \"64,64\"\n");
  CHECK(components({std::string("32,16")}, false)[0].key == listed);
}

TEST_CASE("an empty list is no sweep") {
  World world;
  world.plugin("e", kParameters);
  CHECK(world(world.ask("e", {{"k", {}, {9, 2}, true}})).empty());
  REQUIRE(world.errors.size() == 1);
  CHECK(world.errors[0] == "f:9:2: error: e: parameter k: an empty list");
}

TEST_CASE("no text can make two sets of parameters look the same") {
  World world;
  world.plugin("e", "[parameters.p]\ntype = \"text\"\n[parameters.q]\ntype = \"text\"\n");
  const auto key = [&](const std::string& p, const std::string& q) {
    return world(world.ask("e", {{"p", {p}, {}}, {"q", {q}, {}}}))[0].key;
  };
  // Without quoting both would read p="a";q="b";q="c".
  CHECK(key(R"(a";q="b)", "c") != key("a", R"(b";q="c)"));
  CHECK(key("a\\", "b") != key("a\\\\", "b"));
}

TEST_CASE("a file counts by its content, not by its name or place") {
  World world;
  world.plugin("e",
               "[parameters.file]\ntype = \"file\"\noffers = \"annotations\"\n"
               "[parameters.more]\ntype = \"file\"\ndefault = \"\"\noffers = \"concepts\"\n");
  fs::create_directories(world.scratch.path("sub"));
  const auto a = world.scratch.write("a.npy", "one");
  const auto moved = world.scratch.write("sub/b.npy", "one");
  const auto other = world.scratch.write("other.npy", "two");
  const auto with = [&](const std::string& file) {
    const auto found = world(world.ask("e", {{"file", {file}, {}}}));
    REQUIRE(found.size() == 1);
    return found[0];
  };
  CHECK(with(a).key == with(moved).key);
  CHECK(with(a).content == with(moved).content);
  CHECK(with(a).key != with(other).key);
  CHECK(with(a).content != with(other).content);
  CHECK_FALSE(with(a).content.empty());
  // Relative to the run file's folder; the plugin gets an absolute path.
  const auto relative = with("sub/../a.npy");
  CHECK(relative.key == with(a).key);
  CHECK(relative.values[0] == Value(fs::path(a).lexically_normal().string()));
  CHECK(relative.name == "e(file=a.npy)");
  CHECK(relative.params.rfind("file=sha256:", 0) == 0);
  CHECK(relative.params.find(";more=none") != std::string::npos);
  // Only a file that was given offers what it may hold.
  CHECK(relative.offers ==
        std::vector<std::string>{"labels", "targets", "concepts", "factors", "segments", "truth"});
  const auto both = world(world.ask("e", {{"file", {a}, {}}, {"more", {other}, {}}}))[0];
  CHECK(both.offers.back() == "concepts");
  CHECK(both.key != with(a).key);
}

TEST_CASE("a choice brings its own view, the default's too") {
  World world;
  world.plugin("e",
               "[parameters.task]\ntype = \"text\"\ndefault = \"a\"\nchoices = [\"a\", \"b\"]\n"
               "choice_offers = [\"labels\", \"targets\"]\n");
  CHECK(world(world.ask("e", {}))[0].offers.back() == "labels");
  CHECK(world(world.ask("e", {{"task", {std::string("b")}, {}}}))[0].offers.back() == "targets");
}

TEST_CASE("a file that is not beside the run file is sought in the next folder") {
  World world;
  world.plugin("e", "[parameters.file]\ntype = \"file\"\n");
  const Scratch data;
  data.write("far.npy", "x");
  auto request = world.ask("e", {{"file", {std::string("far.npy")}, {}}});
  request.optional = true;
  CHECK(world(request).empty());
  REQUIRE(world.notes.size() == 1);
  CHECK(world.notes[0].find("(optional): file = ") != std::string::npos);
  CHECK(world.notes[0].find("far.npy: no such file") != std::string::npos);

  world.folders.emplace_back(data.path(""));
  const auto found = world(request);
  const auto beside = world.scratch.write("far.npy", "y");
  const auto nearer = world(request);
  REQUIRE(found.size() == 1);
  CHECK(found[0].values[0] == Value(data.path("far.npy")));
  REQUIRE(nearer.size() == 1);
  CHECK(nearer[0].values[0] == Value(beside));
}

TEST_CASE("a file that has changed since it was last hashed is hashed again") {
  World world;
  world.plugin("e", "[parameters.file]\ntype = \"file\"\n");
  const auto file = world.scratch.write("a.npy", "one");
  const auto before = world(world.ask("e", {{"file", {file}, {}}}))[0].key;
  world.scratch.write("a.npy", "three");
  CHECK(world(world.ask("e", {{"file", {file}, {}}}))[0].key != before);
}

TEST_CASE("links that lead back into their own folder are known by where they lead") {
  World world;
  world.plugin("e", "[parameters.folder]\ntype = \"folder\"\n");
  const Scratch data;
  fs::create_directories(data.path("images/deep"));
  data.write("images/deep/a.png", "one");
  const auto key = [&] {
    return world(world.ask("e", {{"folder", {data.path("images")}, {}}})).at(0).key;
  };
  const auto plain = key();
  fs::create_directory_symlink(data.path("images"), data.path("images/deep/up"));
  fs::create_directory_symlink(".", data.path("images/here"));
  fs::create_directory_symlink("..", data.path("images/deep/above"));
  const auto linked = key();
  CHECK(linked != plain);  // images are found under two names
  fs::remove(data.path("images/here"));
  CHECK(key() != linked);
  fs::create_directory_symlink("deep/..", data.path("images/here"));
  CHECK(key() == linked);
}

TEST_CASE("a folder is known by the names and contents of its files") {
  World world;
  world.plugin("e", "[parameters.folder]\ntype = \"folder\"\n");
  const Scratch data;
  std::filesystem::create_directories(data.path("images/cats"));
  data.write("images/cats/1.png", "one");
  const auto key = [&] {
    const auto found = world(world.ask("e", {{"folder", {data.path("images")}, {}}}));
    REQUIRE(found.size() == 1);
    CHECK(found[0].values[0] == Value(data.path("images")));
    return found[0].key;
  };
  const auto first = key();
  CHECK(key() == first);
  data.write("images/cats/1.png", "three");
  const auto changed = key();
  CHECK(changed != first);
  data.write("images/cats/2.png", "");
  const auto added = key();
  CHECK(added != changed);
  std::filesystem::rename(data.path("images/cats"), data.path("images/dogs"));
  CHECK(key() != added);
  std::filesystem::rename(data.path("images"), data.path("pictures"));
  const Scratch elsewhere;
  std::filesystem::rename(data.path("pictures"), elsewhere.path("images"));
  CHECK(world(world.ask("e", {{"folder", {elsewhere.path("images")}, {}}})).size() == 1);

  CHECK(world(world.ask("e", {{"folder", {data.path("images")}, {}}})).empty());
  REQUIRE(world.errors.size() == 1);
  CHECK(world.errors[0].find("folder = " + data.path("images") + ": no such folder") !=
        std::string::npos);
  const auto file = data.write("file", "x");
  CHECK(world(world.ask("e", {{"folder", {file}, {}}})).empty());
  world.folders.emplace_back(elsewhere.path(""));
  const auto far = world(world.ask("e", {{"folder", {std::string("images")}, {}}}));
  REQUIRE(far.size() == 1);
  CHECK(far[0].values[0] == Value(elsewhere.path("images")));
}

TEST_CASE("every mistake is said, with place and suggestion") {
  World world;
  world.plugin("kmeans", kParameters);
  world.plugin("none", "");
  world.plugin("strict",
               "[parameters.k]\ntype = \"integer\"\nhelp = \"how many\"\n"
               "[parameters.file]\ntype = \"file\"\nhelp = \"the data\"\n");
  const auto said = [&](const ComponentRequest& request, const std::vector<std::string>& wanted) {
    CHECK(world(request).empty());
    REQUIRE(world.errors.size() == wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i)
      CHECK_MESSAGE(world.errors[i].find(wanted[i]) != std::string::npos, world.errors[i]);
  };
  said(world.ask("kmean"), {"f:7:3: error: no explainer kmean (did you mean kmeans?)"});
  said(world.ask("kmeans", {{"kk", {whole(1)}, {9, 5}}}),
       {"f:9:5: error: kmeans: no parameter kk (did you mean k?)"});
  said(world.ask("none", {{"k", {whole(1)}, {9, 5}}}), {"none: takes no parameters, so no k"});
  said(world.ask("kmeans",
                 {{"k", {whole(0), text("x")}, {9, 5}}, {"mode", {text("slow")}, {10, 1}}}),
       {"kmeans: k = 0: expected at least 1", "kmeans: k = \"x\": expected a whole number",
        "f:10:1: error: kmeans: mode = \"slow\": expected one of fast, exact"});
  said(world.ask("strict"), {"strict: parameter k is required (how many)",
                             "strict: parameter file is required (the data)"});
  said(world.ask("strict", {{"k", {whole(1)}, {}}, {"file", {text("none.npy")}, {8, 2}}}),
       {"f:8:2: error: strict: file = "});
  CHECK(world.errors[0].find("none.npy: no such file") != std::string::npos);
  said(world.ask("strict", {{"k", {whole(1)}, {}}, {"file", {text("")}, {8, 2}}}),
       {"strict: parameter file is required"});
}

TEST_CASE("one name for a whole sweep is refused") {
  World world;
  world.plugin("e", kParameters);
  auto request = world.ask("e", {{"k", {whole(1), whole(2)}, {}}});
  request.name = "mine";
  world(request);
  REQUIRE(world.errors.size() == 1);
  CHECK(world.errors[0].find("a sweep over 2 parameter sets cannot have one name; name = \"mine "
                             "k={k}\" has one for each") != std::string::npos);
  CHECK(world(request).empty());  // or "another one is already named so" would follow
}

TEST_CASE("a sweep is named by its parameters") {
  World world;
  world.plugin("e", kParameters);
  auto request = world.ask("e", {{"k", {whole(1), whole(2)}, {}}});
  request.name = "mine k={k} {mode}";
  const auto components = world(request);
  REQUIRE(components.size() == 2);
  CHECK(components[0].name == "mine k=1 fast");
  CHECK(components[1].name == "mine k=2 fast");
  request.name = "mine {kk}";
  CHECK(world(request).empty());
  REQUIRE(world.errors.size() == 1);
  CHECK(world.errors[0].find("no parameter kk (did you mean k?)") != std::string::npos);
  request.name = "open { brace";
  CHECK(world(request).empty());
  CHECK(world.errors[0].find("cannot have one name") != std::string::npos);
}

TEST_CASE("a plugin named by its file") {
  World world;
  const auto file = world.scratch.write("mine.so", fake_plugin(metadata_text("explainer", "m")));
  ComponentRequest request;
  request.file = file;
  CHECK(world(request).at(0).id == "m");
  request.id = "m";
  CHECK(world(request).size() == 1);
  request.id = "other";
  CHECK(world(request).empty());
  CHECK(world.errors.at(0).find("its id is m, not other") != std::string::npos);
  request.id = "";
  CHECK(world(request, Kind::kModel).empty());
  CHECK(world.errors.at(0).find("is a explainer, not a model") == std::string::npos);
  CHECK(world.errors.at(0).find("mine.so: its kind is explainer, not model") != std::string::npos);
  request.file = world.scratch.path("none.so");
  CHECK(world(request).empty());
  CHECK(world.errors.at(0).find("none.so: no such file") != std::string::npos);
}

TEST_CASE("an unreadable plugin is a component all the same: its cells fail by name") {
  World world;
  ComponentRequest request;
  request.file = world.scratch.write("broken.so", fake_plugin("abi = "));
  request.params = {{"anything", {whole(1)}, {}}};
  const auto found = world(request);
  CHECK(world.errors.empty());
  REQUIRE(found.size() == 1);
  CHECK(found[0].id == "broken");
  CHECK(found[0].version == "unknown");
  CHECK_FALSE(found[0].usable());
  CHECK(found[0].seeded());
  // Of two unreadable files, each is itself.
  request.file = world.scratch.write("broken2.so", elf_file(""));
  CHECK(world(request).at(0).key != found[0].key);
}
