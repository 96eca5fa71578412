// SPDX-License-Identifier: Apache-2.0
#pragma once

// A metric judges what a subject offers. Its scores are declared in the metadata, one table each:
//
//   [scores.my_score]
//   direction = "lower"   # or higher, none
//   low = 0.0
//   high = 1.0
//
//   class MyMetric final : public sdk::Metric { void score(...) override; };
//   CONOSCOPE_METRIC(MyMetric, "my_metric", "1.0.0", R"toml(summary = "...")toml", kParameters)

#include <type_traits>

#include "conoscope/sdk/plugin.h"

namespace conoscope::sdk {

/// The test split of every view that the subject offers, and the calls it answers.
class Subject : public Arrays {
 public:
  Subject(const cono_arrays* raw, const cono_calls* calls) : Arrays(raw), calls_(calls) {}

  bool can_project() const { return calls_->project != nullptr; }
  bool can_reconstruct() const { return calls_->reconstruct != nullptr; }
  bool can_intervene() const { return calls_->intervene != nullptr; }

  /// psi(rows; V_c), m x D -> m x K_c.
  void project(std::int64_t output, const Tensor& rows, Tensor scores) const {
    check(calls_->project(calls_->self, output, &rows.raw(), &scores.raw()), "project");
  }
  void reconstruct(std::int64_t output, const Tensor& scores, Tensor rows) const {
    check(calls_->reconstruct(calls_->self, output, &scores.raw(), &rows.raw()), "reconstruct");
  }
  void intervene(const Tensor& concepts, Tensor outputs) const {
    check(calls_->intervene(calls_->self, &concepts.raw(), &outputs.raw()), "intervene");
  }

 private:
  /// A call that was cancelled or does not apply is that here, too; see status.h.
  static void check(cono_status status, const char* call) {
    throw_unless_ok(status, std::string(call) + ": the subject's plugin failed");
  }

  const cono_calls* calls_;
};

class Scores {
 public:
  explicit Scores(const cono_scores* raw) : raw_(raw) {}

  /// message: a caveat that goes with the number to whoever reads it ("over 3 of 5 classes").
  void score(const std::string& name, double value, std::span<const double> parts = {},
             const std::string& message = "") {
    give(name, value, nullptr, message, parts);
  }
  /// The contract was kept but the value does not exist. message: why, in words.
  void undefined(const std::string& name, const std::string& message = "") {
    give(name, 0.0, "undefined", message, {});
  }
  void not_applicable(const std::string& name, const std::string& message = "") {
    give(name, 0.0, "not_applicable", message, {});
  }

 private:
  void give(const std::string& name, double value, const char* reason, const std::string& message,
            std::span<const double> parts) {
    throw_unless_ok(raw_->score(raw_->self, name.c_str(), value, reason,
                                message.empty() ? nullptr : message.c_str(), parts.data(),
                                static_cast<std::int64_t>(parts.size())),
                    "the host refused score " + name);
  }

  const cono_scores* raw_;
};

class Metric {
 public:
  virtual ~Metric() = default;
  virtual void score(const Subject& subject, const Context& context, Scores& out) = 0;
};

template <typename Plugin, const auto&... List>
const void* metric_interface(const char* id) noexcept {
  static_assert(std::is_base_of_v<Metric, Plugin>, "derive from conoscope::sdk::Metric");
  static const cono_metric table = [] {
    cono_metric t{};
    t.struct_size = sizeof(t);
    t.create = create_instance<Plugin, List...>;
    t.destroy = destroy_instance<Plugin>;
    t.score = [](void* self, const cono_arrays* subject, const cono_calls* calls,
                 const cono_host* host, const cono_scores* scores) noexcept {
      return guard(host, [&] {
        Scores out(scores);
        static_cast<Plugin*>(self)->score(Subject(subject, calls), Context(host), out);
      });
    };
    return t;
  }();
  return std::strcmp(id, CONO_METRIC_INTERFACE) == 0 ? &table : nullptr;
}

}  // namespace conoscope::sdk

#define CONOSCOPE_METRIC(Plugin, id, version, ...) \
  CONOSCOPE_PLUGIN_(Plugin, metric_interface, "metric", CONO_METRIC, id, version, __VA_ARGS__)
