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
  explicit PrintableStream(std::ostream& stream);
  ~PrintableStream() override;
  PrintableStream(const PrintableStream&) = delete;
  PrintableStream& operator=(const PrintableStream&) = delete;

 private:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize length) override;
  int sync() override;

  /// Writes what is pending, but for the beginning of a character whose end may follow.
  bool pass_on(bool to_the_end);

  std::ostream& stream_;
  std::streambuf* const target_;
  std::string pending_;
};

}  // namespace conoscope::app
