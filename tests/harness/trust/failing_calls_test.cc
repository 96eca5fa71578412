// SPDX-License-Identifier: Apache-2.0
// Every call that brings something to the disk, in the supervisor and its workers, fails once: what
// was recorded stays recorded, and the next run completes, with the same bytes.

#include "tests/harness/trust/failing_calls.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <set>

#include "tests/harness/trust/trials.h"
#include "tests/support/preload.h"

using namespace conoscope::testing;
namespace fs = std::filesystem;

namespace {

/// The library in a folder of its own, with its plan beside it.
class Injection {
 public:
  explicit Injection(const Workspace& here) : library_(here.path("failing_calls.so")) {
    fs::copy_file(CONOSCOPE_TEST_FAILING_CALLS, library_);
    const std::string file = library_ + ".plan";
    const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    REQUIRE(::ftruncate(fd, sizeof(FailingCalls)) == 0);
    void* address =
        ::mmap(nullptr, sizeof(FailingCalls), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    REQUIRE(address != MAP_FAILED);
    ::close(fd);
    plan_ = new (address) FailingCalls{};
  }
  ~Injection() { ::munmap(plan_, sizeof(FailingCalls)); }
  Injection(const Injection&) = delete;
  Injection& operator=(const Injection&) = delete;

  /// A run in which the n-th call below the folder fails.
  Ended run(const Workspace& here, const std::string& file, const std::string& folder,
            std::uint64_t n, int error) {
    plan_->calls = 0;
    plan_->fail_at = n;
    plan_->error = error;
    plan_->failed[0] = '\0';
    std::strncpy(plan_->folder, folder.c_str(), sizeof(plan_->folder) - 1);
    return here
        .conoscope({"run", file, "--no-board", "--cache", folder + "/cache", "--store",
                    folder + "/results.db"})
        .set("LD_PRELOAD", preload(library_))
        .set("CONOSCOPE_PRELOAD", preload(library_))  // of the workers
        .set("ASAN_OPTIONS", "verify_asan_link_order=0")  // it would insist on coming first
        .run();
  }
  std::uint64_t calls() const { return plan_->calls; }
  std::string failed() const { return plan_->failed; }

 private:
  std::string library_;
  FailingCalls* plan_ = nullptr;
};

/// Cells that the run of two said it has recorded as good.
std::int64_t said_ok(const std::string& err) {
  std::int64_t count = 0;
  for (std::size_t at = err.find("/2 ok "); at != err.npos; at = err.find("/2 ok ", at + 1))
    ++count;
  return count;
}

}  // namespace

TEST_CASE(
    "every call that writes fails once: nothing recorded is lost, and the next run completes") {
  const Workspace here;
  const auto file =
      here.write("run.toml", digits_run("seeds = [0, 1]\nmetrics = [\"surf_mae\"]", {"svd"}));
  Injection injection(here);
  const auto fresh = [&](const std::string& name) {
    fs::create_directories(here.path(name));
    return here.path(name);
  };
  const auto reference = fresh("reference");
  REQUIRE(injection.run(here, file, reference, 0, 0).code == 0);
  const std::string wanted = here.exported(reference + "/results.db");
  const std::uint64_t points = injection.calls();
  REQUIRE(points > 100);  // the library was loaded, also by the workers

  constexpr int kErrors[] = {EIO, ENOSPC, EINTR, 0};  // 0: a short write
  const auto count = static_cast<std::uint64_t>(trials(kSanitized ? 8 : 24));
  // The points of a short look lie evenly, with the errors in turn; a long look takes all of them with
  // all errors.
  const std::uint64_t all = points * std::size(kErrors);
  const std::uint64_t step = std::max<std::uint64_t>(1, all / count);
  const Share mine = share();
  std::size_t tried = 0;
  std::set<int> errors;
  for (std::uint64_t turn = 0; turn * step < all; ++turn) {
    if (turn / std::size(kErrors) % mine.of != mine.first) continue;
    const std::uint64_t n = turn * step / std::size(kErrors) + 1;
    const int error = kErrors[turn % std::size(kErrors)];
    ++tried, errors.insert(error);
    const auto folder = fresh("point");
    const Ended hurt = injection.run(here, file, folder, n, error);
    CAPTURE(n);
    CAPTURE(error);
    CAPTURE(injection.failed());
    CAPTURE(hurt.err);
    CHECK(hurt.signal == 0);
    const bool known = hurt.code == 0 || hurt.code == 4 || hurt.code == 5;
    CHECK_MESSAGE(known, "exit code ", hurt.code);
    const auto store = folder + "/results.db";
    std::int64_t kept = 0;
    if (fs::exists(store) && fs::file_size(store) > 0) {
      const Ended read = here.conoscope({"query",
                                         "SELECT count(*) AS n FROM attempt WHERE status = "
                                         "'ok'",
                                         "--format", "json", "--store", store})
                             .run();
      if (read.code == 0) kept = Json::parse(read.out)[0]["n"];
    }
    if (hurt.code != 5) CHECK(kept >= said_ok(hurt.err));
    // A store that could not save has said where the rest is.
    if (const auto begin = hurt.err.find("conoscope merge "); begin != std::string::npos) {
      const std::string advice = hurt.err.substr(begin + 16);
      here.run({"merge", advice.substr(0, advice.find(' ')), "--store", store});
      CHECK(here.json({"query", "SELECT count(*) AS n FROM attempt WHERE status = 'ok'", "--store",
                       store})[0]["n"]
                .get<std::int64_t>() >= said_ok(hurt.err));
    }
    const Ended healed = injection.run(here, file, folder, 0, 0);
    CHECK_MESSAGE(healed.code == 0, healed.err);
    CHECK(here.exported(store) == wanted);
    fs::remove_all(folder);
  }
  CHECK(errors.size() == std::size(kErrors));
  MESSAGE(points, " calls; ", tried, " of ", all, " faults tried");
}
