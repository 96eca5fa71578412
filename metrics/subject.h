// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "metrics/setting.h"
#include "metrics/views.h"

namespace conoscope::metrics {

/// The views of one subject, and all that has been derived from them so far: what several metrics
/// share (logits, a purity matrix, mutual informations) is computed once and remembered.
///
/// The views must outlive this and must not change. For one thread.
class Subject {
 public:
  explicit Subject(const Views& views) : views_(views) {}
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  const Views& views() const { return views_; }

  // Each is there where offers() says so; a metric that declares the need may rely on it.
  const HeadView& head() const { return *views_.head; }
  const HeadView& train_head() const { return *views_.train_head; }
  const Explanation& explanation() const { return *views_.explanation; }
  const ConceptView& concepts() const { return *views_.concepts; }
  const LatentView& latent() const { return *views_.latent; }
  const ImageView& images() const { return *views_.images; }
  const HeadCalls& above() const { return *views_.above; }
  const Annotations& annotations() const { return *views_.annotations; }
  const Truth& truth() const { return *views_.truth; }
  std::uint64_t seed() const { return views_.seed; }

  /// need: head_view, train_head_view, explanation, concept_view, train_concept_view, latent_view,
  /// labels, targets, concepts, factors, truth, inputs, forward, head.
  bool offers(std::string_view need) const;

  /// derive(*this), computed at the first call and remembered by the function's address; what it
  /// throws is remembered, too, and thrown again.
  ///
  ///   const Matrix& logits = subject.once(model_logits);
  template <typename Value>
  const Value& once(Value (*derive)(const Subject&)) const {
    return remembered<Value>({address(derive)}, [&] { return derive(*this); });
  }

  /// derive(*this, settings), remembered by the function's address and the settings' values.
  template <typename Value>
  const Value& once(Value (*derive)(const Subject&, const std::vector<Setting>&),
                    const std::vector<Setting>& settings) const {
    Key key{address(derive)};
    for (const Setting& one : settings) {
      key.push_back(static_cast<std::uintptr_t>(one.value));
      key.push_back(std::bit_cast<std::uint64_t>(one.number));
      key.push_back(one.chosen.size());
      key.insert(key.end(), one.chosen.begin(), one.chosen.end());
    }
    return remembered<Value>(key, [&] { return derive(*this, settings); });
  }

  /// derive(of...), remembered by the addresses of the function and of its arguments, which must be
  /// remembered values themselves.
  ///
  ///   subject.once(surf_mae, subject.once(model_logits_of), surrogate)
  template <typename Value, typename... Derived>
  const Value& once(Value (*derive)(const Derived&...), const Derived&... of) const {
    return remembered<Value>({address(derive), address(&of)...}, [&] { return derive(of...); });
  }

 private:
  struct Memory {
    std::shared_ptr<const void> value;
    std::exception_ptr fault;
  };

  using Key = std::vector<std::uintptr_t>;

  template <typename Pointer>
  static std::uintptr_t address(Pointer pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
  }

  template <typename Value, typename Derive>
  const Value& remembered(const Key& key, const Derive& derive) const {
    Memory& memory = derived_[key];
    if (memory.fault) std::rethrow_exception(memory.fault);
    if (!memory.value) try {
        memory.value = std::make_shared<const Value>(derive());
      } catch (...) {
        memory.fault = std::current_exception();
        throw;
      }
    return *static_cast<const Value*>(memory.value.get());
  }

  const Views views_;
  mutable std::map<Key, Memory> derived_;
};

}  // namespace conoscope::metrics
