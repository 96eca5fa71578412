// The kinds of the folder `truth`: how small a difference a metric can tell.

#include <stdexcept>

#include "numerics/statistics/correlation.h"
#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

namespace {

Outputs spearman_case(const Case& one) {
  Outputs out;
  const metrics::Vector a = one.input("a").vector(), b = one.input("b").vector();
  try {
    out.scalars = {{"rho", numerics::spearman(a, b).r}};
  } catch (const std::domain_error&) {
    out.scalars = {{"rho", nullptr}};
  }
  return out;
}

}  // namespace

void register_truth_audit(Kinds& kinds) {
  kinds.add("spearman", spearman_case);
}

}  // namespace conoscope::tests::golden
