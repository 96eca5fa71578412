// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>
#include <string>

#include "numerics/checks.h"
#include "plugins/explainers/c_shap/concept_shap.h"

namespace conoscope::methods {
namespace {

constexpr Index kBlock = 32;  // hidden units worked on together: four vectors of eight floats
constexpr int kLane = 8, kLanes = kBlock / kLane;
using Lane = Eigen::Array<float, kLane, 1, Eigen::DontAlign>;
constexpr Index kAlone = 8;  // up to that many active scores are one group, after its ReLU
constexpr Index kGroup = 6;  // otherwise groups of at most so many: 64 subsets

/// The active scores of one position, in groups, and each coalition's subset of each group.
struct Groups {
  std::vector<Index> active;         ///< columns
  std::vector<Index> begin;          ///< group g is active[begin[g] ... begin[g + 1])
  std::vector<std::uint8_t> subset;  ///< groups x coalitions
  Index count() const { return static_cast<Index>(begin.size()) - 1; }
};

Groups group_active(const float* scores, Index width, const Coalitions& by_concept) {
  Groups out;
  for (Index m = 0; m < width; ++m)
    if (scores[m] != 0.0F) out.active.push_back(m);
  const auto active = static_cast<Index>(out.active.size());
  const Index groups = active <= kAlone ? (active > 0) : (active + kGroup - 1) / kGroup;
  out.begin.push_back(0);
  for (Index g = 0; g < groups; ++g) out.begin.push_back((g + 1) * active / groups);
  const Index q_count = by_concept.cols();
  out.subset.assign(static_cast<std::size_t>(groups * q_count), 0);
  for (Index g = 0; g < groups; ++g) {
    std::uint8_t* subset = out.subset.data() + g * q_count;
    for (Index a = out.begin[static_cast<std::size_t>(g)];
         a < out.begin[static_cast<std::size_t>(g + 1)]; ++a) {
      const int bit = static_cast<int>(a - out.begin[static_cast<std::size_t>(g)]);
      const std::uint8_t* in = by_concept.row(out.active[static_cast<std::size_t>(a)]).data();
      for (Index q = 0; q < q_count; ++q)
        subset[q] = static_cast<std::uint8_t>(subset[q] | (in[q] << bit));
    }
  }
  return out;
}

/// table[s] = sum over the scores in subset s of score * w1 row, for one block of hidden units.
void fill_table(const Groups& groups, Index g, const float* scores, const float* w1_block,
                float* table) {
  const Index first = groups.begin[static_cast<std::size_t>(g)];
  const Index size = groups.begin[static_cast<std::size_t>(g + 1)] - first;
  std::fill(table, table + kBlock, 0.0F);
  for (Index b = 0; b < size; ++b) {
    const Index m = groups.active[static_cast<std::size_t>(first + b)];
    const float score = scores[m];
    const float* row = w1_block + m * kBlock;
    const Index half = Index{1} << b;
    for (Index s = 0; s < half; ++s)
      for (Index h = 0; h < kBlock; ++h)
        table[(half + s) * kBlock + h] = table[s * kBlock + h] + score * row[h];
  }
}

/// hidden[q] += relu(sum over groups of the table entry of q's subset); kGroups 0: any number.
template <int kGroups>
void add_layer(const float* tables, Index table_size, const std::uint8_t* subset, Index q_count,
               Index groups, float* hidden) {
  const Index count = kGroups > 0 ? kGroups : groups;
  for (Index q = 0; q < q_count; ++q) {
    const float* entry = tables + subset[q] * kBlock;
    Lane sum[kLanes];
    for (int l = 0; l < kLanes; ++l) sum[l] = Eigen::Map<const Lane>(entry + l * kLane);
    for (Index g = 1; g < count; ++g) {
      entry = tables + g * table_size + subset[g * q_count + q] * kBlock;
      for (int l = 0; l < kLanes; ++l) sum[l] += Eigen::Map<const Lane>(entry + l * kLane);
    }
    float* out = hidden + q * kBlock;
    for (int l = 0; l < kLanes; ++l)
      Eigen::Map<Lane>(out + l * kLane) += sum[l].cwiseMax(Lane::Zero());
  }
}

void add_relu(const Groups& groups, const float* scores, const float* w1_block,
              std::vector<float>& tables, Index q_count, float* hidden) {
  const Index count = groups.count();
  if (count == 0) return;
  Index largest = 0;
  for (std::size_t g = 0; g + 1 < groups.begin.size(); ++g)
    largest = std::max(largest, groups.begin[g + 1] - groups.begin[g]);
  const Index table_size = (Index{1} << largest) * kBlock;
  tables.resize(static_cast<std::size_t>(count * table_size));
  for (Index g = 0; g < count; ++g)
    fill_table(groups, g, scores, w1_block, tables.data() + g * table_size);
  const auto layer = count == 1   ? add_layer<1>
                     : count == 2 ? add_layer<2>
                     : count == 3 ? add_layer<3>
                     : count == 4 ? add_layer<4>
                                  : add_layer<0>;
  layer(tables.data(), table_size, groups.subset.data(), q_count, count, hidden);
}

}  // namespace

Matrix coalition_recall(const RowMajorRef<float>& scores, Index positions, const MatrixF& w1,
                        const MatrixF& w2, const FrozenHead<float>& head, const Coalitions& targets,
                        const Coalitions& coalitions, const std::function<void()>& step) {
  const std::string me = "coalition_recall";
  numerics::require_filled(me, "scores", scores);
  numerics::require_filled(me, "w1", w1);
  numerics::require_filled(me, "w2", w2);
  numerics::require_filled(me, "head weight", head.weight);
  numerics::require_filled(me, "head bias", MatrixF(head.bias));
  numerics::require_at_least(me, "positions", positions, 1);
  numerics::require_at_least(me, "coalitions", coalitions.rows(), 1);
  const Index concepts = scores.cols(), outputs = head.weight.rows(), n = targets.rows();
  if (targets.rows() * positions != scores.rows() || targets.cols() != outputs ||
      head.bias.size() != outputs || coalitions.cols() != concepts || w1.rows() != concepts ||
      w2.rows() != w1.cols() || w2.cols() != head.weight.cols())
    throw std::invalid_argument(
        me + ": scores " + std::to_string(scores.rows()) + " x " + std::to_string(concepts) +
        ", coalitions of " + std::to_string(coalitions.cols()) + ", targets " + std::to_string(n) +
        " x " + std::to_string(targets.cols()) + ", w1 " + numerics::shape_of(w1) + ", w2 " +
        numerics::shape_of(w2) + " and head " + std::to_string(outputs) + " x " +
        std::to_string(head.weight.cols()) + " do not fit");

  // Behind the ReLU all is linear: one matrix from pooled hidden units to logits. Hidden units are
  // padded to whole blocks with units that lead nowhere.
  const Index q_count = coalitions.rows();
  const Index blocks = (w1.cols() + kBlock - 1) / kBlock;
  MatrixF out = MatrixF::Zero(blocks * kBlock, outputs);
  out.topRows(w1.cols()) = w2 * head.weight.transpose() / static_cast<float>(positions);
  std::vector<float> in(static_cast<std::size_t>(blocks * concepts * kBlock), 0.0F);
  for (Index m = 0; m < concepts; ++m)
    for (Index h = 0; h < w1.cols(); ++h)
      in[static_cast<std::size_t>((h / kBlock * concepts + m) * kBlock + h % kBlock)] = w1(m, h);
  const Coalitions by_concept = coalitions.transpose();

  Matrix hits = Matrix::Zero(q_count, outputs);
  MatrixF hidden(q_count, kBlock), logits(q_count, outputs);
  std::vector<float> tables;
  std::vector<Groups> groups(static_cast<std::size_t>(positions));
  for (Index i = 0; i < n; ++i) {
    if ((targets.row(i).array() == 0).all()) continue;
    for (Index p = 0; p < positions; ++p)
      groups[static_cast<std::size_t>(p)] =
          group_active(scores.row(i * positions + p).data(), concepts, by_concept);
    logits.rowwise() = head.bias.transpose();
    for (Index block = 0; block < blocks; ++block) {
      hidden.setZero();
      for (Index p = 0; p < positions; ++p)
        add_relu(groups[static_cast<std::size_t>(p)], scores.row(i * positions + p).data(),
                 in.data() + block * concepts * kBlock, tables, q_count, hidden.data());
      logits.noalias() += hidden * out.middleRows(block * kBlock, kBlock);
    }
    for (Index c = 0; c < outputs; ++c) {
      if (targets(i, c) == 0) continue;
      for (Index q = 0; q < q_count; ++q) {
        Index largest = c;
        if (!head.sigmoid) logits.row(q).maxCoeff(&largest);
        hits(q, c) += head.sigmoid ? logits(q, c) > 0.0F : largest == c;
      }
    }
    if (step) step();
  }
  for (Index c = 0; c < outputs; ++c) {
    const double members = targets.col(c).cast<double>().sum();
    if (members > 0.0) hits.col(c) /= members;
  }
  return hits;
}

}  // namespace conoscope::methods
