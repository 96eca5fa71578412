// SPDX-License-Identifier: Apache-2.0
#include "datasets/formats/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

namespace conoscope::formats {

bool is_gzip(std::span<const char> bytes) {
  return bytes.size() > 1 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

std::string gunzip(std::span<const char> bytes, const std::string& origin) {
  z_stream stream{};
  constexpr int kGzipOnly = 16;
  if (inflateInit2(&stream, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> closer(&stream, inflateEnd);

  std::string out;
  std::vector<char> buffer(std::size_t{1} << 16);
  std::span<const char> rest = bytes;
  int code = Z_OK;
  do {
    // avail_in is 32 bits wide.
    const auto chunk = std::min<std::size_t>(rest.size(), std::size_t{1} << 30);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
    stream.avail_in = static_cast<uInt>(chunk);
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    code = inflate(&stream, Z_NO_FLUSH);
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    out.append(buffer.data(), buffer.size() - stream.avail_out);
    rest = rest.subspan(chunk - stream.avail_in);
    if (code == Z_BUF_ERROR && rest.empty())
      throw std::invalid_argument(origin + ": the gzip data are cut short after " +
                                  std::to_string(bytes.size()) + " bytes");
    if (code != Z_OK && code != Z_STREAM_END)
      throw std::invalid_argument(origin + ": the gzip data are damaged" +
                                  (stream.msg != nullptr ? std::string(": ") + stream.msg : ""));
    if (code == Z_STREAM_END && !rest.empty()) {
      inflateReset(&stream);
      code = Z_OK;
    }
  } while (code != Z_STREAM_END);
  return out;
}

}  // namespace conoscope::formats
