// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "conoscope/sdk/abi.h"

namespace conoscope::core {

using Fields = std::vector<std::string>;

/// The number that a field is, wholly.
/// throws  std::invalid_argument: it is none
std::int64_t whole_number(const std::string& field);
double real_number(const std::string& field);
/// The extents of an array, from a field on.
/// throws  std::invalid_argument: they are none, or more than any memory holds
std::vector<std::int64_t> extents_in(const Fields& message, std::size_t from);

/// The other side says nothing more.
class WireClosed : public std::runtime_error {
 public:
  WireClosed() : std::runtime_error("the other side has closed") {}
};

/// One side of a plugin's wire: the messages of docs/process-plugins.md, a line each, and behind a line
/// that says so numbers as they lie in memory.
class Wire {
 public:
  /// in, out  stay the caller's
  /// gone     looked at while nothing comes: nobody is there to say anything any more
  Wire(int in, int out, std::function<bool()> gone = {});

  /// What is sent leaves with the next receive() or flush(), or as soon as it is much.
  /// throws  WireClosed
  void send(std::string_view lines);
  void flush();
  /// throws  WireClosed; std::invalid_argument: a message without an end
  Fields receive();
  /// The bytes behind the last message.
  /// throws  WireClosed
  void take(void* to, std::size_t size);

  /// An array of doubles that lie together: the word, the name and the extents, and behind them these.
  void send_array(std::string_view word, std::string_view name, const cono_tensor& tensor);

 private:
  /// Some bytes, at most so many. throws WireClosed
  std::size_t read_some(char* to, std::size_t most);

  int in_, out_;
  std::function<bool()> gone_;
  bool waits_ = false;  ///< a read comes back by itself when nothing has come for a while
  std::string unsent_, pending_;
  std::size_t begin_ = 0;  ///< of what was not handed out yet
};

}  // namespace conoscope::core
