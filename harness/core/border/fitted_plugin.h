// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string_view>

#include "harness/core/border/plugin_process.h"

namespace conoscope::core {

/// A model or an explainer after its fit, in a process and with a scratch folder of its own: that of
/// the job with the kind behind it. Calls throw as those of PluginProcess.
class FittedPlugin {
 public:
  /// left  what its fit has left; it must outlive this
  FittedPlugin(const PluginUse& use, Kind kind, const Host& host, const ArrayBag& left,
               Extents extents);

  const Metadata& metadata() const { return process_.metadata(); }
  bool answers(std::string_view function) const { return process_.answers(function); }
  metrics::Matrix call(std::string_view function, std::initializer_list<metrics::MatrixRef> inputs,
                       metrics::Index output = 0) {
    return process_.call(function, extents_, inputs, output);
  }
  /// What lies above the layer, by functions of these names. Valid as long as this.
  metrics::HeadCalls head(const char* outputs, const char* vjp);
  /// throws  LoadFault: it has no forward()
  void require_forward() const;

 private:
  PluginProcess process_;
  const Extents extents_;
};

}  // namespace conoscope::core
