// SPDX-License-Identifier: Apache-2.0
#include "harness/core/border/fitted_plugin.h"

#include <utility>

namespace conoscope::core {

using metrics::MatrixRef;

namespace {

/// Without its progress: it is called while another plugin's call is going on.
Host beside(const Host& host, Kind kind) {
  Host out = host;
  out.scratch += std::string(".") + to_string(kind);
  out.progress = {};
  return out;
}

}  // namespace

FittedPlugin::FittedPlugin(const PluginUse& use, Kind kind, const Host& host, const ArrayBag& left,
                           Extents extents)
    : process_(use, beside(host, kind), left), extents_(std::move(extents)) {
  process_.create();
}

metrics::HeadCalls FittedPlugin::head(const char* outputs, const char* vjp) {
  metrics::HeadCalls calls;
  calls.outputs = [this, outputs](const MatrixRef& activations) {
    return call(outputs, {activations});
  };
  if (answers(vjp))
    calls.vjp = [this, vjp](const MatrixRef& activations, const MatrixRef& cotangents) {
      return call(vjp, {activations, cotangents});
    };
  return calls;
}

void FittedPlugin::require_forward() const {
  if (!answers("forward"))
    throw LoadFault(metadata().id + ": its metadata offer forward, but it has no " +
                    CONO_FORWARD_INTERFACE);
}

}  // namespace conoscope::core
