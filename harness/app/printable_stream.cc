// SPDX-License-Identifier: Apache-2.0
#include "harness/app/printable_stream.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string_view>

#include "results/formats/utf8.h"

namespace conoscope::app {

namespace {

/// What a terminal may be told, which changes no more than how text looks: bold, and plain again.
constexpr std::string_view kStyles[] = {"\x1b[1m", "\x1b[0m"};

/// May more bytes make another character of it? Of a carriage return as well: one before a line end
/// is an end of line, as CSV has it, and any other one hides what stands before it.
bool is_begun(std::string_view text, bool styled) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first == '\r') return text.size() == 1;
  for (const std::string_view style : kStyles)
    if (styled && text.size() < style.size() && style.starts_with(text)) return true;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
  if (text.size() >= length) return false;
  for (const char c : text.substr(1))
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) return false;
  return true;
}

}  // namespace

PrintableStream::PrintableStream(std::ostream& stream, bool styled)
    : stream_(stream), target_(stream.rdbuf(this)), styled_(styled) {}

PrintableStream::~PrintableStream() {
  finish();
  stream_.rdbuf(target_);
}

int PrintableStream::finish() {
  pass_on(true);
  sync();
  return error_;
}

bool PrintableStream::noted(bool written) {
  if (!written && error_ == 0) error_ = errno == 0 ? EIO : errno;
  return written;
}

bool PrintableStream::pass_on(bool to_the_end) {
  std::string out;
  std::string_view rest = pending_;
  while (!rest.empty() && (to_the_end || !is_begun(rest, styled_))) {
    if (rest.starts_with("\r\n")) {
      out += "\r\n";
      rest.remove_prefix(2);
      continue;
    }
    const auto style = std::ranges::find_if(
        kStyles, [rest](std::string_view one) { return rest.starts_with(one); });
    if (styled_ && style != std::end(kStyles)) {
      out += *style;
      rest.remove_prefix(style->size());
      continue;
    }
    const char32_t c = results::take_character(rest);
    if (c == '\n' || c == '\t' || !results::is_control(c))
      results::append_character(out, c);
    else
      out += results::escaped(c);
  }
  pending_.erase(0, pending_.size() - rest.size());
  const auto length = static_cast<std::streamsize>(out.size());
  return noted(target_->sputn(out.data(), length) == length);
}

PrintableStream::int_type PrintableStream::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char one = traits_type::to_char_type(c);
  return xsputn(&one, 1) == 1 ? c : traits_type::eof();
}

std::streamsize PrintableStream::xsputn(const char* text, std::streamsize length) {
  pending_.append(text, static_cast<std::size_t>(length));
  return pass_on(false) ? length : 0;
}

int PrintableStream::sync() { return noted(target_->pubsync() == 0) ? 0 : -1; }

}  // namespace conoscope::app
