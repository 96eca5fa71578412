#pragma once

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

/// The nodes that can begin, in the order in which they should: the head of the longest chain
/// first, among equals the later stage, so that cells come to their end early.
class WorkQueue {
 public:
  /// chains  by node, see longest_chains(); empty: all are equal
  WorkQueue(const Plan& plan, std::vector<double> chains)
      : plan_(&plan), chains_(std::move(chains)) {}

  bool empty() const { return ready_.empty(); }
  void push(std::size_t node);
  std::size_t pop();

 private:
  struct Entry {
    double chain;
    Stage stage;
    std::size_t node;
    bool operator<(const Entry& other) const;
  };

  const Plan* plan_;
  std::vector<double> chains_;
  std::set<Entry> ready_;
};

/// The work as a Graphviz graph; finished nodes (by predicate) are drawn grey.
void write_dot(const Plan& plan, const std::vector<bool>& done, std::ostream& out);

}  // namespace conoscope::core
