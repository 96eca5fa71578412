// SPDX-License-Identifier: Apache-2.0
#include "results/formats/merged_notes.h"

#include <charconv>
#include <map>
#include <set>
#include <sstream>

#include "results/formats/human_text.h"

namespace conoscope::results {

namespace {

/// The text between its numbers, and the numbers.
struct Pattern {
  std::vector<std::string> between = {""}, numbers = {};
};

Pattern pattern_of(const std::string& text) {
  Pattern out;
  const auto digit = [&](std::size_t i) {
    return i < text.size() && text[i] >= '0' && text[i] <= '9';
  };
  for (std::size_t i = 0; i < text.size();) {
    if (!digit(i)) {
      out.between.back() += text[i++];
      continue;
    }
    std::string number;
    while (digit(i) || (text[i] == '.' && digit(i + 1))) number += text[i++];
    out.numbers.push_back(number);
    out.between.emplace_back();
  }
  return out;
}

}  // namespace

MergedNotes::MergedNotes(const std::vector<std::string>& texts) {
  std::map<std::vector<std::string>, std::size_t> known;
  for (const auto& text : texts) {
    const Pattern pattern = pattern_of(text);
    const auto [at, is_new] = known.emplace(pattern.between, notes_.size());
    if (is_new) notes_.push_back({pattern.between, {}});
    Note& of = notes_[at->second];
    of.ranges.resize(pattern.numbers.size());
    for (std::size_t i = 0; i < pattern.numbers.size(); ++i) of.ranges[i].add(pattern.numbers[i]);
    number_of_.push_back(at->second + 1);
  }
}

std::vector<std::string> MergedNotes::texts() const {
  std::vector<std::string> out;
  for (const Note& of : notes_) {
    std::string text = of.between[0];
    for (std::size_t i = 0; i < of.ranges.size(); ++i)
      text += of.ranges[i].text() + of.between[i + 1];
    out.push_back(text);
  }
  return out;
}

std::string MergedNotes::marks(const std::string& of_texts) const {
  std::set<std::size_t> merged;
  std::istringstream numbers(of_texts);
  for (std::string one; std::getline(numbers, one, ',');)
    merged.insert(number_of_.at(std::stoul(one) - 1));
  std::string out;
  for (const std::size_t one : merged) out += (out.empty() ? "" : ",") + std::to_string(one);
  return raised(out);
}

void MergedNotes::Range::add(const std::string& number) {
  const auto value = [](const std::string& text) {
    double out = 0.0;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
  };
  if (low.empty() || value(number) < value(low)) low = number;
  if (high.empty() || value(number) > value(high)) high = number;
}

}  // namespace conoscope::results
