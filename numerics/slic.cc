// SPDX-License-Identifier: Apache-2.0
#include "numerics/slic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace conoscope::numerics {

namespace {

struct Grid {
  Index height, width;
  Index size() const { return height * width; }
  Index at(Index y, Index x) const { return y * width + x; }
};

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("slic: " + what); }

void check(const MatrixRef& pixels, const Grid& grid, const SlicOptions& options) {
  if (grid.height < 1 || grid.width < 1 || pixels.rows() != grid.size())
    refuse("pixels has " + std::to_string(pixels.rows()) + " rows for an image of " +
           std::to_string(grid.height) + " x " + std::to_string(grid.width));
  if (pixels.cols() != 1 && pixels.cols() != 3)
    refuse("pixels has " + std::to_string(pixels.cols()) + " channels, expected 1 or 3");
  if (!(pixels.array() >= 0.0 && pixels.array() <= 1.0).all())
    refuse("pixels has an entry outside [0, 1]");
  if (options.segments < 1) refuse("segments is " + std::to_string(options.segments));
  const std::pair<const char*, double> reals[] = {{"compactness", options.compactness},
                                                  {"sigma", options.sigma},
                                                  {"min_share", options.min_share}};
  for (const auto& [name, value] : reals)
    if (!(value >= 0.0) || !std::isfinite(value))
      refuse(std::string(name) + " is " + std::to_string(value));
  if (options.iterations < 0) refuse("iterations is " + std::to_string(options.iterations));
}

/// i mirrored at the borders, the border pixel twice: c b a | a b c | c b a.
Index mirrored(Index i, Index n) {
  const Index period = 2 * n;
  i = ((i % period) + period) % period;
  return i < n ? i : period - 1 - i;
}

Matrix smoothed(const MatrixRef& pixels, const Grid& grid, double sigma) {
  if (sigma == 0.0) return pixels;
  const auto reach = static_cast<Index>(std::ceil(4.0 * sigma));
  std::vector<double> kernel;
  double sum = 0.0;
  for (Index d = -reach; d <= reach; ++d) {
    const double z = static_cast<double>(d) / sigma;
    kernel.push_back(std::exp(-0.5 * z * z));
    sum += kernel.back();
  }
  const auto pass = [&](const Matrix& from, bool down) {
    Matrix to = Matrix::Zero(from.rows(), from.cols());
    for (Index y = 0; y < grid.height; ++y)
      for (Index x = 0; x < grid.width; ++x)
        for (Index d = -reach; d <= reach; ++d)
          to.row(grid.at(y, x)) += kernel[static_cast<std::size_t>(d + reach)] / sum *
                                   from.row(down ? grid.at(mirrored(y + d, grid.height), x)
                                                 : grid.at(y, mirrored(x + d, grid.width)));
    return to;
  };
  return pass(pass(pixels, true), false);
}

double linear_light(double v) {
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}

/// f of CIE 15: the cube root, with a straight line near zero.
double lab_root(double t) {
  constexpr double kEdge = 6.0 / 29.0;
  return t > kEdge * kEdge * kEdge ? std::cbrt(t) : t / (3.0 * kEdge * kEdge) + 4.0 / 29.0;
}

Matrix to_lab(const Matrix& pixels) {
  Matrix lab(pixels.rows(), pixels.cols());
  if (pixels.cols() == 1) {
    for (Index i = 0; i < pixels.rows(); ++i)
      lab(i, 0) = 116.0 * lab_root(linear_light(pixels(i, 0))) - 16.0;
    return lab;
  }
  // sRGB to XYZ (IEC 61966-2-1), divided by the white point's sum of each row, so that white is
  // (1, 1, 1) and greys have no colour at all.
  const Eigen::Matrix3d xyz{{0.4124564, 0.3575761, 0.1804375},
                            {0.2126729, 0.7151522, 0.0721750},
                            {0.0193339, 0.1191920, 0.9503041}};
  const Eigen::Vector3d white = xyz.rowwise().sum();
  for (Index i = 0; i < pixels.rows(); ++i) {
    const Eigen::Vector3d rgb(linear_light(pixels(i, 0)), linear_light(pixels(i, 1)),
                              linear_light(pixels(i, 2)));
    const Eigen::Vector3d relative = (xyz * rgb).cwiseQuotient(white);
    const double fx = lab_root(relative[0]), fy = lab_root(relative[1]), fz = lab_root(relative[2]);
    lab.row(i) << 116.0 * fy - 16.0, 500.0 * (fx - fy), 200.0 * (fy - fz);
  }
  return lab;
}

/// The pixel of least gradient among the 3 x 3 around (y, x), the first in row order of equals.
std::pair<Index, Index> flattest(const Matrix& lab, const Grid& grid, Index y, Index x) {
  double least = std::numeric_limits<double>::infinity();
  std::pair<Index, Index> best{y, x};
  for (Index v = std::max<Index>(1, y - 1); v <= std::min(grid.height - 2, y + 1); ++v)
    for (Index u = std::max<Index>(1, x - 1); u <= std::min(grid.width - 2, x + 1); ++u) {
      const double gradient =
          (lab.row(grid.at(v, u + 1)) - lab.row(grid.at(v, u - 1))).squaredNorm() +
          (lab.row(grid.at(v + 1, u)) - lab.row(grid.at(v - 1, u))).squaredNorm();
      if (gradient < least) {
        least = gradient;
        best = {v, u};
      }
    }
  return best;
}

struct Centres {
  Matrix colour;  // K x channels
  Matrix place;   // K x 2: y, x
};

/// Rows and columns of centres, as square as the sides allow, about `segments` together.
Centres first_centres(const Matrix& lab, const Grid& grid, Index segments, double step,
                      std::vector<Index>& labels) {
  const auto along = [step](Index side) {
    return std::clamp<Index>(std::lround(static_cast<double>(side) / step), 1, side);
  };
  const Index rows = along(grid.height);
  const Index columns = std::clamp<Index>(
      std::lround(static_cast<double>(segments) / static_cast<double>(rows)), 1, grid.width);
  Centres centres{Matrix(rows * columns, lab.cols()), Matrix(rows * columns, 2)};
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < columns; ++c) {
      // The middle of the cell; of an even number of pixels the first of the two.
      std::pair<Index, Index> at{((2 * r + 1) * grid.height - 1) / (2 * rows),
                                 ((2 * c + 1) * grid.width - 1) / (2 * columns)};
      if (step >= 3.0) at = flattest(lab, grid, at.first, at.second);
      const Index k = r * columns + c;
      centres.colour.row(k) = lab.row(grid.at(at.first, at.second));
      centres.place.row(k) << static_cast<double>(at.first), static_cast<double>(at.second);
    }
  for (Index y = 0; y < grid.height; ++y)
    for (Index x = 0; x < grid.width; ++x)
      labels[static_cast<std::size_t>(grid.at(y, x))] =
          y * rows / grid.height * columns + x * columns / grid.width;
  return centres;
}

void assign(const Matrix& lab, const Grid& grid, const Centres& centres, double step, double weight,
            std::vector<Index>& labels) {
  std::vector<double> nearest(labels.size(), std::numeric_limits<double>::infinity());
  for (Index k = 0; k < centres.colour.rows(); ++k) {
    const double cy = centres.place(k, 0), cx = centres.place(k, 1);
    const auto from = [step](double centre) {
      return std::max<Index>(0, static_cast<Index>(std::ceil(centre - step)));
    };
    const auto to = [step](double centre, Index side) {
      return std::min(side - 1, static_cast<Index>(std::floor(centre + step)));
    };
    for (Index y = from(cy); y <= to(cy, grid.height); ++y)
      for (Index x = from(cx); x <= to(cx, grid.width); ++x) {
        const Index i = grid.at(y, x);
        const double dy = static_cast<double>(y) - cy, dx = static_cast<double>(x) - cx;
        const double distance =
            (lab.row(i) - centres.colour.row(k)).squaredNorm() + weight * (dy * dy + dx * dx);
        if (distance < nearest[static_cast<std::size_t>(i)]) {
          nearest[static_cast<std::size_t>(i)] = distance;
          labels[static_cast<std::size_t>(i)] = k;
        }
      }
  }
}

void move(const Matrix& lab, const Grid& grid, const std::vector<Index>& labels, Centres& centres) {
  Matrix colour = Matrix::Zero(centres.colour.rows(), lab.cols());
  Matrix place = Matrix::Zero(centres.place.rows(), 2);
  Vector count = Vector::Zero(centres.colour.rows());
  for (Index i = 0; i < grid.size(); ++i) {
    const Index k = labels[static_cast<std::size_t>(i)];
    colour.row(k) += lab.row(i);
    place(k, 0) += static_cast<double>(i / grid.width);
    place(k, 1) += static_cast<double>(i % grid.width);
    count[k] += 1.0;
  }
  for (Index k = 0; k < count.size(); ++k)
    if (count[k] > 0.0) {
      centres.colour.row(k) = colour.row(k) / count[k];
      centres.place.row(k) = place.row(k) / count[k];
    }
}

/// Every connected part gets a number; small ones that of a part beside their first pixel.
std::vector<Index> connected(const std::vector<Index>& labels, const Grid& grid, double smallest) {
  std::vector<Index> out(labels.size(), -1), part;
  Index next = 0;
  const auto neighbours = [&grid](Index i) {
    const Index y = i / grid.width, x = i % grid.width;
    return std::array<Index, 4>{x > 0 ? i - 1 : -1, y > 0 ? i - grid.width : -1,
                                x + 1 < grid.width ? i + 1 : -1,
                                y + 1 < grid.height ? i + grid.width : -1};
  };
  for (Index first = 0; first < grid.size(); ++first) {
    if (out[static_cast<std::size_t>(first)] >= 0) continue;
    Index beside = -1;  // the pixels left of and above the first are numbered already
    for (const Index n : neighbours(first))
      if (n >= 0 && out[static_cast<std::size_t>(n)] >= 0 && beside < 0)
        beside = out[static_cast<std::size_t>(n)];
    part.assign(1, first);
    out[static_cast<std::size_t>(first)] = next;
    for (std::size_t at = 0; at < part.size(); ++at)
      for (const Index n : neighbours(part[at]))
        if (n >= 0 && out[static_cast<std::size_t>(n)] < 0 &&
            labels[static_cast<std::size_t>(n)] == labels[static_cast<std::size_t>(first)]) {
          out[static_cast<std::size_t>(n)] = next;
          part.push_back(n);
        }
    if (beside >= 0 && static_cast<double>(part.size()) < smallest)
      for (const Index i : part) out[static_cast<std::size_t>(i)] = beside;
    else
      ++next;
  }
  return out;
}

}  // namespace

std::vector<Index> slic(const MatrixRef& pixels, Index height, Index width,
                        const SlicOptions& options) {
  const Grid grid{height, width};
  check(pixels, grid, options);
  const Index segments = std::min(options.segments, grid.size());
  const double usual = static_cast<double>(grid.size()) / static_cast<double>(segments);
  const double step = std::sqrt(usual);
  const Matrix lab = to_lab(smoothed(pixels, grid, options.sigma));
  std::vector<Index> labels(static_cast<std::size_t>(grid.size()), 0);
  Centres centres = first_centres(lab, grid, segments, step, labels);
  const double weight = options.compactness * options.compactness / usual;
  for (int i = 0; i < options.iterations; ++i) {
    const std::vector<Index> before = labels;
    assign(lab, grid, centres, step, weight, labels);
    move(lab, grid, labels, centres);
    if (labels == before && i > 0) break;
  }
  return connected(labels, grid, options.min_share * usual);
}

}  // namespace conoscope::numerics
