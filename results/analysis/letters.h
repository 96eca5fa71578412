// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace conoscope::results {

inline constexpr std::size_t kMostLetters = 100;

/// Which of several methods cannot be told apart? Two share a letter exactly if no difference was
/// found between them.
///
/// count      methods, in the order in which letters are given: the first one has "a"
/// different  of i < j: a difference was found
/// returns    for each method its letters in alphabetical order with spaces between, at least one;
///            behind z comes aa. Empty: it would take more than kMostLetters of them, which may double
///            with every two methods and say nothing to anybody
///
/// Source: the insert-and-absorb algorithm of Piepho, An Algorithm for a Letter-Based Representation
/// of All-Pairwise Comparisons, Journal of Computational and Graphical Statistics 13, 2004.
std::vector<std::string> shared_letters(
    std::size_t count, const std::function<bool(std::size_t, std::size_t)>& different);

}  // namespace conoscope::results
