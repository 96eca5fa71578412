#include "harness/core/conformance/trial.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "harness/core/artifacts/sample_arrays.h"
#include "harness/core/border/loader.h"
#include "harness/core/border/output_check.h"

namespace conoscope::core {

namespace {

// What explainers and metrics are given beside these, worked out by the host.
constexpr std::array<std::string_view, 3> kWorkedOut = {"logits", "predictions", "train_index"};

constexpr int kWarmUp = 8, kFewest = 12, kMost = 200;
constexpr std::uint64_t kLeastGrowth = std::uint64_t{1} << 20;

template <typename T>
void spread_out(ArrayBag& bag, const sdk::Tensor& tensor) {
  cono_tensor apart = tensor.raw();
  std::int64_t step = 2;
  for (int axis = tensor.dimensions() - 1; axis >= 0; --axis) {
    apart.strides[axis] = step;
    step = step * tensor.shape(axis) + 3;
  }
  const std::string name = tensor.name();
  // The bag owns the memory under this name; the view with strides then takes its place.
  auto* memory = reinterpret_cast<T*>(bag.add_empty(name, sdk::dtype_of<T>(), {step}));
  std::fill_n(memory, step, std::numeric_limits<T>::quiet_NaN());
  tensor.for_each([&](std::int64_t i, double value) {
    std::int64_t offset = 0;
    for (int axis = tensor.dimensions() - 1; axis >= 0; --axis) {
      offset += i % tensor.shape(axis) * apart.strides[axis];
      i /= tensor.shape(axis);
    }
    memory[offset] = static_cast<T>(value);
  });
  apart.data = memory;
  bag.add(name, apart);
}

template <typename T>
void spoil(ArrayBag& bag, const sdk::Tensor& tensor) {
  if (tensor.size() == 0) return;
  const std::vector<std::int64_t> shape(tensor.raw().shape,
                                        tensor.raw().shape + tensor.dimensions());
  auto* memory = reinterpret_cast<T*>(bag.add_empty(tensor.name(), sdk::dtype_of<T>(), shape));
  tensor.for_each([&](std::int64_t i, double value) { memory[i] = static_cast<T>(value); });
  memory[0] = std::numeric_limits<T>::quiet_NaN();
}

/// Bytes of this process that no file backs: what it has allocated and touched.
[[maybe_unused]] std::uint64_t private_memory() {  // a sanitizer counts its own
  std::ifstream in("/proc/self/statm");
  std::uint64_t total = 0, resident = 0, shared = 0;
  in >> total >> resident >> shared;
  return (resident - std::min(resident, shared)) * static_cast<std::uint64_t>(::getpagesize());
}

}  // namespace

void alter_input(ArrayBag& bag, std::string_view trial) {
  if (trial == trial::kStrided || trial == trial::kNan)
    for (const char* name : {"activations", "inputs", "head_weight"}) {
      const auto tensor = bag.find(name);
      if (!tensor || (trial == trial::kNan && tensor->name() == "head_weight")) continue;
      const bool strided = trial == trial::kStrided;
      if (tensor->dtype() == CONO_F32)
        strided ? spread_out<float>(bag, *tensor) : spoil<float>(bag, *tensor);
      if (tensor->dtype() == CONO_F64)
        strided ? spread_out<double>(bag, *tensor) : spoil<double>(bag, *tensor);
    }
  if (trial == trial::kNoRows)
    for (const std::span<const std::string_view> names :
         {std::span<const std::string_view>(kAnnotationArrays),
          std::span<const std::string_view>(kModelArrays),
          std::span<const std::string_view>(kWorkedOut)})
      for (const std::string_view name : names)
        if (const auto tensor = bag.find(name)) {
          cono_tensor none = tensor->raw();
          none.shape[0] = 0;
          bag.add(std::string(name), none);
        }
}

std::uint64_t steady_growth(std::span<const std::uint64_t> resident) {
  const std::size_t quarter = resident.size() / 4;
  if (quarter == 0) return 0;
  std::array<double, 4> means{};
  for (std::size_t q = 0; q < 4; ++q) {
    const auto part = resident.subspan(q * quarter, quarter);
    means[q] = std::accumulate(part.begin(), part.end(), 0.0) / static_cast<double>(quarter);
  }
  const double growth = means[3] - means[0];
  if (growth < static_cast<double>(kLeastGrowth)) return 0;
  for (std::size_t q = 1; q < 4; ++q)
    if (means[q] - means[q - 1] < growth / 6) return 0;
  return static_cast<std::uint64_t>(growth);
}

void measure_growth(const std::function<void()>& call, double seconds) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  // A sanitizer keeps freed memory to find its late users: every plugin would seem to leak.
  static_cast<void>(call);
  static_cast<void>(seconds);
  throw CallFault(CONO_NOT_APPLICABLE, "memory cannot be judged in a sanitizer build");
#else
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto spent = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  std::vector<std::uint64_t> resident;
  resident.reserve(kMost);
  for (int i = 0; i < kWarmUp + kMost && spent() < seconds; ++i) {
    call();
    if (i >= kWarmUp) resident.push_back(private_memory());
  }
  if (resident.size() < kFewest)
    throw CallFault(CONO_NOT_APPLICABLE, "too slow: " + std::to_string(resident.size()) +
                                             " calls after " + std::to_string(kWarmUp) +
                                             " to warm up, " + std::to_string(kFewest) +
                                             " are needed to judge");
  if (const auto growth = steady_growth(resident); growth > 0)
    throw OutputFault("memory grew steadily, by " + std::to_string(growth >> 10) + " KiB over " +
                      std::to_string(resident.size() * 3 / 4) + " calls with the same input");
#endif
}

}  // namespace conoscope::core
