// The kinds of the folder `truth`: measures against a known truth.

#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

void register_truth_metrics(Kinds& /*kinds*/) {
}

}  // namespace conoscope::tests::golden
