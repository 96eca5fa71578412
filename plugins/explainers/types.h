// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numerics/row_source.h"
#include "numerics/types.h"

namespace conoscope::methods {

using numerics::Index;
using numerics::Matrix;
using numerics::MatrixF;
using numerics::MatrixRef;
using numerics::MatrixRefF;
using numerics::RowMajor;
using numerics::RowMajorRef;
using numerics::RowSource;
using numerics::Vector;
using numerics::VectorRef;

}  // namespace conoscope::methods
