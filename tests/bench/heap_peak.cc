// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/heap_peak.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#include <atomic>

// glibc's own, which the functions below hand on to: "Replacing malloc" in its manual.
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);
}

namespace {

std::atomic<std::int64_t> live{0}, peak{0};

void taken(void* block) {
  const auto bytes = static_cast<std::int64_t>(malloc_usable_size(block));
  const std::int64_t now = live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::int64_t most = peak.load(std::memory_order_relaxed);
  while (now > most && !peak.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
}

void given_back(void* block) {
  live.fetch_sub(static_cast<std::int64_t>(malloc_usable_size(block)), std::memory_order_relaxed);
}

}  // namespace

extern "C" {

void* malloc(size_t bytes) noexcept {
  void* block = __libc_malloc(bytes);
  taken(block);
  return block;
}

void* calloc(size_t count, size_t bytes) noexcept {
  void* block = __libc_calloc(count, bytes);
  taken(block);
  return block;
}

void* realloc(void* old, size_t bytes) noexcept {
  const auto before = static_cast<std::int64_t>(malloc_usable_size(old));
  void* block = __libc_realloc(old, bytes);
  if (block || bytes == 0) live.fetch_sub(before, std::memory_order_relaxed);
  taken(block);
  return block;
}

void* memalign(size_t alignment, size_t bytes) noexcept {
  void* block = __libc_memalign(alignment, bytes);
  taken(block);
  return block;
}

void* aligned_alloc(size_t alignment, size_t bytes) noexcept { return memalign(alignment, bytes); }

int posix_memalign(void** block, size_t alignment, size_t bytes) noexcept {
  *block = memalign(alignment, bytes);
  return *block ? 0 : ENOMEM;
}

void free(void* block) noexcept {
  given_back(block);
  __libc_free(block);
}

}  // extern "C"

namespace conoscope::bench {

HeapPeak::HeapPeak() : before_(live) { peak = before_; }

std::int64_t HeapPeak::bytes() const { return peak - before_; }

}  // namespace conoscope::bench
