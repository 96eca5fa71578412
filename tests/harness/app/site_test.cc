// SPDX-License-Identifier: Apache-2.0
// `conoscope site`: which folders it writes into, what it leaves of them, and what of the store. What
// the pages hold is looked at in tests/results/site_test.cc.

#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <string>

#include "tests/harness/app/workspace.h"
#include "tests/support/bytes_of.h"

using namespace conoscope::testing;
namespace fs = std::filesystem;

namespace {

std::map<std::string, std::string> files_of(const std::string& folder) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      out[fs::relative(entry.path(), folder).generic_string()] = bytes_of(entry.path());
  return out;
}

void run_study(const Workspace& here, const std::string& name, const std::string& explainer) {
  here.run_text(
      "# Which of them explains the digits?\n# Then: more\n" +
      digits_run("name = \"" + name +
                     "\"\nseeds = [0, 1, 2]\ncontrols = [\"none\", "
                     "\"random_concepts\"]\nmetrics = [\"surf_mae\", \"explained_samples\"]",
                 {"svd", explainer}));
}

}  // namespace

TEST_CASE("a site is written, written again, and what is old goes") {
  const Workspace here;
  run_study(here, "small", "kmeans");
  const std::string folder = here.path("board");
  CHECK_SAYS(here.run({"site", "-o", folder}).err, "index.html: ");
  const auto first = files_of(folder);
  for (const char* path : {"index.html", "study/small.html", "report/small.html",
                           "explainer/kmeans.html", "explainer/svd.html", "metric/surf_mae.html"})
    CHECK_MESSAGE(first.contains(path), path);
  const std::string& kmeans = first.at("explainer/kmeans.html");
  CHECK_SAYS(kmeans, "its twin: random_concepts");  // the picture of a sample
  CHECK_SAYS(kmeans, "Apache-2.0</td>");
  CHECK_SAYS(kmeans, "[[explainer]]\nid = &quot;kmeans&quot;");
  CHECK_FALSE(has(kmeans, here.path("")));  // no path of this machine
  CHECK_SAYS(first.at("index.html"), "<p>Which of them explains the digits?</p>");
  CHECK_SAYS(first.at("metric/surf_mae.html"), "arXiv");

  here.run({"site", "-o", folder});
  CHECK(files_of(folder) == first);
  // Another run takes its name: kmeans is no longer there.
  run_study(here, "small", "nmf");
  here.run({"site", "-o", folder, "--docs", "https://example.org/"});
  const auto second = files_of(folder);
  CHECK(second.contains("explainer/nmf.html"));
  CHECK_FALSE(second.contains("explainer/kmeans.html"));
  CHECK_SAYS(second.at("explainer/nmf.html"), "href=\"https://example.org/\">Documentation");
}

TEST_CASE("a site's board is what `conoscope board` prints") {
  const Workspace here;
  run_study(here, "small", "kmeans");
  here.run({"site", "-o", here.path("board")});
  const Json site = Json::parse(bytes_of(here.path("board/study/small.board.json")));
  const Json board = here.json({"board", "small"});
  REQUIRE(site.size() == board.size());
  for (std::size_t i = 0; i < board.size(); ++i) CHECK(site[i] == board[i]);
}

TEST_CASE("a site is not written over what is not its own") {
  const Workspace here;
  run_study(here, "small", "kmeans");
  mkdir(here.path("mine").c_str(), 0700);
  here.write("mine/notes.txt", "mine");
  CHECK_SAYS(here.run({"site", "-o", here.path("mine")}, 2).err,
             "mine: it holds files that `conoscope site` did not write");
  CHECK(files_of(here.path("mine")).size() == 1);
  CHECK_SAYS(here.run({"site", "-o", here.path("mine/notes.txt")}, 2).err, "is a file");
  CHECK_SAYS(here.run({"site", "-o", "/proc/no/such"}, 5).err, "cannot be made");
  // A list that names files outside of the folder takes none of them away.
  mkdir(here.path("list").c_str(), 0700);
  here.write("list/site-contents.txt",
             "Written by `conoscope site`, which replaces these files:\n../mine/notes.txt\n" +
                 here.path("mine/notes.txt") + "\n");
  here.run({"site", "-o", here.path("list")});
  CHECK(bytes_of(here.path("mine/notes.txt")) == "mine");
}

TEST_CASE("what makes no site is said") {
  const Workspace here;
  CHECK_SAYS(here.run({"site", "-o", here.path("board")}, 5).err, "results.db");  // no store
  CHECK_SAYS(here.run({"site"}, 2).err, "-o DIR");
  here.run({"merge", here.write("empty.txt", "conoscope store 1, schema 6\n")});
  CHECK_SAYS(here.run({"site", "-o", here.path("board")}, 2).err, "start with `conoscope run`");
  CHECK_FALSE(fs::exists(here.path("board")));
  CHECK_SAYS(here.run({"site", "-o", here.path("board"), "--docs", "javascript:alert(1)"}, 2).err,
             "--docs javascript:alert(1)");
}

TEST_CASE("the results that ship make a site, by their name") {
  const Workspace here;
  const std::string folder = here.path("board");
  here.run({"site", "published/quick.gz", "-o", folder});
  for (const char* page : {"study/quick.html", "explainer/kmeans.html"})
    CHECK_MESSAGE(fs::exists(folder + "/" + page), page);
  CHECK_SAYS(here.run({"site", "published", "-o", folder, "--store", here.store()}, 2).err,
             "published or --store?");
}
