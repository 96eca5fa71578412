// SPDX-License-Identifier: Apache-2.0
// Users' own TorchScript files through the host: those that libtorch cannot read fail their cells,
// each with the file and libtorch's reason; the others of the run are done.

#include <map>
#include <string>
#include <vector>

#include "tests/harness/app/workspace.h"
#include "tests/support/write_npz.h"

using namespace conoscope::testing;

TEST_CASE("each TorchScript file that cannot be read fails its cell and no other") {
  const Workspace here;
  write_zip(here.path("newer.pt"),
            {{"newer/data.pkl", "x", ZIP_CM_STORE}, {"newer/version", "99\n", ZIP_CM_STORE}});
  here.write("noise.pt", "this is not a zip archive");
  const std::map<std::string, std::vector<std::string>> wanted = {
      {"newer", {"newer.pt: not a TorchScript file that libtorch", "version 99"}},
      {"noise", {"noise.pt: not a TorchScript file that libtorch"}},
  };
  std::string text =
      "metrics = [\"surf\"]\n[[dataset]]\nid = \"digits\"\n"
      "[[model]]\nid = \"cnn\"\nname = \"good\"\nparams = { channels = [4], epochs = 1 }\n"
      "[[explainer]]\nid = \"perfect\"\n";
  for (const auto& [name, parts] : wanted)
    text += "[[model]]\nid = \"torchscript\"\nname = \"" + name + "\"\nparams = { file = \"" +
            name + ".pt\", layer = \"layer4\" }\n";
  const Ended ended = here.run({"run", here.write("run.toml", text)}, 4);
  CHECK_SAYS(ended.err, "1 ok, 2 failed");
  auto reasons = here.failures_at("model: fit");
  REQUIRE(reasons.size() == wanted.size());
  for (const auto& [name, parts] : wanted)
    for (const auto& part : parts) CHECK_SAYS(reasons[name], part);
  CHECK(here.count("attempt") == 3);  // nothing lost
}

TEST_CASE("a TorchScript file that is not there stops the run before it begins") {
  const Workspace here;
  const auto file = here.write("run.toml",
                               "[[dataset]]\nid = \"digits\"\n[[model]]\nid = \"torchscript\"\n"
                               "params = { file = \"none.pt\", layer = \"layer4\" }\n"
                               "[[explainer]]\nid = \"perfect\"\n");
  CHECK_SAYS(here.run({"run", file}, 2).err, "none.pt");
}
