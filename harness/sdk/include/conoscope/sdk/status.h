// SPDX-License-Identifier: Apache-2.0
#pragma once

// What crosses the border where C++ throws: each status is one exception, in both directions.

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "conoscope/sdk/abi.h"

namespace conoscope::sdk {

/// Throw it when the plugin, by design, does not work on such input (a factorisation that needs
/// non-negative activations, say). The cell is then listed as not applicable, not as failed.
class NotApplicable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown by Context::check_cancelled(), and by a call of the host's that was cancelled; let it pass.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled") {}
  using std::runtime_error::runtime_error;
};

/// A status with the text that goes with it.
struct Outcome {
  cono_status status = CONO_OK;
  std::string text;
};

/// The exception that is being handled, as it crosses the border. Call it inside a catch block.
///
///   NotApplicable -> CONO_NOT_APPLICABLE          std::domain_error -> CONO_UNDEFINED
///   Cancelled -> CONO_CANCELLED                   std::bad_alloc -> CONO_OUT_OF_MEMORY
///   std::invalid_argument -> CONO_INVALID_ARGUMENT   all else -> CONO_INTERNAL
inline Outcome current_outcome() {
  try {
    throw;
  } catch (const NotApplicable& e) {
    return {CONO_NOT_APPLICABLE, e.what()};
  } catch (const Cancelled& e) {
    return {CONO_CANCELLED, e.what()};
  } catch (const std::invalid_argument& e) {
    return {CONO_INVALID_ARGUMENT, e.what()};
  } catch (const std::domain_error& e) {
    return {CONO_UNDEFINED, e.what()};
  } catch (const std::bad_alloc&) {
    return {CONO_OUT_OF_MEMORY, "out of memory"};
  } catch (const std::exception& e) {
    return {CONO_INTERNAL, e.what()};
  } catch (...) {
    return {CONO_INTERNAL, "threw something that is not a std::exception"};
  }
}

/// The way back: throws what current_outcome() would turn into this status; CONO_OK throws nothing.
/// A status that is none of cono_status_code counts as CONO_INTERNAL.
inline void throw_unless_ok(cono_status status, const std::string& text) {
  switch (status) {
    case CONO_OK:
      return;
    case CONO_NOT_APPLICABLE:
      throw NotApplicable(text);
    case CONO_CANCELLED:
      throw Cancelled(text);
    case CONO_INVALID_ARGUMENT:
      throw std::invalid_argument(text);
    case CONO_UNDEFINED:
      throw std::domain_error(text);
    case CONO_OUT_OF_MEMORY:
      throw std::bad_alloc();
    default:
      throw std::runtime_error(text);
  }
}

}  // namespace conoscope::sdk
