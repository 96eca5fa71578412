// ./dev, on a machine where the package manager is told what to say.

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/command.h"
#include "tests/support/scratch.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::testing;

TEST_CASE("./dev installs what this machine's own architecture lacks, and nothing else") {
  const Scratch scratch;
  const auto program = [&](const std::string& name, const std::string& text) {
    scratch.write(name, "#!/usr/bin/env bash\n" + text);
    std::filesystem::permissions(scratch / name, std::filesystem::perms::owner_all);
  };
  program("dpkg", "echo riscv64\n");
  program("dpkg-query", R"([[ $1 == -W && $2 == -f ]]
format=$3 package=$4
say() {
  line=${format/'${Architecture}'/$1}
  printf "${line/'${Status}'/$2}"
}
case $package in
  libzip-dev) say amd64 'install ok installed'; say riscv64 'install ok installed' ;;
  libhdf5-dev) say amd64 'install ok installed' ;;
  libpng-dev) exit 1 ;;
  libjpeg-dev) say riscv64 'deinstall ok config-files' ;;
  libeigen3-dev) say all 'install ok installed' ;;
  *) say riscv64 'install ok installed' ;;
esac
)");
  program("apt-get", "echo apt-get \"$@\"\n");
  program("sudo", "exec \"$@\"\n");
  program("cmake", "");

  const Ended ended = Command({CONOSCOPE_TEST_DEV, "build"})
                          .set("PATH", scratch.path().string() + ":" + std::getenv("PATH"))
                          .run();
  CHECK(ended.code == 0);
  CHECK(ended.err.find("installing Debian packages: libhdf5-dev libpng-dev libjpeg-dev\n") !=
        std::string::npos);
  CHECK(ended.err.find("apt-get install -y -qq --no-install-recommends libhdf5-dev libpng-dev "
                       "libjpeg-dev\n") != std::string::npos);
}

}  // namespace

}  // namespace conoscope::tests
