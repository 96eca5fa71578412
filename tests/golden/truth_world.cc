// The kinds of the folder `truth`: a world whose features are known.

#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

void register_truth_world(Kinds& /*kinds*/) {
}

}  // namespace conoscope::tests::golden
