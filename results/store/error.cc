// SPDX-License-Identifier: Apache-2.0
#include "results/store/error.h"

namespace conoscope::results {

std::string_view to_text(StoreProblem problem) {
  switch (problem) {
    case StoreProblem::cannot_open:
      return "cannot_open";
    case StoreProblem::not_a_database:
      return "not_a_database";
    case StoreProblem::not_a_store:
      return "not_a_store";
    case StoreProblem::newer_schema:
      return "newer_schema";
    case StoreProblem::read_only:
      return "read_only";
    case StoreProblem::disk_full:
      return "disk_full";
    case StoreProblem::busy:
      return "busy";
    case StoreProblem::corrupt:
      return "corrupt";
    case StoreProblem::constraint:
      return "constraint";
    case StoreProblem::conflict:
      return "conflict";
    case StoreProblem::not_found:
      return "not_found";
    case StoreProblem::refused:
      return "refused";
    case StoreProblem::bad_query:
      return "bad_query";
    case StoreProblem::out_of_memory:
      return "out_of_memory";
    case StoreProblem::io:
      return "io";
    case StoreProblem::internal:
      return "internal";
  }
  return "internal";
}

}  // namespace conoscope::results
