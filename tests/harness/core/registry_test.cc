// SPDX-License-Identifier: Apache-2.0
#include "harness/core/border/registry.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/core/artifacts/cache.h"
#include "harness/core/artifacts/sha256.h"
#include "tests/support/bytes_of.h"
#include "tests/support/fake_plugin.h"
#include "tests/support/scratch.h"
#include "tests/support/throws.h"

using namespace conoscope::core;
using conoscope::testing::elf_file;
using conoscope::testing::fake_plugin;
using conoscope::testing::metadata_text;
using conoscope::testing::Scratch;
namespace fs = std::filesystem;

namespace {

struct Folders {
  Scratch scratch;
  Quarantine quarantine{scratch.path("quarantine.tsv")};

  fs::path folder(const std::string& name) const {
    fs::create_directories(scratch.path(name));
    return fs::canonical(scratch.path(name));
  }
  std::string explainer(const std::string& file, const std::string& id,
                        const std::string& rest = "") const {
    return scratch.write(file, fake_plugin(metadata_text("explainer", id, rest)));
  }
};

}  // namespace

TEST_CASE("plugins are listed by folder and file name; what is none is left out") {
  const Folders f;
  const auto first = f.folder("first"), second = f.folder("second");
  f.explainer("second/a.so", "e1");
  f.explainer("first/z.so", "e2");
  f.explainer("first/b.so", "e3");
  f.scratch.write("first/libplain.so", elf_file(""));              // a library
  f.scratch.write("first/readme.txt", "not even named a plugin");  // another extension
  fs::create_directories(first / "folder.so");
  const Registry registry({first, second}, f.quarantine);
  REQUIRE(registry.plugins().size() == 3);
  CHECK(registry.plugins()[0].file == first / "b.so");
  CHECK(registry.plugins()[1].file == first / "z.so");
  CHECK(registry.plugins()[2].file == second / "a.so");
  CHECK(registry.ids(Kind::kExplainer) == std::vector<std::string>{"e1", "e2", "e3"});
  CHECK(registry.ids(Kind::kModel).empty());
  CHECK(registry.find(Kind::kExplainer, "e2") == &registry.plugins()[1]);
  CHECK(registry.find(Kind::kModel, "e2") == nullptr);
  CHECK(registry.plugins()[0].refusal.empty());
  CHECK(registry.plugins()[0].sha256 == sha256_of_file(first / "b.so"));
}

TEST_CASE("a .so that is no library at all is listed with its refusal, however short") {
  const Folders f;
  const auto folder = f.folder("p");
  f.scratch.write("p/empty.so", "");
  f.scratch.write("p/text.so", "this is a text\n");
  f.scratch.write("p/cut.so", fake_plugin(metadata_text("model", "m")).substr(0, 100));
  f.scratch.write("p/bad.so", fake_plugin("abi = "));
  const Registry registry({folder}, f.quarantine);
  REQUIRE(registry.plugins().size() == 4);
  CHECK(registry.plugins()[0].refusal.find("bad.so: metadata:1: ") != std::string::npos);
  CHECK(registry.plugins()[1].refusal.find("cut.so: cut short") != std::string::npos);
  CHECK(registry.plugins()[2].refusal.find("empty.so: not a shared library") != std::string::npos);
  CHECK(registry.plugins()[3].refusal.find("text.so: not a shared library") != std::string::npos);
  for (const auto& plugin : registry.plugins()) CHECK_FALSE(plugin.metadata.has_value());
}

TEST_CASE("one id in two files: both are refused, both are named") {
  const Folders f;
  const auto first = f.folder("first"), second = f.folder("second");
  const auto one = f.explainer("first/one.so", "same");
  const auto two = f.explainer("second/two.so", "same", "summary = \"another\"\n");
  f.scratch.write("second/model.so", fake_plugin(metadata_text("model", "same")));
  const Registry registry({first, second}, f.quarantine);
  REQUIRE(registry.plugins().size() == 3);
  for (const auto& plugin : registry.plugins()) {
    if (plugin.metadata->kind == Kind::kModel) {
      CHECK(plugin.refusal.empty());  // another kind may have the id
      continue;
    }
    CHECK(plugin.refusal.find("explainer same is in two files") != std::string::npos);
    CHECK(plugin.refusal.find((first / "one.so").string()) != std::string::npos);
    CHECK(plugin.refusal.find((second / "two.so").string()) != std::string::npos);
  }
  CHECK_FALSE(registry.find(Kind::kExplainer, "same")->refusal.empty());
}

TEST_CASE("a link to a plugin that is there already is no double") {
  const Folders f;
  const auto first = f.folder("first"), second = f.folder("second");
  f.explainer("first/one.so", "e");
  fs::create_symlink(first / "one.so", second / "two.so");
  const Registry registry({first, second}, f.quarantine);
  REQUIRE(registry.plugins().size() == 1);
  CHECK(registry.plugins()[0].refusal.empty());
}

TEST_CASE("another border is refused with both versions") {
  const Folders f;
  const auto file = f.scratch.write(
      "new.so", fake_plugin("abi = \"2.7\"\nkind = \"model\"\nid = \"m\"\nversion = \"1\"\n"));
  CHECK(examine_plugin(file, f.quarantine)
            .refusal.find("plugin border 2.7, this conoscope has 2.0") != std::string::npos);
  const auto old = f.scratch.write(
      "old.so", fake_plugin("abi = \"1.0\"\nkind = \"model\"\nid = \"m\"\nversion = \"1\"\n"));
  CHECK(
      examine_plugin(old, f.quarantine).refusal ==
      old +
          ": built for plugin border 1.0, this conoscope has 2.0; build it again: cmake --fresh "
          "-B build -DCMAKE_PREFIX_PATH=PREFIX && cmake --build build, where PREFIX is where this "
          "conoscope is installed");
}

TEST_CASE("another border is refused for its version, whatever its metadata say") {
  const Folders f;
  for (const char* abi : {"1.0", "2.7", "3.0"}) {
    const auto file = f.scratch.write(
        "other.so", fake_plugin("abi = \"" + std::string(abi) +
                                "\"\nkind = \"model\"\nid = \"m\"\nversion = \"1\"\n"
                                "parallel = true\n[parameters.k]\ntype = \"tensor\"\n"));
    const auto found = examine_plugin(file, f.quarantine);
    CHECK(found.refusal.find("plugin border " + std::string(abi) + ", this conoscope has 2.0") !=
          std::string::npos);
    CHECK(found.metadata->id == "m");
  }
}

TEST_CASE("a file that was named outright must be a plugin") {
  const Folders f;
  CHECK(examine_plugin(f.scratch.write("plain.so", elf_file("")), f.quarantine)
            .refusal.find("no .note.conoscope section") != std::string::npos);
  const auto none = examine_plugin(f.scratch.path("none.so"), f.quarantine);
  CHECK(none.refusal.find("none.so: cannot be read") != std::string::npos);
  CHECK(none.sha256.empty());
}

TEST_CASE("a plugin file without an end, or that nobody writes to, is refused") {
  const Folders here;
  const std::string fifo = here.scratch.path("fifo.so"), plain = here.scratch.path("fifo");
  for (const auto& name : {fifo, plain}) REQUIRE(::mkfifo(name.c_str(), 0600) == 0);
  // Of the kernel's files one waits for its next message, and the other has no end.
  for (const auto* name : {"linked.so", "linked.py", "linked"})
    fs::create_symlink("/proc/kmsg", here.scratch.path(name));
  for (const auto& file : {fifo, plain, std::string("/dev/zero"), std::string("/proc/kmsg"),
                           std::string("/proc/self/pagemap")}) {
    const PluginFile found = examine_plugin(file, here.quarantine);
    CHECK(found.refusal.find(fs::path(file).filename().string() + ": cannot be read: a ") !=
          std::string::npos);
    CHECK_FALSE(found.metadata.has_value());
  }
  CHECK(Registry({here.folder(".")}, here.quarantine).plugins().empty());
}

TEST_CASE("quarantine refuses by content until it is lifted, and survives the process") {
  Folders f;
  const auto file = f.explainer("e.so", "e");
  const auto hash = sha256_of_file(file);
  f.quarantine.add(hash, "loading it\nkilled");
  const Quarantine later(f.scratch.path("quarantine.tsv"));
  CHECK(later.reason(hash) == "loading it killed");
  const auto refused = examine_plugin(file, later);
  CHECK(refused.refusal.find("in quarantine: loading it killed") != std::string::npos);
  CHECK(refused.metadata.has_value());
  // The same bytes under another name are the same plugin; other bytes are another.
  fs::copy_file(file, f.scratch.path("copy.so"));
  CHECK_FALSE(examine_plugin(f.scratch.path("copy.so"), later).refusal.empty());
  CHECK(
      examine_plugin(f.explainer("mended.so", "e", "summary = \"mended\""), later).refusal.empty());
  Quarantine(f.scratch.path("quarantine.tsv")).lift(hash);
  CHECK(Quarantine(f.scratch.path("quarantine.tsv")).reason(hash).empty());
  CHECK(Quarantine(f.scratch.path("none.tsv")).reason(hash).empty());
}

TEST_CASE("no link that others have put beside the quarantine is followed when it is written") {
  const Scratch scratch;
  const auto target = scratch.write("target.txt", "somebody's");
  const std::string file = scratch.path("quarantine.tsv");
  // Names that can be guessed, by number too, and the file itself.
  for (const std::string& name : {file + "." + std::to_string(::getpid()), file + ".tmp", file})
    fs::create_symlink(target, name);
  fs::create_symlink(scratch.path("made.txt"), file + ".lock");
  Quarantine(file).add("aa", "it crashed");
  CHECK(conoscope::testing::bytes_of(target) == "somebody's");
  CHECK_FALSE(fs::exists(scratch.path("made.txt")));
  CHECK_FALSE(fs::is_symlink(file));
  CHECK(Quarantine(file).reason("aa") == "it crashed");
}

TEST_CASE("a quarantine that cannot be written is said, and holds for this process") {
  const Scratch scratch;
  const std::string in_file = scratch.write("file", "") + "/quarantine.tsv";
  Quarantine nowhere(in_file);
  CHECK_THROWS_SAYING(nowhere.add("aa", "it crashed"), CacheError,
                      in_file + ": cannot be written: Not a directory", "--cache");
  CHECK(nowhere.reason("aa") == "it crashed");
  nowhere.lift("bb");  // nothing to write

  // Where a folder has its name, it can be made but not put there.
  const std::string folder = scratch.path("quarantine.tsv");
  fs::create_directories(folder + "/full");
  Quarantine blocked(folder);
  CHECK_THROWS_SAYING(blocked.add("aa", "it crashed"), CacheError,
                      folder + ": cannot be written: Is a directory");
  std::size_t left = 0;
  for (const auto& entry : fs::directory_iterator(scratch.path("")))
    left += entry.path().filename() == "quarantine.tsv.lock" ? 0 : 1;
  CHECK(left == 2);  // the file and the folder
}

TEST_CASE("two processes that write the quarantine keep what the other wrote") {
  const Scratch scratch;
  const std::string file = scratch.path("folder/quarantine.tsv");
  // Both have read the empty file before either writes.
  Quarantine one(file), two(file);
  one.add("aa", "first");
  two.add("bb", "second");
  CHECK(Quarantine(file).reason("aa") == "first");
  CHECK(Quarantine(file).reason("bb") == "second");
  one.lift("bb");  // written by the other since this one was read
  CHECK(Quarantine(file).reason("bb").empty());
  CHECK(Quarantine(file).reason("aa") == "first");

  // And at the same time.
  std::vector<pid_t> children;
  for (int child = 0; child < 4; ++child) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      Quarantine mine(file);
      for (int i = 0; i < 20; ++i) mine.add(std::to_string(child) + "-" + std::to_string(i), "x");
      ::_exit(0);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) ::waitpid(pid, nullptr, 0);
  const Quarantine all(file);
  int kept = 0;
  for (int child = 0; child < 4; ++child)
    for (int i = 0; i < 20; ++i)
      kept += all.reason(std::to_string(child) + "-" + std::to_string(i)) == "x" ? 1 : 0;
  CHECK(kept == 80);
}
