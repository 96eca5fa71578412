// SPDX-License-Identifier: Apache-2.0
#pragma once

// A small host inside the test's own process: it loads a plugin file, fills in parameters from the
// file's metadata and calls through the C border, with the outputs in memory.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "conoscope/sdk/abi.h"
#include "conoscope/sdk/tensor.h"

namespace conoscope::testing {

/// An array with its memory: row-major.
struct OwnedArray {
  std::int32_t dtype = CONO_F64;
  std::vector<std::int64_t> shape;
  std::vector<char> bytes;

  template <typename T>
  static OwnedArray of(std::vector<std::int64_t> shape, const std::vector<T>& values) {
    const auto* begin = reinterpret_cast<const char*>(values.data());
    return {sdk::dtype_of<T>(), std::move(shape), {begin, begin + values.size() * sizeof(T)}};
  }

  cono_tensor raw() const {
    return sdk::make_tensor(const_cast<char*>(bytes.data()), dtype, shape);
  }

  template <typename T>
  std::span<const T> values() const {
    return sdk::Tensor(raw(), "array").values<const T>();
  }

  bool operator==(const OwnedArray&) const = default;
};

/// What a dataset, a model or an explainer left.
struct Bundle {
  std::map<std::string, OwnedArray> arrays;
  std::map<std::string, std::string> texts;

  template <typename T>
  std::span<const T> values(const std::string& name) const& {
    return arrays.at(name).values<T>();
  }
  template <typename T>
  std::span<const T> values(const std::string& name) const&& = delete;  // it would dangle
  const std::vector<std::int64_t>& shape(const std::string& name) const {
    return arrays.at(name).shape;
  }
  bool has(const std::string& name) const { return arrays.contains(name); }
  bool operator==(const Bundle&) const = default;
};

/// The rows to train on and those to test on.
inline void put_split(Bundle& data, const std::vector<std::int64_t>& train,
                      const std::vector<std::int64_t>& test) {
  const auto count = [](const auto& rows) { return static_cast<std::int64_t>(rows.size()); };
  data.arrays["train_index"] = OwnedArray::of<std::int64_t>({count(train)}, train);
  data.arrays["test_index"] = OwnedArray::of<std::int64_t>({count(test)}, test);
}

struct Outcome {
  cono_status status = CONO_OK;
  std::string error;
  Bundle out;
  std::vector<std::string> log;
  std::vector<double> progress;
};

/// What the host says to the plugin during a call.
struct Host {
  std::uint64_t seed = 0;
  std::uint32_t threads = 1;
  std::string scratch = "/tmp";
  std::function<bool()> cancelled = [] { return false; };
};

using Value = std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>,
                           std::vector<double>, std::vector<std::string>>;
using Arguments = std::map<std::string, Value>;

class Plugin {
 public:
  /// throws  std::runtime_error: cannot be loaded, has no metadata note, or the note is not TOML
  explicit Plugin(const std::filesystem::path& file);

  const std::string& metadata() const { return metadata_; }  ///< the TOML text
  const cono_plugin& table() const { return *table_; }

  /// Creates an instance, calls it once and destroys it. An argument that the metadata does not
  /// know, one of another type, or a missing one without default throws std::invalid_argument.
  Outcome load(const Arguments& arguments, const Host& host = {}) const;
  Outcome fit_model(const Arguments& arguments, const Bundle& dataset, const Host& host = {}) const;
  /// The same with one more array, or another in place of the bundle's: for strides, say.
  Outcome fit_model_with(const Arguments& arguments, const Bundle& dataset, const std::string& name,
                         const cono_tensor& tensor, const Host& host = {}) const;
  Outcome fit_explainer(const Arguments& arguments, const Bundle& head,
                        const Host& host = {}) const;
  /// The same through the explainer's forward interface; `model` maps inputs (any dtype; here in
  /// double, row-major) to activations, and a status other than CONO_OK is the model's.
  using Model =
      std::function<cono_status(const sdk::Tensor& inputs, std::span<double> activations)>;
  Outcome fit_explainer_with(const Arguments& arguments, const Bundle& head, const Model& model,
                             const Host& host = {}) const;
  /// out.arrays["scores"] is rows x concepts, the output's scores of the rows.
  Outcome project(const Arguments& arguments, const Bundle& explanation, std::int64_t output,
                  const OwnedArray& rows, std::int64_t concept_count, const Host& host = {}) const;
  /// out.arrays["rows"] is scores x width.
  Outcome reconstruct(const Arguments& arguments, const Bundle& explanation, std::int64_t output,
                      const OwnedArray& scores, std::int64_t width, const Host& host = {}) const;
  /// out.arrays["activations"] has the given shape.
  Outcome forward(const Arguments& arguments, const Bundle& model, const OwnedArray& inputs,
                  std::vector<std::int64_t> activations_shape, const Host& host = {}) const;
  /// out.arrays["gradients"] has the shape of the inputs.
  Outcome forward_gradient(const Arguments& arguments, const Bundle& model,
                           const OwnedArray& inputs, const OwnedArray& cotangents,
                           const Host& host = {}) const;

  /// out.arrays["outputs"] has as many columns as the model's head_weight has rows.
  Outcome head(const Arguments& arguments, const Bundle& model, const OwnedArray& activations,
               const Host& host = {}) const;
  /// The same of the network whose upper layers the host's seed draws anew.
  Outcome redrawn_head(const Arguments& arguments, const Bundle& model,
                       const OwnedArray& activations, const Host& host = {}) const;
  /// out.arrays["gradients"] has the shape of the activations.
  Outcome vjp(const Arguments& arguments, const Bundle& model, const OwnedArray& activations,
              const OwnedArray& cotangents, const Host& host = {}) const;

  /// out.arrays["inputs"] has the given shape.
  Outcome decode(const Arguments& arguments, const Bundle& model, const OwnedArray& codes,
                 std::vector<std::int64_t> inputs_shape, const Host& host = {}) const;

  /// out.arrays["outputs"] has as many columns as the model's task_outputs.
  Outcome intervene(const Arguments& arguments, const Bundle& model, const OwnedArray& concepts,
                    const Host& host = {}) const;
  /// The same of a model whose other concepts change with what is told; told: rows x concepts.
  Outcome intervene_told(const Arguments& arguments, const Bundle& model,
                         const OwnedArray& concepts, const OwnedArray& told,
                         const Host& host = {}) const;

 private:
  Outcome outputs_of(const char* interface, const Arguments& arguments, const Bundle& model,
                     const OwnedArray& activations, const Host& host) const;
  struct Parameter {
    std::string name;
    std::int32_t type;
    Value standard;
    bool required;
  };
  template <typename Table, typename Call>
  Outcome run(const char* interface, const Arguments& arguments, const cono_arrays& arrays,
              const Host& host, Call&& call) const;
  template <typename Table>
  Outcome fit(const char* interface, const Arguments& arguments, const cono_arrays& arrays,
              const Host& host) const;

  std::string metadata_;
  std::vector<Parameter> parameters_;  ///< in the metadata's order
  const cono_plugin* table_ = nullptr;
};

/// Where the build puts a plugin.
std::filesystem::path plugin_file(const std::string& name);

/// It, loaded once.
const Plugin& plugin(const std::string& name);

}  // namespace conoscope::testing
