// SPDX-License-Identifier: Apache-2.0
#include "harness/core/run/work_and_end.h"

#include <unistd.h>

#include <cstdio>
#include <new>
#include <system_error>

#include "harness/core/artifacts/manifest.h"
#include "harness/core/border/output_check.h"
#include "harness/core/border/plugin_process.h"
#include "harness/core/processes/job.h"

namespace conoscope::core {

namespace {

using results::Status;

Status status_of(cono_status status) {
  switch (status) {
    case CONO_NOT_APPLICABLE:
      return Status::not_applicable;
    case CONO_CANCELLED:
      return Status::interrupted;
    case CONO_OUT_OF_MEMORY:
      return Status::out_of_memory;
    default:
      return Status::failed;
  }
}

}  // namespace

void work_and_end(const Reporter& report, const std::function<void()>& work) {
  const auto fault = [&report](Status status, const std::string& message, int code = 1) {
    std::fflush(nullptr);
    report.fault(status, message);
    ::_exit(code);
  };
  try {
    work();
    std::fflush(nullptr);
    report.done();
    ::_exit(0);
  } catch (const CallFault& e) {
    fault(status_of(e.status()), e.what());
  } catch (const OutputFault& e) {
    fault(Status::invalid_output, e.what());
  } catch (const LoadFault& e) {
    fault(Status::failed, e.what());
  } catch (const DamagedArtifact& e) {
    fault(Status::failed, e.what(), kDamagedInputExit);
  } catch (const PluginEnded& e) {
    report.ended(e.exit());
  } catch (const std::system_error& e) {
    fault(Status::failed, e.what(),
          e.code() == std::errc::resource_unavailable_try_again ? kNoProcessExit : 1);
  } catch (const std::bad_alloc&) {
    fault(Status::out_of_memory, "out of memory");
  } catch (const std::exception& e) {
    fault(Status::failed, e.what());
  }
  ::_exit(1);
}

}  // namespace conoscope::core
