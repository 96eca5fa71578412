// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/plan/plan.h"

namespace conoscope::core {

// The nodes of a plan as a graph whose edges lead from what is needed to what needs it.

/// For each node the seconds of the longest chain of work that begins with it: its own, and those
/// of what can begin only after it. The longest chain of all is the critical path: no number of
/// workers ends the run sooner.
///
/// seconds  by component key, as recorded; a node of a component without a record counts 1 s
/// to_do    by node; the others take no time
std::vector<double> longest_chains(const Plan& plan, const std::map<std::string, double>& seconds,
                                   const std::vector<bool>& to_do);

/// The nodes that can begin, in the order in which they should: dataset by dataset, seed by seed and
/// model by model, so that cells come to their end one after the other, and while the arrays of one
/// model are warm. Within a model a later stage first, then the head of the longest chain. Of several
/// workers one takes the longest chain of all, wherever it is, once what is left would otherwise end
/// before it.
class WorkQueue {
 public:
  /// seconds, to_do  as of longest_chains()
  WorkQueue(const Plan& plan, const std::map<std::string, double>& seconds,
            const std::vector<bool>& to_do, std::uint32_t workers);

  bool empty() const { return ready_.empty(); }
  void push(std::size_t node);
  std::size_t pop();
  /// It will not be done, ready or not.
  void drop(std::size_t node);

 private:
  struct Entry {
    std::size_t rank;
    Stage stage;
    double chain;
    std::size_t node;
    bool operator<(const Entry& other) const;
  };
  Entry entry_of(std::size_t node) const;

  const Plan* plan_;
  std::vector<double> seconds_, chains_;
  std::vector<std::size_t> ranks_;
  double workers_;
  double left_;  ///< seconds of all that has not begun
  std::set<Entry> ready_;
  std::set<std::pair<double, std::size_t>> by_chain_;  ///< the same nodes
};

/// The work as a Graphviz graph; finished nodes (by predicate) are drawn grey.
void write_dot(const Plan& plan, const std::vector<bool>& done, std::ostream& out);

}  // namespace conoscope::core
