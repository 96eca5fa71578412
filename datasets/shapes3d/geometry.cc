// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>

#include "datasets/shapes3d/render.h"
#include "datasets/shapes3d/task.h"

namespace conoscope::datasets::shapes3d {
namespace {

struct Vector {
  double x, y, z;
};

constexpr Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
constexpr Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
constexpr Vector operator*(double s, Vector a) { return {s * a.x, s * a.y, s * a.z}; }
constexpr double dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vector normalised(Vector a) { return (1.0 / std::sqrt(dot(a, a))) * a; }

struct Ray {
  Vector origin, direction;
  Vector at(double t) const { return origin + t * direction; }
};

struct Hit {
  double t;
  Vector normal;  ///< of length 1, outwards
};

constexpr double kTanHalfView = 0.41421, kDistance = 8.15, kHeight = 2.21;
constexpr double kRoom = 11.69, kWallHeight = 5.91;
constexpr double kCylinderRadius = 1.10, kCylinderHeight = 2.21, kSphereRadius = 1.24,
                 kCapsuleRadius = 0.945, kCapsuleHeight = 3.79;
constexpr double kEpsilon = 1e-9;  ///< a ray does not hit where it starts

void keep_nearer(std::optional<Hit>& best, const Hit& hit) {
  if (hit.t > kEpsilon && (!best || hit.t < best->t)) best = hit;
}

std::optional<Hit> hit_cube(const Ray& ray, double s) {
  const double low[] = {-s, -s, 0.0}, high[] = {s, s, 2.0 * s};
  const double from[] = {ray.origin.x, ray.origin.y, ray.origin.z};
  const double along[] = {ray.direction.x, ray.direction.y, ray.direction.z};
  double enter = -std::numeric_limits<double>::infinity(), leave = -enter;
  int axis = 0;
  for (int i = 0; i < 3; ++i) {
    if (along[i] == 0.0) {
      if (from[i] < low[i] || from[i] > high[i]) return std::nullopt;
      continue;
    }
    double a = (low[i] - from[i]) / along[i], b = (high[i] - from[i]) / along[i];
    if (a > b) std::swap(a, b);
    if (a > enter) enter = a, axis = i;
    leave = std::min(leave, b);
  }
  if (enter > leave || enter <= kEpsilon) return std::nullopt;
  const double sign = along[axis] > 0.0 ? -1.0 : 1.0;
  return Hit{enter, {axis == 0 ? sign : 0.0, axis == 1 ? sign : 0.0, axis == 2 ? sign : 0.0}};
}

std::optional<Hit> hit_sphere(const Ray& ray, double height, double radius) {
  const Vector centre{0.0, 0.0, height}, o = ray.origin - centre;
  const double a = dot(ray.direction, ray.direction), b = dot(o, ray.direction),
               c = dot(o, o) - radius * radius, root = b * b - a * c;
  if (root < 0.0) return std::nullopt;
  const double t = (-b - std::sqrt(root)) / a;
  if (t <= kEpsilon) return std::nullopt;
  return Hit{t, (1.0 / radius) * (ray.at(t) - centre)};
}

/// The side of an upright cylinder around the z axis.
std::optional<Hit> hit_side(const Ray& ray, double radius, double bottom, double top) {
  const Vector &o = ray.origin, &d = ray.direction;
  const double a = d.x * d.x + d.y * d.y, b = o.x * d.x + o.y * d.y,
               c = o.x * o.x + o.y * o.y - radius * radius, root = b * b - a * c;
  if (a == 0.0 || root < 0.0) return std::nullopt;
  const double t = (-b - std::sqrt(root)) / a, z = o.z + t * d.z;
  if (t <= kEpsilon || z < bottom || z > top) return std::nullopt;
  const Vector p = ray.at(t);
  return Hit{t, {p.x / radius, p.y / radius, 0.0}};
}

std::optional<Hit> hit_cylinder(const Ray& ray, double radius, double height) {
  std::optional<Hit> best = hit_side(ray, radius, 0.0, height);
  if (ray.direction.z != 0.0) {
    const double t = (height - ray.origin.z) / ray.direction.z;
    const Vector p = ray.at(t);
    if (p.x * p.x + p.y * p.y <= radius * radius) keep_nearer(best, {t, {0.0, 0.0, 1.0}});
  }
  return best;
}

std::optional<Hit> hit_capsule(const Ray& ray, double radius, double height) {
  std::optional<Hit> best = hit_side(ray, radius, radius, height - radius);
  for (const double centre : {radius, height - radius})
    if (const auto hit = hit_sphere(ray, centre, radius)) keep_nearer(best, *hit);
  return best;
}

std::optional<Hit> hit_object(const Ray& ray, int shape, double s) {
  switch (shape) {
    case 0:
      return hit_cube(ray, s);
    case 1:
      return hit_cylinder(ray, kCylinderRadius * s, kCylinderHeight * s);
    case 2:
      return hit_sphere(ray, kSphereRadius * s, kSphereRadius * s);
    default:
      return hit_capsule(ray, kCapsuleRadius * s, kCapsuleHeight * s);
  }
}

using Sample = Geometry::Sample;
using Surface = Geometry::Surface;

float clamped(double intensity) { return static_cast<float>(std::clamp(intensity, 0.0, 1.0)); }

/// What a ray meets: the nearest of object, floor and walls, else the sky.
Sample look(const Ray& ray, int shape, double s, Vector sun) {
  const Vector towards_eye = normalised(-1.0 * ray.direction);
  double nearest = std::numeric_limits<double>::infinity();
  Sample seen;
  if (const auto hit = hit_object(ray, shape, s)) {
    nearest = hit->t;
    const double lit = std::max(0.0, dot(hit->normal, sun));
    seen = {Surface::kObject,
            clamped(0.325 + 0.648 * std::max(0.0, dot(hit->normal, towards_eye)) + 0.887 * lit),
            static_cast<float>(0.151 * std::min(1.0, 3.0 * lit))};
  }
  if (ray.direction.z < 0.0) {
    const double t = -ray.origin.z / ray.direction.z;
    if (t < nearest) {
      nearest = t;
      const Vector p = ray.at(t);
      const bool shadow = hit_object({p, sun}, shape, s).has_value();
      seen = {Surface::kFloor,
              shadow
                  ? 0.337F
                  : static_cast<float>(std::clamp(1.009 - 0.0495 * p.x - 0.0074 * p.y, 0.35, 1.0)),
              0.0F};
    }
  }
  const auto wall = [&](double offset, double along, Vector normal, double brightness) {
    if (along == 0.0) return;
    const double t = offset / along;
    if (t <= kEpsilon || t >= nearest || ray.at(t).z > kWallHeight) return;
    nearest = t;
    seen = {Surface::kWall,
            clamped(brightness * (0.282 + 0.780 * std::max(0.0, dot(normal, towards_eye)))), 0.0F};
  };
  wall(kRoom - ray.origin.y, ray.direction.y, {0.0, -1.0, 0.0}, 1.0);
  wall(-kRoom - ray.origin.x, ray.direction.x, {1.0, 0.0, 0.0}, 0.882);
  wall(kRoom - ray.origin.x, ray.direction.x, {-1.0, 0.0, 0.0}, 0.756);
  return seen;
}

}  // namespace

Geometry::Geometry(int scale, int shape, int orientation) {
  const int classes[] = {scale, shape, orientation};
  for (std::size_t i = 0; i < 3; ++i)
    if (classes[i] < 0 || classes[i] >= kSizes[3 + i])
      throw std::invalid_argument("shapes3d: " + std::string(kFactorNames[3 + i]) + " is " +
                                  std::to_string(classes[i]) + ", expected 0 to " +
                                  std::to_string(kSizes[3 + i] - 1));
  const double s = 0.75 + 0.5 * scale / 7.0;
  const double a = -(-30.0 + 60.0 * orientation / 14.0) * std::numbers::pi / 180.0;
  const Vector ahead{std::sin(a), std::cos(a), 0.0}, right{std::cos(a), -std::sin(a), 0.0},
      up{0.0, 0.0, 1.0};
  const Vector eye = -kDistance * ahead + kHeight * up;
  const Vector sun = normalised({-0.288, 0.141, 1.0});
  constexpr int kSamples = 2 * kSide;
  samples_.reserve(kSamples * kSamples);
  for (int row = 0; row < kSamples; ++row)
    for (int column = 0; column < kSamples; ++column) {
      const double u = ((column + 0.5) / kSamples * 2.0 - 1.0) * kTanHalfView;
      const double v = (1.0 - (row + 0.5) / kSamples * 2.0) * kTanHalfView;
      samples_.push_back(look({eye, ahead + u * right + v * up}, shape, s, sun));
    }
}

}  // namespace conoscope::datasets::shapes3d
