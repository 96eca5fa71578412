// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace conoscope::core {

// The arrays of the views, each declared once: who brings it, its shape, and which view it is a part of.
// abi.h has them in the words of plugin authors.

enum class Bringer { kDataset, kModel, kExplainer };

struct ViewArray {
  std::string_view name;
  Bringer bringer;
  /// The view, as metadata name it in needs and offers; empty: it is a part of none (the split).
  std::string_view view;
  /// Extents in letters; the same letter of one view's arrays is the same number. n: a row for each
  /// sample; "...": any axes; [w]: an axis that may be missing; empty: see output_check.cc.
  std::string_view shape;
  bool whole = false;     ///< int64; else any real dtype
  bool required = false;  ///< without it the view is not there
  /// How `conoscope measure` describes it; empty: it takes no such array.
  std::string_view words = {};
};

/// In the order of the help of `conoscope measure`.
std::span<const ViewArray> view_arrays();
/// nullptr: a plugin's own
const ViewArray* view_array(std::string_view name);

/// The views that plugins may need and offer.
const std::vector<std::string>& view_names();
/// Those that a dataset's files may hold beside the inputs: "labels", "targets", ...
std::vector<std::string> annotation_views();
/// The arrays without which there is no such view: "activations, head_weight and head_bias".
std::string arrays_of_view(std::string_view view);
/// Has it a row for each sample: a dataset's inputs and annotations, or what a model makes of them?
bool is_by_sample(std::string_view name, Bringer bringer);
/// Does a dataset bring it with its samples: inputs or annotations, but neither segments, whose rows are
/// cut, nor the truth, which only those see that need it?
bool is_annotation(std::string_view name);

}  // namespace conoscope::core
