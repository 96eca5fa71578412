// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

#include "tests/broken_plugins/base.h"

/// Asks for access, and says what it has got.
#define WANTS(id, wanted)                                                                         \
  namespace {                                                                                     \
  namespace sdk = conoscope::sdk;                                                                 \
  class Wants final : public sdk::Explainer {                                                     \
   public:                                                                                        \
    explicit Wants(const sdk::Params&) {}                                                         \
    void fit(const sdk::HeadView&, const sdk::Context&, sdk::ExplanationOut&) override {          \
      std::string got;                                                                            \
      if (::socket(AF_INET, SOCK_STREAM, 0) >= 0) got += " network";                              \
      const pid_t child = ::fork();                                                               \
      if (child == 0) ::execl("/bin/true", "true", nullptr), ::_exit(1);                          \
      int status = 1;                                                                             \
      if (child > 0 && ::waitpid(child, &status, 0) == child && status == 0) got += " processes"; \
      throw std::runtime_error("got:" + got);                                                     \
    }                                                                                             \
  };                                                                                              \
  }                                                                                               \
  CONOSCOPE_EXPLAINER(Wants, id, "1.0.0", BROKEN_METADATA "access = [" wanted "]\n")
