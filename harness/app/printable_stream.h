// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace conoscope::app {

/// What the commands print holds words of plugins, data files and other people's stores. While this
/// lives, all that is written to the stream is made harmless to a terminal first: control characters
/// (C0, C1) but line ends and tabs are shown as \x1b, and what is not UTF-8 as U+FFFD.
class PrintableStream : private std::streambuf {
 public:
  /// styled  lets the codes of bold and of plain text pass: the stream is a terminal
  explicit PrintableStream(std::ostream& stream, bool styled = false);
  ~PrintableStream() override;
  PrintableStream(const PrintableStream&) = delete;
  PrintableStream& operator=(const PrintableStream&) = delete;

  /// Writes what is pending, and brings all to where it goes.
  /// returns  0; else the errno of the first write that failed: something that was printed is lost
  int finish();

 private:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize length) override;
  int sync() override;

  /// Writes what is pending, except for the beginning of a character whose end may follow.
  bool pass_on(bool to_the_end);
  /// Notes a write that failed, and returns whether it did not.
  bool noted(bool written);

  std::ostream& stream_;
  std::streambuf* const target_;
  const bool styled_;
  std::string pending_;
  int error_ = 0;  ///< of the first write that failed
};

}  // namespace conoscope::app
