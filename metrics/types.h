#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

namespace conoscope::metrics {

using Index = Eigen::Index;

/// Row-major, like every file and every array that crosses the plugin border: a Ref of the other
/// order would copy silently.
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixF = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;
using IndexVector = std::vector<Index>;

/// A read-only view of a row-major matrix; rows may be further apart than their length.
using MatrixRef = Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>;
using MatrixFRef = Eigen::Ref<const MatrixF, 0, Eigen::OuterStride<>>;
using VectorRef = Eigen::Ref<const Vector>;

/// One number of one metric, or why there is none: never NaN, never a 0 that stands for "unknown".
struct Score {
  std::string name;           ///< the catalogue's name, as surf_mae
  double value = 0.0;         ///< meaningful only where reason is empty
  std::string reason;         ///< empty, or: undefined, not_applicable, nan, posinf, neginf, error
  std::string message;        ///< what was undefined, in words; may be empty
  std::vector<double> parts;  ///< per-sample, per-concept or per-pair values; may be empty
};

}  // namespace conoscope::metrics
