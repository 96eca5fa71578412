// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/app/workspace.h"

namespace conoscope::testing {

Command Workspace::in_place(Command command) const {
  command.set("HOME", path("home")).set("CONOSCOPE_CACHE", cache());
  return command.set("CONOSCOPE_STORE", store());
}

Command Workspace::conoscope(const std::vector<std::string>& arguments) const {
  std::vector<std::string> words = {built_conoscope().string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return in_place(Command(words));
}

Command Workspace::conoscope_after(const std::string& script,
                                   const std::vector<std::string>& arguments) const {
  std::vector<std::string> words = {"/bin/sh", "-c", script + "\nexec \"$@\"", "sh",
                                    built_conoscope().string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return in_place(Command(words));
}

Ended Workspace::run(const std::vector<std::string>& arguments, int code) const {
  const Ended ended = conoscope(arguments).run();
  INFO("stderr: ", ended.err);
  REQUIRE(ended.signal == 0);
  REQUIRE(ended.code == code);
  return ended;
}

Ended Workspace::run_text(const std::string& text, std::vector<std::string> more, int code) const {
  more.insert(more.begin(), {"run", write("run.toml", text), "--no-board"});
  return run(more, code);
}

Json Workspace::json(std::vector<std::string> arguments) const {
  arguments.insert(arguments.end(), {"--format", "json"});
  return Json::parse(run(arguments).out);
}

std::int64_t Workspace::count(const std::string& table) const {
  return query("SELECT count(*) AS n FROM " + table)[0]["n"];
}

std::map<std::string, std::string> Workspace::failures_at(const std::string& stage) const {
  std::map<std::string, std::string> messages;
  const Json status = json({"status"});
  for (const auto& row : status["failures"]) {
    CHECK(row["status"] == "failed");
    CHECK(row["stage"] == stage);
    messages[row[stage.substr(0, stage.find(':'))]] = row["message"];
  }
  return messages;
}

std::string Workspace::exported(const std::string& store_file) const {
  return run({"export", "--store", store_file.empty() ? store() : store_file}).out;
}

bool Workspace::can_train() const {
  for (const auto& plugin : json({"plugin", "list"}))
    if (plugin["id"] == "cnn") return true;
  return false;
}

std::string digits_run(const std::string& head, const std::vector<std::string>& explainers) {
  std::string text = head + "\n[[dataset]]\nid = \"precomputed\"\nname = \"digits\"\n";
  text += "params = { archive = \"" CONOSCOPE_TEST_DIGITS "\" }\n";
  text += "[[model]]\nid = \"precomputed\"\n";
  for (const auto& explainer : explainers) text += "[[explainer]]\nid = \"" + explainer + "\"\n";
  return text;
}

std::string whole_run() {
  return digits_run(std::string("seeds = ") + (kSanitized ? "[0]" : "[0, 1]") +
                        "\ncontrols = [\"none\", \"random_importance\", \"random_concepts\"]\n"
                        "metrics = [\"surf\"]",
                    {"perfect", "svd", "kmeans", "nmf"});
}

}  // namespace conoscope::testing
