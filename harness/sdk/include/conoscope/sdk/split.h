// SPDX-License-Identifier: Apache-2.0
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

namespace detail {

struct ClassPart {
  std::int64_t label;
  std::size_t test;  ///< how many of its samples go to the test part
};

/// throws  std::invalid_argument: a part is empty
inline Split draw_split(std::map<std::int64_t, std::vector<std::int64_t>> members,
                        std::span<const ClassPart> classes, Seed seed, const std::string& who) {
  Split split;
  for (const ClassPart& part : classes) {
    auto& rows = members[part.label];
    Random random(seed.child("split").child(static_cast<std::uint64_t>(part.label)));
    random.shuffle(rows);
    const auto end = rows.begin() + static_cast<std::ptrdiff_t>(part.test);
    split.test.insert(split.test.end(), rows.begin(), end);
    split.train.insert(split.train.end(), end, rows.end());
  }
  if (split.train.empty() || split.test.empty())
    throw std::invalid_argument(who + ": " +
                                std::to_string(split.train.size() + split.test.size()) +
                                " samples leave an empty part");
  std::sort(split.train.begin(), split.train.end());
  std::sort(split.test.begin(), split.test.end());
  return split;
}

/// The rows of each class, ascending.
inline std::map<std::int64_t, std::vector<std::int64_t>> class_members(
    std::span<const std::int64_t> labels) {
  std::map<std::int64_t, std::vector<std::int64_t>> members;
  for (std::size_t i = 0; i < labels.size(); ++i)
    members[labels[i]].push_back(static_cast<std::int64_t>(i));
  return members;
}

}  // namespace detail

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
  const auto members = detail::class_members(labels);
  struct Class : detail::ClassPart {
    double remainder;
  };
  std::vector<Class> classes;
  std::size_t total = 0;
  for (const auto& [label, rows] : members) {
    const double exact = test_share * static_cast<double>(rows.size());
    const auto whole = static_cast<std::size_t>(std::floor(exact));
    classes.push_back({{label, whole}, exact - std::floor(exact)});
    total += whole;
  }
  std::stable_sort(classes.begin(), classes.end(),
                   [](const Class& a, const Class& b) { return a.remainder > b.remainder; });
  const auto wanted =
      static_cast<std::size_t>(std::llround(test_share * static_cast<double>(labels.size())));
  for (std::size_t i = 0; total < wanted && i < classes.size(); ++i, ++total) ++classes[i].test;

  const std::vector<detail::ClassPart> parts(classes.begin(), classes.end());
  return detail::draw_split(members, parts, seed, "stratified_split");
}

/// A split whose test part has as many samples of every class, whatever their shares.
///
/// labels     class of each sample, any integers
/// per_class  >= 1
/// throws     std::invalid_argument: per_class < 1, a class that has no more samples than that, or no
///            sample
inline Split balanced_split(std::span<const std::int64_t> labels, std::int64_t per_class,
                            Seed seed) {
  const auto members = detail::class_members(labels);
  std::vector<detail::ClassPart> parts;
  for (const auto& [label, rows] : members) {
    if (per_class < 1 || static_cast<std::int64_t>(rows.size()) <= per_class)
      throw std::invalid_argument("balanced_split: class " + std::to_string(label) + " has " +
                                  std::to_string(rows.size()) + " samples, too few to test on " +
                                  std::to_string(per_class) + " and train on the others");
    parts.push_back({label, static_cast<std::size_t>(per_class)});
  }
  return detail::draw_split(members, parts, seed, "balanced_split");
}

}  // namespace conoscope::sdk
