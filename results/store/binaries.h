#pragma once

#include <map>
#include <string>

namespace conoscope::results {

// What AttemptRow::binaries says: "digits 1.0.0 0123456789abcdef; svd 1.2.0 ...", dataset, model,
// explainer and metric plugins in this order.

/// "plugin svd": version and the beginning of the file's hash. A dataset and a model may share an id.
std::map<std::string, std::string> files_of(const std::string& binaries);

/// Is every plugin that both name the same file in both? Two runs may ask for different metrics.
bool same_files(const std::string& a, const std::string& b);

}  // namespace conoscope::results
