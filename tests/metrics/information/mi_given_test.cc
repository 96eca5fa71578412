// SPDX-License-Identifier: Apache-2.0
#include "metrics/information/mi_given.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "metrics/information/mi_discrete.h"
#include "metrics/information/mi_noise.h"
#include "metrics/information/mi_ross.h"
#include "numerics/digamma.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

struct Sample {
  Matrix x;
  IndexVector labels, given;
};

/// x follows the label by an amount that depends on the stratum; some labels occur once in theirs.
Sample make_sample(Index n, Index d) {
  const Draws draw = normal_draws(5);
  Sample out{Matrix(n, d), {}, {}};
  for (Index i = 0; i < n; ++i) {
    out.given.push_back(i % 5 == 0 ? 7 : i % 2);
    out.labels.push_back(i < 3 ? 40 + i : static_cast<Index>(draw() > 0.3));
    for (Index c = 0; c < d; ++c)
      out.x(i, c) = draw() + static_cast<double>(out.given.back() * (out.labels.back() % 2));
  }
  return out;
}

/// The definition again, with every distance compared.
double by_definition(const Sample& s, Index k) {
  double sum = 0.0;
  Index counted = 0;
  for (const Index v : std::set<Index>(s.given.begin(), s.given.end())) {
    std::map<Index, Index> of_label;
    for (size_t i = 0; i < s.labels.size(); ++i)
      if (s.given[i] == v) ++of_label[s.labels[i]];
    IndexVector rows;
    for (size_t i = 0; i < s.labels.size(); ++i)
      if (s.given[i] == v && of_label[s.labels[i]] > 1) rows.push_back(static_cast<Index>(i));
    const auto n = static_cast<Index>(rows.size());
    if (n == 0) continue;
    const std::vector<double> psi = numerics::digamma_table(n);
    counted += n;
    for (const Index i : rows) {
      std::vector<double> same, all;
      for (const Index j : rows) {
        const double distance = (s.x.row(i) - s.x.row(j)).norm();
        all.push_back(distance);
        if (j != i && s.labels[static_cast<size_t>(j)] == s.labels[static_cast<size_t>(i)])
          same.push_back(distance);
      }
      std::sort(same.begin(), same.end());
      const Index neighbours = std::min(k, static_cast<Index>(same.size()));
      const double radius = same[static_cast<size_t>(neighbours - 1)];
      const auto within =
          std::count_if(all.begin(), all.end(), [&](double r) { return r < radius; });
      sum += psi[static_cast<size_t>(n - 1)] + psi[static_cast<size_t>(neighbours - 1)] -
             psi[same.size()] - psi[static_cast<size_t>(within - 1)];
    }
  }
  return sum / static_cast<double>(counted);
}

TEST_CASE(
    "mi_discrete_given: by hand; of two independent bits each tells the other, their sum given") {
  const IndexVector a{0, 0, 1, 1}, b{0, 1, 0, 1}, parity{0, 1, 1, 0}, nothing{3, 3, 3, 3};
  CHECK(mi_discrete_given(a, b, nothing).value == 0.0);
  CHECK(mi_discrete_given(a, b, parity).value == doctest::Approx(std::log(2.0)));
  CHECK(mi_discrete_given(a, a, nothing).value == mi_discrete(a, a));
  CHECK(mi_discrete_given(a, a, a).value == 0.0);
}

TEST_CASE("mi_ross_given: the definition, in one dimension and in several") {
  for (const Index d : {1, 3}) {
    const Sample s = make_sample(240, d);
    const ConditionalMi found = mi_ross_given(s.x, s.labels, s.given);
    CHECK(found.raw == doctest::Approx(by_definition(s, 3)).epsilon(1e-12));
    CHECK(found.raw > 0.1);
    CHECK(found.left_out == 3);
  }
}

TEST_CASE("mi_ross_given: sorted values, order, units and names make no difference") {
  const Sample s = make_sample(200, 1);
  const Vector column = s.x.col(0);
  const ConditionalMi found = mi_ross_given(SortedValues(column), s.labels, s.given);
  CHECK(found.raw == doctest::Approx(mi_ross_given(s.x, s.labels, s.given).raw).epsilon(1e-14));
  Sample turned{-1024.0 * s.x.colwise().reverse(), s.labels, s.given};
  std::reverse(turned.labels.begin(), turned.labels.end());
  std::reverse(turned.given.begin(), turned.given.end());
  for (Index& v : turned.given) v = 100 - v;
  CHECK(mi_ross_given(turned.x, turned.labels, turned.given).raw ==
        doctest::Approx(found.raw).epsilon(1e-12));
  CHECK(mi_ross_given(s.x, s.labels, IndexVector(200, 4)).raw ==
        doctest::Approx(mi_ross(s.x, s.labels).raw).epsilon(1e-14));
  CHECK(mi_ross_given(s.x, s.labels, s.labels).value == 0.0);  // every stratum has one label
}

TEST_CASE("mi_given: what is refused, and what does not exist") {
  const IndexVector three{0, 1, 0}, two{0, 1};
  const Matrix x = Matrix::Random(3, 1);
  CHECK_THROWS_SAYING(mi_discrete_given(three, two, three), std::invalid_argument, "3 samples",
                      "2 labels");
  CHECK_THROWS_SAYING(mi_ross_given(x, three, two), std::invalid_argument, "2 entries of given");
  CHECK_THROWS_SAYING(mi_ross_given(x, three, IndexVector(3, 4), {.neighbours = 0}),
                      std::invalid_argument, "neighbours is 0");
  CHECK_THROWS_SAYING(mi_ross_given(x, IndexVector{0, 1, 2}, three), std::domain_error,
                      "no sample has another one");
}

}  // namespace

}  // namespace conoscope::tests
