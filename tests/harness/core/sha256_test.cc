// SPDX-License-Identifier: Apache-2.0
#include "harness/core/artifacts/sha256.h"

#include <doctest/doctest.h>

#include "tests/support/scratch.h"
#include "tests/support/throws.h"

using conoscope::core::make_key;
using conoscope::core::Sha256;
using conoscope::core::sha256_of_file;
using conoscope::testing::Scratch;

namespace {

std::string hash(const std::string& text) {
  Sha256 sha;
  sha.update(text);
  return sha.hex();
}

}  // namespace

TEST_CASE("the examples of FIPS 180-4 and of NIST's test vectors") {
  CHECK(hash("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hash("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(hash("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
             "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu") ==
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  CHECK(hash(std::string(1000000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("the same hash however the bytes are handed in, at every length around a block") {
  std::string text;
  for (int i = 0; i < 200; ++i) {
    Sha256 by_one, by_seven, at_once;
    for (const char c : text) by_one.update({&c, 1});
    for (std::size_t at = 0; at < text.size(); at += 7)
      by_seven.update(std::string_view(text).substr(at, 7));
    at_once.update({});
    at_once.update(text);
    at_once.update({});
    const std::string expected = hash(text);
    CHECK(by_one.hex() == expected);
    CHECK(by_seven.hex() == expected);
    CHECK(at_once.hex() == expected);
    text += static_cast<char>(i * 37);
  }
}

TEST_CASE("a key tells its fields apart") {
  CHECK(make_key("ab", "c") != make_key("a", "bc"));
  CHECK(make_key("a") != make_key("a", ""));
  CHECK(make_key("1:a") != make_key("a"));
  CHECK(make_key("a", "b") != make_key("b", "a"));
  // The first 32 digits of the hash of "1:a2:bc".
  CHECK(make_key("a", "bc") == hash("1:a2:bc").substr(0, 32));
}

TEST_CASE("a file's hash is that of its bytes, also beyond one buffer") {
  const Scratch scratch;
  CHECK(sha256_of_file(scratch.write("abc", "abc")) == hash("abc"));
  CHECK(sha256_of_file(scratch.write("empty", "")) == hash(""));
  const std::string large((std::size_t{1} << 20) + 17, 'x');
  CHECK(sha256_of_file(scratch.write("large", large)) == hash(large));
}

TEST_CASE("a file that cannot be read is named, with the reason") {
  const Scratch scratch;
  CHECK_THROWS_SAYING(sha256_of_file(scratch.path("none")), std::runtime_error,
                      scratch.path("none"), "No such file");
  CHECK_THROWS_SAYING(sha256_of_file(scratch.path("")), std::runtime_error, "Is a directory");
}
