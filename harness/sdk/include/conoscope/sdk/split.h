#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "conoscope/sdk/random.h"

namespace conoscope::sdk {

struct Split {
  std::vector<std::int64_t> train, test;  ///< row numbers, ascending
};

/// A split that keeps the share of every class, as nearly as whole samples allow: each class gives
/// floor(test_share * size) samples to the test part, and the remaining ones that make the total
/// round(test_share * n) come from the classes with the largest remainders (lowest class on ties).
///
/// labels      class of each sample, any integers
/// test_share  in (0, 1)
/// throws      std::invalid_argument: test_share outside (0, 1), or a part would be empty
inline Split stratified_split(std::span<const std::int64_t> labels, double test_share, Seed seed) {
  if (!(test_share > 0.0 && test_share < 1.0))
    throw std::invalid_argument("stratified_split: test_share is " + std::to_string(test_share) +
                                ", expected a number between 0 and 1");
  std::map<std::int64_t, std::vector<std::int64_t>> members;
  for (std::size_t i = 0; i < labels.size(); ++i)
    members[labels[i]].push_back(static_cast<std::int64_t>(i));

  struct Class {
    std::int64_t label;
    std::size_t test;
    double remainder;
  };
  std::vector<Class> classes;
  std::size_t total = 0;
  for (const auto& [label, rows] : members) {
    const double exact = test_share * static_cast<double>(rows.size());
    const auto whole = static_cast<std::size_t>(std::floor(exact));
    classes.push_back({label, whole, exact - std::floor(exact)});
    total += whole;
  }
  std::stable_sort(classes.begin(), classes.end(),
                   [](const Class& a, const Class& b) { return a.remainder > b.remainder; });
  const auto wanted =
      static_cast<std::size_t>(std::llround(test_share * static_cast<double>(labels.size())));
  for (std::size_t i = 0; total < wanted && i < classes.size(); ++i, ++total) ++classes[i].test;

  Split split;
  for (const Class& part : classes) {
    auto rows = members[part.label];
    Random random(seed.child("split").child(static_cast<std::uint64_t>(part.label)));
    random.shuffle(rows);
    split.test.insert(split.test.end(), rows.begin(),
                      rows.begin() + static_cast<std::ptrdiff_t>(part.test));
    split.train.insert(split.train.end(), rows.begin() + static_cast<std::ptrdiff_t>(part.test),
                       rows.end());
  }
  if (split.train.empty() || split.test.empty())
    throw std::invalid_argument("stratified_split: " + std::to_string(labels.size()) +
                                " samples leave an empty part");
  std::sort(split.train.begin(), split.train.end());
  std::sort(split.test.begin(), split.test.end());
  return split;
}

}  // namespace conoscope::sdk
