#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>

namespace conoscope::metrics {

/// Random numbers for the metrics that draw, the same with every standard library: the engine is
/// specified by the standard, its distributions are not, so these are our own. A metric draws from
/// Subject::seed alone; `stream` keeps its uses of one seed apart.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0)
      : engine_(mix(seed + 0x9e3779b97f4a7c15ULL * (stream + 1))) {}

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

  /// Fisher-Yates over anything with size() and operator[].
  template <typename Sequence>
  void shuffle(Sequence& items) {
    for (std::size_t i = items.size(); i > 1; --i)
      std::swap(items[i - 1], items[static_cast<std::size_t>(below(i))]);
  }

 private:
  // SplitMix64 finaliser (Steele, Lea and Flood, OOPSLA 2014): close seeds start far apart.
  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  std::mt19937_64 engine_;
};

}  // namespace conoscope::metrics
