// SPDX-License-Identifier: Apache-2.0
// The kinds of the family `leakage` that are estimates of information, and CTL and ICL.

#include <cmath>
#include <stdexcept>

#include "metrics/information/concept_information.h"
#include "metrics/information/mi_discrete.h"
#include "metrics/information/mi_ksg.h"
#include "metrics/information/mi_noise.h"
#include "metrics/information/mi_ross.h"
#include "metrics/leakage/ctl_icl.h"
#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

namespace {

using namespace conoscope::metrics;

// A vector is one column.
Matrix samples(const Npy& array) {
  return array.matrix(array.shape.front(), array.size() / array.shape.front());
}

// The reference's draws, in the order in which it drew them; more or fewer than it took: wrong.
class Recorded {
 public:
  explicit Recorded(std::vector<double> values) : values_(std::move(values)) {}
  Draws draws() {
    return [this] { return values_.at(next_++); };
  }
  void require_used_up() const {
    if (next_ != values_.size())
      throw std::runtime_error(std::to_string(next_) + " of " + std::to_string(values_.size()) +
                               " recorded draws used");
  }

 private:
  std::vector<double> values_;
  size_t next_ = 0;
};

Outputs refused() {
  Outputs out;
  out.scalars = {{"mi", "error"}};
  return out;
}

KsgOptions options_of(const Case& one) { return {.neighbours = one.params().at("n_neighbors")}; }

Outputs ksg_case(const Case& one) {
  const Matrix x = samples(one.input("x")), y = samples(one.input("y"));
  const KsgOptions options = options_of(one);
  Outputs out;
  if (one.has_input("g1")) {
    Recorded g1(one.input("g1").values), g2(one.input("g2").values);
    Recorded again1(one.input("g1").values), again2(one.input("g2").values);
    out.scalars = {
        {"mi_xy", mi_ksg(with_noise(x, g1.draws()), with_noise(y, g2.draws()), options).value},
        {"mi_xx",
         mi_ksg(with_noise(x, again1.draws()), with_noise(x, again2.draws()), options).value}};
    g1.require_used_up();
    g2.require_used_up();
    return out;
  }
  try {
    const MiEstimate found = mi_ksg(x, y, options);
    out.scalars = {{"mi", found.value}, {"unclipped", found.raw}};
  } catch (const std::invalid_argument&) {
    return refused();
  }
  return out;
}

Outputs ross_case(const Case& one) {
  Matrix c = samples(one.input("c"));
  if (one.has_input("g1")) {
    Recorded g1(one.input("g1").values);
    c = with_noise(c, g1.draws());
    g1.require_used_up();
  }
  try {
    const MiEstimate found = mi_ross(c, one.input("d").indices(), options_of(one));
    Outputs out;
    out.scalars = {{"mi", found.value}, {"unclipped", found.raw}};
    return out;
  } catch (const std::domain_error&) {
    return refused();
  }
}

Outputs discrete_case(const Case& one) {
  const IndexVector a = one.input("a").indices(), b = one.input("b").indices();
  Outputs out;
  out.scalars = {{"mi", mi_discrete(a, b)},
                 {"entropy_a", entropy_discrete(a)},
                 {"entropy_b", entropy_discrete(b)}};
  return out;
}

bool is_constant(const Matrix& c, Index j) { return c.col(j).minCoeff() == c.col(j).maxCoeff(); }

bool has_constant_column(const Matrix& c) {
  for (Index j = 0; j < c.cols(); ++j)
    if (is_constant(c, j)) return true;
  return false;
}

// A constant concept tells nothing: exactly 0 here. The reference prints its rounding error over
// 1e-10, so there ours is compared with 0, and all other pairs as ever.
void require_rest(const Case& one, const std::string& name, const Matrix& c,
                  const std::vector<double>& found, Outputs& out) {
  const std::vector<double> expected = one.array(name).values;
  size_t at = 0;
  for (Index i = 0; i < c.cols(); ++i)
    for (Index j = i + 1; j < c.cols(); ++j, ++at) {
      const bool constant = is_constant(c, i) || is_constant(c, j);
      const double wanted = constant ? 0.0 : expected.at(at);
      const double off = std::abs(found.at(at) - wanted);
      if (off > (constant ? 0.0 : 1e-11 + 1e-9 * std::abs(wanted)))
        throw std::runtime_error(name + " entry " + std::to_string(at) + " is " +
                                 std::to_string(found.at(at)));
    }
  out.not_compared[name] =
      "pairs of the constant concept, compared with 0: the reference divides its rounding error by "
      "1e-10";
}

Outputs interconcept_case(const Case& one) {
  ConceptInformationOptions options{.neighbours = one.params().at("n_neighbors"), .noise = {}};
  if (one.params().value("eps", 1e-10) != 1e-10) throw std::runtime_error("another eps");
  Recorded recorded(one.has_input("draws") ? one.input("draws").values : std::vector<double>());
  if (one.has_input("draws")) options.noise = recorded.draws();
  const Npy input = one.input("c");
  const Matrix c = samples(input);
  const Index width = input.shape.size() == 3 ? input.shape[2] : 1;
  const InterconceptInformation found = mi_interconcept(c, options, width);
  recorded.require_used_up();
  Outputs out;
  if (width == 1 && has_constant_column(c))
    require_rest(one, "normalised", c, found.normalised, out);
  out.arrays = {{"raw", found.pair}, {"self", found.self}, {"normalised", found.normalised}};
  return out;
}

// A hard model's concepts are its probabilities above one half.
Matrix represented(const Case& one) {
  const Matrix c = one.input("c_hat").matrix();
  const std::string representation = one.params().at("representation");
  if (representation == "hard") return (c.array() > 0.5).cast<double>();
  if (representation != "soft" && representation != "logit")
    throw std::runtime_error("representation " + representation);
  return c;
}

Outputs leakage_case(const Case& one) {
  const Matrix predicted = represented(one), truth = one.input("c").matrix();
  const IndexVector labels = one.input("y").indices();
  ConceptInformationOptions between{.neighbours = one.params().at("n_neighbors"), .noise = {}};
  ConceptInformationOptions task = between;
  const bool noise = one.has_input("draws_interconcept");
  Recorded of_between(noise ? one.input("draws_interconcept").values : std::vector<double>());
  Recorded of_task(noise ? one.input("draws_concepts_task").values : std::vector<double>());
  if (noise) {
    between.noise = of_between.draws();
    task.noise = of_task.draws();
  }
  Outputs out;
  const Icl i = icl(predicted, truth, between);
  out.arrays = {{"ICL", {i.value}},
                {"ICL_i", i.concepts},
                {"ICL_ij", i.pairs},
                {"ic_nmi_pred", i.predicted.normalised},
                {"ic_nmi_true", i.truth.normalised}};
  if (!is_whole_valued(predicted) && has_constant_column(predicted))
    require_rest(one, "ic_nmi_pred", predicted, i.predicted.normalised, out);
  try {
    const Ctl c = ctl(predicted, truth, labels, task);
    out.arrays.insert({{"CTL", {c.value}},
                       {"CTL_i", c.concepts},
                       {"ct_nmi_pred", c.predicted.normalised},
                       {"ct_nmi_true", c.truth.normalised}});
  } catch (const std::domain_error&) {  // NaN in the reference
    out.scalars = {{"CTL", "nan"}};
  }
  of_between.require_used_up();
  of_task.require_used_up();
  return out;
}

Outputs leakage_with_noise_case(const Case& one) {
  const Matrix predicted = represented(one), truth = one.input("c").matrix();
  const IndexVector labels = one.input("y").indices();
  constexpr int kRuns = 20;
  double ctl_sum = 0.0, icl_sum = 0.0;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    const ConceptInformationOptions options{.neighbours = one.params().at("n_neighbors"),
                                            .noise = normal_draws(7, run)};
    ctl_sum += ctl(predicted, truth, labels, options).value;
    icl_sum += icl(predicted, truth, options).value;
  }
  Outputs out;
  out.scalars = {{"CTL", ctl_sum / kRuns}, {"ICL", icl_sum / kRuns}};
  return out;
}

}  // namespace

void register_leakage_information(Kinds& kinds) {
  kinds.add("mi_cc", ksg_case);
  kinds.add("mi_cd", ross_case);
  kinds.add("mi_dd", discrete_case);
  kinds.add("mi_interconcept", interconcept_case);
  kinds.add("leakage_scores", leakage_case);
  kinds.add("leakage_scores_stochastic", leakage_with_noise_case);
}

}  // namespace conoscope::tests::golden
