// SPDX-License-Identifier: Apache-2.0
#include "metrics/summaries/concept_cards.h"

#include <algorithm>
#include <numeric>

#include "metrics/faithfulness/explained_head.h"
#include "metrics/summaries/fired_positions.h"
#include "metrics/summaries/shown_items.h"

namespace conoscope::metrics {

namespace {

constexpr Index kMostConcepts = 24, kTop = 8;

/// The samples with the largest entries, the largest first, the lowest number of equals.
IndexVector strongest(const VectorRef& activations) {
  IndexVector order(static_cast<std::size_t>(activations.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto end = order.begin() + std::min<Index>(kTop, activations.size());
  std::partial_sort(order.begin(), end, order.end(), [&](Index a, Index b) {
    return activations[a] > activations[b] || (activations[a] == activations[b] && a < b);
  });
  order.erase(end, order.end());
  return order;
}

/// A column of the scores, and what it is of an explanation.
struct Card {
  Index column = 0;
  Index output = -1, concept_of_output = 0;  ///< output -1: no explanation
  double importance = kNoNumber;
};

/// A card for each column, in their order.
std::vector<Card> all_cards(const Subject& subject, Index columns) {
  std::vector<Card> out(static_cast<std::size_t>(columns));
  for (Index j = 0; j < columns; ++j) out[static_cast<std::size_t>(j)].column = j;
  if (!subject.offers("explanation")) return out;
  const Explanation& explanation = subject.explanation();
  if (explanation.class_agnostic) {
    if (explanation.importance_by_output.cols() != columns) return out;
    for (Card& card : out) {
      const auto importance = explanation.importance_by_output.col(card.column);
      importance.cwiseAbs().maxCoeff(&card.output);
      card.concept_of_output = card.column;
      card.importance = importance[card.output];
    }
    return out;
  }
  if (explanation.importance.size() != columns) return out;
  for (Index c = 0; c < explanation.outputs(); ++c)
    for (Index k = 0; k < explanation.concepts(c); ++k) {
      const Index j = explanation.first_row(c) + k;
      out[static_cast<std::size_t>(j)] = {j, c, k, explanation.importance[j]};
    }
  return out;
}

void sort_by_importance(std::vector<Card>& cards, bool by_output) {
  Vector importance(static_cast<Index>(cards.size()));
  IndexVector output;
  for (const Card& card : cards) {
    importance[static_cast<Index>(output.size())] = card.importance;
    output.push_back(card.output);
  }
  if (!by_output) output.clear();
  std::vector<Card> sorted;
  for (const Index j : most_important_first(importance, output))
    sorted.push_back(cards[static_cast<std::size_t>(j)]);
  cards = std::move(sorted);
}

struct ShownCards {
  std::vector<Card> cards;
  std::string caveat;
};

ShownCards shown_cards(const Subject& subject, const Matrix& scores) {
  ShownCards out{all_cards(subject, scores.cols()), {}};
  std::erase_if(out.cards, [&scores](const Card& card) {
    return scores.col(card.column).maxCoeff() == scores.col(card.column).minCoeff();
  });
  const auto firing = static_cast<Index>(out.cards.size());
  if (firing < scores.cols())
    out.caveat = std::to_string(scores.cols() - firing) + " of " + std::to_string(scores.cols()) +
                 " concepts have the same score in every sample";
  const bool explained = firing > 0 && out.cards[0].output >= 0;
  if (explained) sort_by_importance(out.cards, !subject.explanation().class_agnostic);
  if (firing <= kMostConcepts) return out;
  out.cards.resize(static_cast<std::size_t>(kMostConcepts));
  const std::string shown = std::to_string(kMostConcepts) + " of " + std::to_string(firing);
  out.caveat += (out.caveat.empty() ? "" : "; ");
  out.caveat +=
      explained ? "the " + shown + " most important concepts" : "the first " + shown + " concepts";
  return out;
}

void add_card(SummaryTable& table, const Subject& subject, const Card& card, const Vector& scores) {
  IndexVector samples = strongest(scores);
  Index weakest = 0;
  const double low = scores.minCoeff(&weakest);
  samples.push_back(weakest);
  const bool has_head = card.output >= 0 && subject.offers("head_view");
  std::vector<Matrix> fired;
  double most = 0.0;
  for (const Index i : samples) {
    fired.push_back(has_head ? fired_positions(subject.once(explained_head), card.output,
                                               card.concept_of_output, i)
                             : Matrix());
    if (fired.back().size() > 0) most = std::max(most, fired.back().maxCoeff());
  }
  const double share =
      static_cast<double>((scores.array() > 0.0).count()) / static_cast<double>(scores.size());
  for (std::size_t rank = 0; rank < samples.size(); ++rank) {
    const Index i = samples[rank];
    table.add({static_cast<double>(card.column),
               card.output < 0 ? kNoNumber : static_cast<double>(card.output), card.importance,
               share, low, scores.maxCoeff(),
               rank + 1 == samples.size() ? kNoNumber : static_cast<double>(rank),
               static_cast<double>(i), label_of(subject, i), scores[i]});
    table.add(packed_positions(fired[rank], most));
  }
}

SummaryTable cards(const Subject& subject) {
  const Matrix& scores = scalar_scores("concept_cards", subject);
  ShownCards shown = shown_cards(subject, scores);
  SummaryTable out{{}, std::move(shown.caveat)};
  for (const Card& card : shown.cards) add_card(out, subject, card, scores.col(card.column));
  return out;
}

}  // namespace

Summary declare::concept_cards() {
  Summary out{.name = "concept_cards",
              .question = "In which samples is each concept strongest, and where does it fire?",
              .source = "ours",
              .needs = {"concept_view"},
              .uses = {"explanation", "head_view", "labels"},
              .columns = {"concept", "output", "importance", "share", "low", "high", "rank",
                          "sample", "label", "activation"},
              .compute = cards};
  std::ranges::copy(position_columns(), std::back_inserter(out.columns));
  return out;
}

}  // namespace conoscope::metrics
