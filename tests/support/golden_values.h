#pragma once

#include "tests/support/golden.h"

namespace conoscope::tests::golden {

/// Runs the cases of a folder whose `expected` holds values in the text, as
/// {"name": {"value": number, list, "inf", "nan" or "error"}} or {"name": {"file": ...}}, with an absolute
/// tolerance for some outputs under `tolerance_per_output`. Kinds are the cases' `metric`; those
/// that `kinds` does not know belong to another family and are counted in one line of `skipped`.
///
/// throws  std::runtime_error: the folder has no readable cases.json
Summary run_values(const std::filesystem::path& folder, const Kinds& kinds);

}  // namespace conoscope::tests::golden
