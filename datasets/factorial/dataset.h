// SPDX-License-Identifier: Apache-2.0
#pragma once

// A dataset with a full grid of factors: which of its images there are, what is on them, and where
// the images come from.

#include <string>
#include <vector>

#include "conoscope/sdk/dataset.h"
#include "datasets/factorial/conditional_sets.h"
#include "datasets/factorial/official.h"
#include "datasets/factorial/text_selection.h"

namespace conoscope::datasets {

inline constexpr sdk::Parameter kSetsSeed =
    sdk::integer("sets_seed", 0)
        .at_least(0)
        .help(
            "draws the values that tied factors may take: the same dataset for all seeds of a run");
inline constexpr sdk::Parameter kTestShare =
    sdk::real("test_share", 0.2)
        .between(0.01, 0.99)
        .help("share of every class that goes to the test split");

inline constexpr sdk::Parameter kTestEvery =
    sdk::integers("test_every", {})
        .at_least(1)
        .help(
            "the test split is a crossed grid of its own: every so many of the values that are "
            "kept of "
            "each factor, as [1, 1, 2, 2, 2]; all other images train; empty: test_share");

/// What FactorialDataset reads; the plugins have it with ranges, choices and words of their own.
inline constexpr auto kFactorialParameters = sdk::parameters(
    sdk::integer("gamma"), sdk::text("selection"), kSetsSeed, sdk::integers("every", {}),
    sdk::text("label_rule"), sdk::boolean("incomplete", false), sdk::integer("samples"), kTestShare,
    kTestEvery, sdk::optional_file("file"), sdk::text("images_key"));

class FactorialDataset : public sdk::Dataset {
 public:
  void load(const sdk::Context& context, sdk::Sink& out) final;

 protected:
  struct Kind {
    std::string name;
    std::vector<std::string> factor_names;
    std::vector<int> sizes;               ///< of its factors
    std::vector<ConditionalStep> steps;   ///< of selections but the text's
    DecidingConcept deciding;             ///< of the text's
    std::vector<std::size_t> incomplete;  ///< the concepts that `incomplete` leaves
    OfficialLayout official;
  };

  /// throws  std::invalid_argument, beginning with the name: parameters that do not go together
  FactorialDataset(const sdk::ParamsOf<kFactorialParameters>& params, std::string classes_key,
                   Kind kind);

  /// The rows, ascending, that belong to the dataset with gamma_ factors tied together.
  virtual std::vector<std::int64_t> select(const FactorTable& table,
                                           std::span<const ConditionalSets> sets) const = 0;
  /// Of `rows`, which are some of those kept; both ascend.
  virtual ConceptsAndLabels annotate(const FactorTable& table, std::span<const std::int64_t> kept,
                                     std::span<const std::int64_t> rows) const = 0;
  /// official  null: the images are drawn
  virtual void write_images(const FactorTable& table, const OfficialFile* official,
                            std::span<const std::int64_t> rows,
                            std::span<const std::int64_t> labels, const sdk::Split& split,
                            const sdk::Context& context, sdk::Sink& out) const = 0;

  std::int64_t gamma_;
  std::string selection_;
  LabelRule label_rule_;

 private:
  std::vector<std::int64_t> keep(const FactorTable& table) const;
  /// Of the rows that were drawn. throws std::invalid_argument: rows that are not crossed
  sdk::Split crossed_split(const FactorTable& table, std::span<const std::int64_t> rows) const;

  Kind kind_;
  std::vector<int> strides_, test_strides_;  ///< test_strides_: empty, by test_share_
  sdk::Seed sets_seed_;
  std::int64_t samples_;
  bool incomplete_;
  double test_share_;
  std::string file_, images_key_, classes_key_;
};

}  // namespace conoscope::datasets
