// SPDX-License-Identifier: Apache-2.0
#pragma once

// A dataset loads or generates samples, their annotations and a split.
//
//   class MyData final : public sdk::Dataset { void load(...) override; };
//   CONOSCOPE_DATASET(MyData, "my_data", "1.0.0", R"toml(summary = "...")toml", kParameters)

#include <algorithm>
#include <type_traits>

#include "conoscope/sdk/plugin.h"
#include "conoscope/sdk/split.h"

namespace conoscope::sdk {

class Dataset {
 public:
  virtual ~Dataset() = default;
  /// Writes the arrays that abi.h lists under "dataset"; at least train_index and test_index.
  virtual void load(const Context& context, Sink& out) = 0;
};

/// Writes train_index and test_index.
inline void write_split(Sink& out, const Split& split) {
  const auto write = [&out](const char* name, const std::vector<std::int64_t>& rows) {
    std::ranges::copy(
        rows, out.create<std::int64_t>(name, {static_cast<std::int64_t>(rows.size())}).begin());
  };
  write("train_index", split.train);
  write("test_index", split.test);
}

template <typename Plugin, const auto&... List>
const void* dataset_interface(const char* id) noexcept {
  static_assert(std::is_base_of_v<Dataset, Plugin>, "derive from conoscope::sdk::Dataset");
  static const cono_dataset table = [] {
    cono_dataset t{};
    t.struct_size = sizeof(t);
    t.create = create_instance<Plugin, List...>;
    t.destroy = destroy_instance<Plugin>;
    t.load = [](void* self, const cono_host* host, const cono_sink* sink) noexcept {
      return guard(host, [&] {
        Sink out(sink);
        static_cast<Plugin*>(self)->load(Context(host), out);
      });
    };
    return t;
  }();
  return std::strcmp(id, CONO_DATASET_INTERFACE) == 0 ? &table : nullptr;
}

}  // namespace conoscope::sdk

#define CONOSCOPE_DATASET(Plugin, id, version, ...) \
  CONOSCOPE_PLUGIN_(Plugin, dataset_interface, "dataset", CONO_DATASET, id, version, __VA_ARGS__)
