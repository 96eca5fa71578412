// SPDX-License-Identifier: Apache-2.0
#include "numerics/sha256.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

namespace conoscope::numerics {

namespace {

// First 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS
// 180-4, 4.2.2).
constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<std::uint32_t, 8>;

void take_plain(State& state, const unsigned char* bytes, std::size_t blocks) {
  for (; blocks > 0; --blocks, bytes += 64) {
    std::array<std::uint32_t, 64> w;
    for (std::size_t i = 0; i < 16; ++i)
      w[i] = std::uint32_t{bytes[4 * i]} << 24 | std::uint32_t{bytes[4 * i + 1]} << 16 |
             std::uint32_t{bytes[4 * i + 2]} << 8 | std::uint32_t{bytes[4 * i + 3]};
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t s0 =
          std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
      const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
      const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
      const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
      const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    const State add = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state[i] += add[i];
  }
}

#if defined(__x86_64__)

bool has_sha_instructions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_SSE4_1) == 0 || (c & bit_SSSE3) == 0)
    return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & (1U << 29)) != 0;
}

// The processor's own rounds, two at a time: some six times as fast. Its instructions want the state
// as the words {a, b, e, f} and {c, d, g, h}, the first word in the highest lane.
//
// They have no AVX form, and an Intel processor (Emerald Rapids) takes some 200 cycles for each change
// between the two forms while the upper halves of the registers are in use: 7 MB a second. So those
// are given up first (llvm/llvm-project#142368; compilers do not see to it).
__attribute__((target("sha,sse4.1,ssse3"))) void take_fast(std::uint32_t* state,
                                                           const unsigned char* bytes,
                                                           std::size_t blocks) {
#if defined(__AVX__)
  _mm256_zeroupper();
#endif
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  const __m128i dcba = _mm_loadu_si128(reinterpret_cast<const __m128i*>(state));
  const __m128i hgfe = _mm_loadu_si128(reinterpret_cast<const __m128i*>(state + 4));
  const __m128i cdab = _mm_shuffle_epi32(dcba, 0xB1), ghef = _mm_shuffle_epi32(hgfe, 0xB1);
  __m128i abef = _mm_unpacklo_epi64(ghef, cdab), cdgh = _mm_unpackhi_epi64(ghef, cdab);
  for (; blocks > 0; --blocks, bytes += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w[4];  // the last 16 words of the schedule, four to a lane

    for (int i = 0; i < 4; ++i)
      w[i] = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * i)),
                              big_endian);

    for (int i = 0; i < 16; ++i) {
      __m128i& now = w[i % 4];
      if (i >= 4) {
        const __m128i& before = w[(i + 3) % 4];
        now = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(now, w[(i + 1) % 4]),
                                                 _mm_alignr_epi8(before, w[(i + 2) % 4], 4)),
                                   before);
      }
      const __m128i input = _mm_add_epi32(
          now, _mm_loadu_si128(reinterpret_cast<const __m128i*>(kRound.data() + 4 * i)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, input);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(input, 0x0E));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B), hgdc = _mm_shuffle_epi32(cdgh, 0x1B);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state), _mm_unpacklo_epi64(feba, hgdc));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state + 4), _mm_unpackhi_epi64(feba, hgdc));
}

#endif

void take_blocks(State& state, const unsigned char* bytes, std::size_t blocks) {
#if defined(__x86_64__)
  static const bool fast = has_sha_instructions();
  if (fast) return take_fast(state.data(), bytes, blocks);
#endif
  take_plain(state, bytes, blocks);
}

}  // namespace

void Sha256::update(std::span<const char> bytes) {
  if (bytes.empty()) return;  // memcpy takes no null pointer, not even for no bytes
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t left = bytes.size();
  std::size_t held = length_ % 64;
  length_ += left;
  if (held != 0) {
    const std::size_t take = std::min(left, 64 - held);
    std::memcpy(pending_.data() + held, data, take);
    data += take, left -= take;
    if (held + take < 64) return;
    take_blocks(state_, pending_.data(), 1);
  }
  take_blocks(state_, data, left / 64);
  data += left - left % 64, left %= 64;
  if (left != 0) std::memcpy(pending_.data(), data, left);
}

Sha256& Sha256::field(std::string_view text) {
  const std::string head = std::to_string(text.size()) + ":";
  update(head);
  update(std::span<const char>(text.data(), text.size()));
  return *this;
}

std::string Sha256::hex() {
  const std::uint64_t bits = length_ * 8;
  std::vector<char> tail(1, static_cast<char>(0x80));
  while ((length_ + tail.size()) % 64 != 56) tail.push_back(0);
  for (int shift = 56; shift >= 0; shift -= 8) tail.push_back(static_cast<char>(bits >> shift));
  update(tail);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const std::uint32_t word : state_)
    for (int shift = 28; shift >= 0; shift -= 4) out += kDigits[word >> shift & 15];
  return out;
}

}  // namespace conoscope::numerics
