// SPDX-License-Identifier: Apache-2.0
#include "results/report/concept_cards.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "results/formats/numbers.h"
#include "results/report/explained_sample.h"
#include "results/report/shown_summaries.h"
#include "results/report/svg.h"

namespace conoscope::results {

namespace {

/// One concept's rows of concept_cards: its strongest samples, and the one in which it is weakest.
struct ConceptCard {
  std::size_t first = 0;
  std::vector<std::size_t> rows;
};

std::vector<ConceptCard> concept_cards(const ShownSummary& of) {
  std::vector<ConceptCard> out;
  for (std::size_t r = 0; r < of.rows(); ++r) {
    if (out.empty() || of.number(out.back().first, "concept") != of.number(r, "concept"))
      out.push_back({r, {}});
    out.back().rows.push_back(r);
  }
  return out;
}

std::string concept_name(const ShownSummary& of, std::size_t row) {
  const std::string number = of.text(row, "concept"), name = of.name(row, "concept");
  return "concept " + number + (name == number ? "" : ": " + name);
}

/// The class that concepts are listed under.
std::string output_name(const ShownSummary& of, std::size_t row) {
  const double output = of.number(row, "output");
  return std::isnan(output) ? "all" : CellData::name(of.data.classes, output);
}

/// The image of a row of concept_cards, with where the concept fires and two lines below; empty: the
/// image is not there.
std::string shown_sample(const ShownSummary& of, std::size_t r, double x, double y, double side,
                         PictureSheet& sheet) {
  const CellData& data = of.data;
  const auto picture =
      data.picture ? data.picture(static_cast<std::int64_t>(of.number(r, "sample"))) : std::nullopt;
  if (!picture) return {};
  const bool weakest = std::isnan(of.number(r, "rank"));
  const double label = of.number(r, "label");
  const std::string what =
      std::isnan(label) ? "sample " + of.text(r, "sample") : CellData::name(data.classes, label);
  return "<g class=shown><title>" +
         html_text(std::string(weakest ? "where it is weakest, " : "") + "test sample " +
                   of.text(r, "sample") + (std::isnan(label) ? "" : ", label " + what) +
                   ", activation " + of.text(r, "activation")) +
         "</title>" + sheet.use(*picture, x, y, side) +
         outline_svg(fired_outline(of.fired(r), x, y, side), side / 45.0) +
         svg_text(x, y + side + 14.0, "start", shortened(what, static_cast<int>(side / 6.5))) +
         svg_text(x, y + side + 28.0, "start", weakest ? "weakest" : of.text(r, "activation")) +
         "</g>\n";
}

/// The images of a card, with what the concept is in each below it.
std::string card_svg(const ShownSummary& of, const ConceptCard& card, PictureSheet& sheet) {
  constexpr double kSide = 72, kGap = 8, kApart = 16, kText = 34;
  std::string out;
  double x = 0.0;
  for (const std::size_t r : card.rows) {
    if (std::isnan(of.number(r, "rank"))) x += kApart;
    const std::string shown = shown_sample(of, r, x, 0.0, kSide, sheet);
    if (shown.empty()) return {};
    out += shown;
    x += kSide + kGap;
  }
  return svg_begin(x, kSide + kText, concept_name(of, card.first), "currentColor") + out +
         "</svg>\n";
}

/// "importance 0.42, fires in 37 % of the samples, activation 0 to 5.1"
std::string facts_of(const ShownSummary& of, std::size_t row) {
  const std::string importance = std::isnan(of.number(row, "importance"))
                                     ? ""
                                     : "importance " + of.text(row, "importance") + ", ";
  return importance + "above 0 in " + digits_text(100.0 * of.number(row, "share"), 2) +
         " % of the samples, activation " + of.text(row, "low") + " to " + of.text(row, "high");
}

void add_cards(PageTable& table, PageDrawings& drawings, const ShownSummary& of,
               const ReportContext& context) {
  std::map<double, std::string> by_output;
  for (const ConceptCard& card : concept_cards(of)) {
    const std::size_t r = card.first;
    const double output = of.number(r, "output");
    const std::string name = concept_name(of, r);
    table.add(
        {of.method, name, std::isnan(output) ? "-" : output_name(of, r), of.text(r, "importance"),
         real_text(of.number(r, "share")), of.text(r, "low"), of.text(r, "high")},
        JsonObject()
            .add("method", of.method)
            .add("concept", of.field(r, "concept"))
            .add("importance", of.field(r, "importance"))
            .add("share", of.field(r, "share"))
            .add("smallest", of.field(r, "low"))
            .add("largest", of.field(r, "high")));
    const std::string svg = card_svg(of, card, context.sheet);
    if (!svg.empty())
      by_output[std::isnan(output) ? 0.0 : output] +=
          "<h4>" + html_text(name) + "</h4>\n<p>" + html_text(facts_of(of, r)) + "</p>\n" + svg;
  }
  for (const auto& [output, html] : by_output)
    drawings.add(
        of.keys, of.method,
        std::isnan(of.number(0, "output")) ? "all" : CellData::name(of.data.classes, output), html);
}

std::string cards_html(const ReportContext& context, const std::vector<ShownSummary>& shown) {
  PageTable cards(
      "card-table", "Concepts that fire",
      {kMethodColumn, PageColumn("concept", "concept"), "class",
       PageColumn("importance", "importance"), PageColumn("share above 0", "share"),
       PageColumn("smallest activation", "smallest"), PageColumn("largest activation", "largest")});
  PageDrawings drawings("cards", "Class");
  for (const ShownSummary& one : shown) {
    cards.group(one.keys);
    add_cards(cards, drawings, one, context);
  }
  return part_html(
      "What do they look like?",
      "The test samples in which a concept is strongest, the strongest first, and the one in which "
      "it is weakest. Outlined: where in the image it fires. Concepts whose score is the same in "
      "every sample are counted in the notes, not shown.",
      drawings.empty() ? "" : drawings.html(), cards);
}

/// concept_cards of the cells of one subject, by seed.
using CardsBySeed = std::map<std::int64_t, ShownSummary>;

CardsBySeed cards_by_seed(const ReportContext& context, const std::vector<ShownSummary>& shown,
                          const ShownSummary& matched) {
  CardsBySeed out;
  for (const ShownSummary& cards : shown) {
    if (cards.keys != matched.keys || cards.method != matched.method) continue;
    out.emplace(cards.cell.seed, cards);
    for (const CellSummary& again : cards.again)
      out.emplace(again.seed, with_cell(context, cards, again));
  }
  return out;
}

/// A concept of one seed, and how similar it is to that of the first; NaN: it is that, or there is none.
struct Found {
  std::int64_t seed = 0;
  double concept_id = 0.0, importance = 0.0, similarity = NAN;
};

constexpr double kFoundWidth = 226, kFoundHead = 50, kFoundSide = 52;

/// Name, importance, a bar as long as the similarity, and its four strongest samples, where images are there.
std::string found_svg(const Found& found, const CardsBySeed& cards, double x, PictureSheet& sheet) {
  constexpr double kGap = 6;
  constexpr std::size_t kSamples = 4;
  const std::string whose = "seed " + std::to_string(found.seed) + ": ";
  if (std::isnan(found.concept_id))
    return svg_text(x, 13, "start", whose + "none is left", " font-weight=\"600\"");
  const bool again = !std::isnan(found.similarity);
  std::string out = svg_text(x, 13, "start", whose + "concept " + real_text(found.concept_id),
                             " font-weight=\"600\"") +
                    svg_text(x, 29, "start",
                             "importance " + digits_text(found.importance, 2) +
                                 (again ? ", similarity " + digits_text(found.similarity, 2) : ""));
  for (const auto& [width, opacity] : {std::pair(1.0, 0.15), {found.similarity, 0.7}})
    if (again)
      out += "<rect" + svg_attribute("x", x) + svg_attribute("y", 36) +
             svg_attribute("width", kFoundWidth * width) + svg_attribute("height", 7) +
             svg_attribute("fill-opacity", opacity) + "/>\n";
  const auto of = cards.find(found.seed);
  if (of == cards.end()) return out;
  for (const ConceptCard& card : concept_cards(of->second))
    if (of->second.number(card.first, "concept") == found.concept_id)
      for (std::size_t i = 0; i < std::min(kSamples, card.rows.size()); ++i)
        out +=
            shown_sample(of->second, card.rows[i], x + (kFoundSide + kGap) * static_cast<double>(i),
                         kFoundHead, kFoundSide, sheet);
  return out;
}

void add_found_again(PageTable& table, PageDrawings& drawings, const ShownSummary& of,
                     const std::vector<ShownSummary>& shown, const ReportContext& context) {
  constexpr double kBlock = 250;
  const CardsBySeed cards = cards_by_seed(context, shown, of);
  const bool has_images = std::ranges::any_of(
      cards, [](const auto& one) { return static_cast<bool>(one.second.data.picture); });
  std::map<double, std::string> by_output;
  for (std::size_t r = 0; r < of.rows();) {
    const double own = of.number(r, "concept");
    std::string svg =
        found_svg({of.cell.seed, own, of.number(r, "importance")}, cards, 0.0, context.sheet);
    double x = 0.0;
    std::string& html = by_output[of.number(r, "output")];
    for (; r < of.rows() && of.number(r, "concept") == own; ++r) {
      svg += found_svg({static_cast<std::int64_t>(of.number(r, "seed")), of.number(r, "other"),
                        of.number(r, "other_importance"), of.number(r, "similarity")},
                       cards, x += kBlock, context.sheet);
      table.add({of.method, output_name(of, r), of.text(r, "concept"), of.text(r, "importance"),
                 of.text(r, "seed"), of.text(r, "other"), of.text(r, "other_importance"),
                 of.text(r, "similarity")},
                JsonObject()
                    .add("method", of.method)
                    .add("concept", of.field(r, "concept"))
                    .add("importance", of.field(r, "importance"))
                    .add("seed", of.field(r, "seed"))
                    .add("other", of.field(r, "other"))
                    .add("other_importance", of.field(r, "other_importance"))
                    .add("similarity", of.field(r, "similarity")));
    }
    html += svg_begin(x + kFoundWidth, kFoundHead + (has_images ? kFoundSide + 34.0 : 0.0),
                      "Concept " + real_text(own) + ", and what is found in its place",
                      "currentColor") +
            svg + "</svg>\n";
  }
  for (const auto& [output, html] : by_output)
    drawings.add(of.keys, of.method, CellData::name(of.data.classes, output), html);
}

std::string found_again_html(const ReportContext& context, const std::vector<ShownSummary>& shown) {
  PageTable table(
      "found-again-table", "Concepts, and what they are matched with",
      {kMethodColumn, "class", PageColumn("concept", "concept"),
       PageColumn("importance", "importance"), PageColumn("seed", "seed"),
       PageColumn("its concept", "other"), PageColumn("its importance", "other_importance"),
       PageColumn("similarity", "similarity")});
  PageDrawings drawings("found_again", "Class");
  for (const ShownSummary& one : shown_summaries(context, "matched_concepts")) {
    table.group(one.keys);
    add_found_again(table, drawings, one, shown, context);
  }
  return part_html(
      "Are they found again?",
      "Each concept of one seed beside the concepts that it is matched with in two others, where "
      "images are there with the samples of the seed's own test split in which it is strongest. "
      "The bar is the similarity, from 0 to 1: of two vectors |cos|, so a direction and its "
      "opposite are the same concept and strongest in other "
      "samples; of subspaces by principal angles.",
      drawings.empty() ? "" : drawings.html(), table);
}

}  // namespace

std::string concept_cards_html(const ReportContext& context) {
  const std::vector<ShownSummary> shown = shown_summaries(context, "concept_cards");
  return cards_html(context, shown) + found_again_html(context, shown);
}

}  // namespace conoscope::results
