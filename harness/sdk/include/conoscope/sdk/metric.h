#pragma once

// A metric judges what a subject offers. Its scores are declared in the metadata, one table each:
//
//   [scores.my_score]
//   direction = "lower"   # or higher, none
//   low = 0.0
//   high = 1.0
//
//   class MyMetric final : public sdk::Metric { void score(...) override; };
//   CONOSCOPE_METRIC(MyMetric, "my_metric", "1.0.0", R"toml(summary = "...")toml")

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
  static void check(cono_status status, const char* call) {
    if (status != CONO_OK)
      throw std::runtime_error(std::string(call) + ": the subject's plugin failed");
  }

  const cono_calls* calls_;
};

class Scores {
 public:
  explicit Scores(const cono_scores* raw) : raw_(raw) {}

  void score(const std::string& name, double value, std::span<const double> parts = {}) {
    check(raw_->score(raw_->self, name.c_str(), value, nullptr, parts.data(),
                      static_cast<std::int64_t>(parts.size())),
          name);
  }
  /// The contract was kept but the value does not exist.
  void undefined(const std::string& name) {
    check(raw_->score(raw_->self, name.c_str(), 0.0, "undefined", nullptr, 0), name);
  }
  void not_applicable(const std::string& name) {
    check(raw_->score(raw_->self, name.c_str(), 0.0, "not_applicable", nullptr, 0), name);
  }

 private:
  static void check(cono_status status, const std::string& name) {
    if (status != CONO_OK) throw std::invalid_argument("the host refused score " + name);
  }

  const cono_scores* raw_;
};

class Metric {
 public:
  virtual ~Metric() = default;
  virtual void score(const Subject& subject, const Context& context, Scores& out) = 0;
};

template <typename Plugin>
const void* find_interface(const char* id) noexcept {
  static_assert(std::is_base_of_v<Metric, Plugin>, "derive from conoscope::sdk::Metric");
  static const cono_metric table = [] {
    cono_metric t{};
    t.struct_size = sizeof(t);
    t.create = create_instance<Plugin>;
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

#define CONOSCOPE_METRIC(Plugin, id, version, metadata) \
  CONOSCOPE_PLUGIN_(Plugin, "metric", CONO_METRIC, id, version, metadata)
