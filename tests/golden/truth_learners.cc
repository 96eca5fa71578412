// The kinds of the folder `truth`: sparse autoencoders and their twins.

#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

void register_truth_learners(Kinds& /*kinds*/) {
}

}  // namespace conoscope::tests::golden
