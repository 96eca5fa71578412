// SPDX-License-Identifier: Apache-2.0
#include "harness/core/border/wire.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "conoscope/sdk/abi.h"
#include "harness/core/artifacts/element_count.h"
#include "harness/core/processes/protocol.h"
#include "harness/core/write_all.h"

namespace conoscope::core {

namespace {

constexpr std::size_t kLongestMessage = 1 << 20, kBlock = 1 << 16;
constexpr int kLookMilliseconds = 50;

template <typename T>
T number(const std::string& field) {
  T out{};
  const char* const end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, out);
  if (field.empty() || error != std::errc() || stop != end)
    throw std::invalid_argument("\"" + field + "\", which is no number");
  return out;
}

}  // namespace

std::int64_t whole_number(const std::string& field) { return number<std::int64_t>(field); }
double real_number(const std::string& field) { return number<double>(field); }

std::vector<std::int64_t> extents_in(const Fields& message, std::size_t from) {
  std::vector<std::int64_t> out;
  for (std::size_t i = from; i < message.size(); ++i) out.push_back(whole_number(message[i]));
  if (out.empty() || out.size() > CONO_MAX_DIMENSIONS || !element_count(out))
    throw std::invalid_argument("an array without a size");
  return out;
}

Wire::Wire(int in, int out, std::function<bool()> gone)
    : in_(in), out_(out), gone_(std::move(gone)) {
  const timeval look{0, kLookMilliseconds * 1000};
  waits_ = gone_ && ::setsockopt(in_, SOL_SOCKET, SO_RCVTIMEO, &look, sizeof(look)) == 0;
}

void Wire::send(std::string_view lines) {
  unsent_ += lines;
  if (unsent_.size() > kBlock) flush();
}

void Wire::flush() {
  if (!write_all(out_, unsent_.data(), unsent_.size())) throw WireClosed();
  unsent_.clear();
}

std::size_t Wire::read_some(char* to, std::size_t most) {
  const auto anything = [this](int milliseconds) {
    pollfd ready{in_, POLLIN, 0};
    return ::poll(&ready, 1, milliseconds) != 0;
  };
  while (true) {
    // What ended may have left its end open with a process that it has started.
    if (!waits_ && gone_ && !anything(kLookMilliseconds)) {
      if (gone_() && !anything(0)) throw WireClosed();
      continue;
    }
    const ssize_t n = ::read(in_, to, most);
    if (n > 0) return static_cast<std::size_t>(n);
    if (n == 0 || (errno != EINTR && errno != EAGAIN)) throw WireClosed();
    if (errno == EAGAIN && gone_ && gone_() && !anything(0)) throw WireClosed();
  }
}

Fields Wire::receive() {
  flush();
  for (std::size_t searched = begin_;;) {
    if (const std::size_t end = pending_.find('\n', searched); end != pending_.npos) {
      auto out = split_line(std::string_view(pending_).substr(begin_, end - begin_));
      begin_ = end + 1;
      return out;
    }
    searched = pending_.size() - begin_;
    if (searched > kLongestMessage) throw std::invalid_argument("a message without an end");
    pending_.erase(0, std::exchange(begin_, 0));
    char block[kBlock];
    pending_.append(block, read_some(block, sizeof(block)));
  }
}

void Wire::take(void* to, std::size_t size) {
  auto* at = static_cast<char*>(to);
  const std::size_t here = std::min(size, pending_.size() - begin_);
  at = std::copy_n(pending_.data() + begin_, here, at);
  begin_ += here;
  for (size -= here; size > 0;) {
    const std::size_t n = read_some(at, size);
    at += n, size -= n;
  }
}

void Wire::send_array(std::string_view word, std::string_view name, const cono_tensor& tensor) {
  Fields fields{std::string(word), std::string(name)};
  std::size_t count = 1;
  for (int axis = 0; axis < tensor.ndim; ++axis) {
    fields.push_back(std::to_string(tensor.shape[axis]));
    count *= static_cast<std::size_t>(tensor.shape[axis]);
  }
  send(make_line(fields));
  const std::string_view bytes(static_cast<const char*>(tensor.data), count * sizeof(double));
  if (bytes.size() <= kBlock) return send(bytes);
  flush();
  if (!write_all(out_, bytes.data(), bytes.size())) throw WireClosed();
}

}  // namespace conoscope::core
