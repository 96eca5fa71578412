// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <utility>

namespace conoscope::sdk {

/// A seed, and the named streams that derive from it. Neither the order in which streams are asked
/// for nor the number of threads changes what a stream holds.
///
///   Random random(Seed(host_seed).child("restart").child(3));
class Seed {
 public:
  explicit constexpr Seed(std::uint64_t value) : value_(value) {}

  constexpr std::uint64_t value() const { return value_; }

  /// FNV-1a over the name, mixed with the parent: the same on every machine, unlike std::hash.
  constexpr Seed child(std::string_view name) const {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : name) {
      hash ^= static_cast<unsigned char>(c);
      hash *= 0x100000001b3ULL;
    }
    return Seed(mix(value_ ^ mix(hash)));
  }

  constexpr Seed child(std::uint64_t index) const {
    return Seed(mix(value_ + 0x9e3779b97f4a7c15ULL * (index + 1)));
  }

 private:
  // SplitMix64 finaliser (Steele, Lea and Flood, OOPSLA 2014).
  static constexpr std::uint64_t mix(std::uint64_t z) {
    z += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  std::uint64_t value_;
};

/// Random numbers that are the same with every standard library: the engine is specified by the
/// standard, its distributions are not, so these are our own.
class Random {
 public:
  explicit Random(Seed seed) : engine_(seed.value()) {}

  /// Uniform in [0, 1): the upper 53 bits of one draw.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

  /// Uniform in [low, high).
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  /// Uniform in {0, ..., n-1}, n >= 1, without modulo bias: draws of the last, incomplete round of
  /// n are rejected.
  std::uint64_t below(std::uint64_t n) {
    const std::uint64_t incomplete = (UINT64_MAX - n + 1) % n;  // 2^64 mod n
    std::uint64_t draw = engine_();
    while (draw > UINT64_MAX - incomplete) draw = engine_();
    return draw % n;
  }

  /// Standard normal, by Marsaglia's polar method.
  double normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    double u = 0.0, v = 0.0, s = 0.0;
    do {
      u = uniform(-1.0, 1.0);
      v = uniform(-1.0, 1.0);
      s = u * u + v * v;
    } while (s >= 1.0 || s == 0.0);
    const double scale = std::sqrt(-2.0 * std::log(s) / s);
    spare_ = v * scale;
    has_spare_ = true;
    return u * scale;
  }

  /// Fisher-Yates over anything with size() and operator[].
  template <typename Sequence>
  void shuffle(Sequence& items) {
    for (std::size_t i = items.size(); i > 1; --i)
      std::swap(items[i - 1], items[static_cast<std::size_t>(below(i))]);
  }

 private:
  std::mt19937_64 engine_;
  double spare_ = 0.0;
  bool has_spare_ = false;
};

}  // namespace conoscope::sdk
