#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "results/formats/numbers.h"
#include "results/report/explained_sample.h"
#include "results/report/sections.h"
#include "results/report/shown_summaries.h"
#include "results/report/svg.h"

namespace conoscope::results {

namespace {

/// What tells the bars and points of a picture apart: the concept's true value and the label.
std::string series_of(const ShownSummary& of, std::size_t row) {
  const double truth = of.number(row, "truth"), label = of.number(row, "label");
  std::string out;
  if (!std::isnan(truth)) out = "c = " + real_text(truth);
  if (!std::isnan(label)) out += (out.empty() ? "y = " : ", y = ") + of.name(row, "label");
  return out.empty() ? "all samples" : out;
}

void add_histograms(PageTable& table, const ShownSummary& of) {
  std::size_t bins = 0;
  for (const std::string& column : of.shape.columns) bins += column.starts_with("bin_");
  for (std::size_t r = 0; r < of.rows(); ++r) {
    const double low = of.number(r, "low"), high = of.number(r, "high");
    const double width = (high - low) / static_cast<double>(bins);
    std::vector<JsonObject> bars;
    double samples = 0.0;
    for (std::size_t b = 0; b < bins; ++b) {
      const double count = of.number(r, "bin_" + std::to_string(b));
      samples += count;
      if (count > 0.0)
        bars.push_back(JsonObject()
                           .add("from", low + width * static_cast<double>(b))
                           .add("to", low + width * static_cast<double>(b + 1))
                           .add("value", count));
    }
    const std::string series = series_of(of, r);
    table.add({of.method, of.name(r, "concept"), series, real_text(samples)},
              JsonObject()
                  .add("method", of.method)
                  .add("concept", of.named(r, "concept"))
                  .add("series", series)
                  .add("samples", samples)
                  .add("marks", bars));
  }
}

/// For each concept and sample the true values of the two concepts that follow it, the first after
/// the last: as many colours as an eye tells apart.
std::map<std::pair<double, double>, std::string> others_of(const ShownSummary& of) {
  std::map<std::pair<double, double>, double> truths;
  double concepts = 0.0;
  for (std::size_t r = 0; r < of.rows(); ++r) {
    const double truth = of.number(r, "truth");
    concepts = std::max(concepts, of.number(r, "concept") + 1.0);
    if (!std::isnan(truth)) truths[{of.number(r, "concept"), of.number(r, "sample")}] = truth;
  }
  std::map<std::pair<double, double>, std::string> out;
  for (const auto& [place, truth] : truths) {
    std::set<double> others;
    for (const double step : {1.0, 2.0}) others.insert(std::fmod(place.first + step, concepts));
    others.erase(place.first);
    std::string& text = out[place];
    for (const double other : others)
      if (const auto found = truths.find({other, place.second}); found != truths.end())
        text += (text.empty() ? "c" : ", c") + real_text(other) + " = " + real_text(found->second);
  }
  return out;
}

void add_embeddings(PageTable& table, const ShownSummary& of) {
  const auto others = others_of(of);
  // One row for each concept and series; its samples are the marks.
  std::map<std::pair<double, std::string>, std::vector<JsonObject>> points;
  for (std::size_t r = 0; r < of.rows(); ++r) {
    const auto found = others.find({of.number(r, "concept"), of.number(r, "sample")});
    points[{of.number(r, "concept"), series_of(of, r)}].push_back(
        JsonObject()
            .add("sample", of.field(r, "sample"))
            .add("first", of.field(r, "first"))
            .add("second", of.field(r, "second"))
            .add("others", found == others.end() || found->second.empty()
                               ? std::string("all samples")
                               : found->second));
  }
  for (const auto& [key, samples] : points)
    table.add({of.method, real_text(key.first), key.second, std::to_string(samples.size())},
              JsonObject()
                  .add("method", of.method)
                  .add("concept", key.first)
                  .add("series", key.second)
                  .add("marks", samples));
}

void add_correlations(PageTable& table, const ShownSummary& of) {
  add_matrix(table, of, "representations", "concept", "other", "correlation");
}

/// The same for every method of a place.
void add_true_correlations(PageTable& table, ShownSummary of) {
  of.method = "the data";
  add_matrix(table, of, "annotated concepts", "concept", "other", "truth");
}

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

/// The images of a card, with what the concept is in each below it.
std::string card_svg(const ShownSummary& of, const ConceptCard& card, PictureSheet& sheet) {
  const CellData& data = of.data;
  constexpr double kSide = 72, kGap = 8, kApart = 16, kText = 34;
  std::string out;
  double x = 0.0;
  for (const std::size_t r : card.rows) {
    const auto picture = data.picture
                             ? data.picture(static_cast<std::int64_t>(of.number(r, "sample")))
                             : std::nullopt;
    if (!picture) return {};
    const bool weakest = std::isnan(of.number(r, "rank"));
    if (weakest) x += kApart;
    std::vector<double> packed;
    for (const std::string& column : of.shape.columns)
      if (column.starts_with("row_")) packed.push_back(of.number(r, column));
    const double label = of.number(r, "label");
    const std::string what =
        std::isnan(label) ? "sample " + of.text(r, "sample") : CellData::name(data.classes, label);
    out += "<g class=shown><title>" +
           html_text(std::string(weakest ? "where it is weakest" : "") + (weakest ? ", " : "") +
                     "test sample " + of.text(r, "sample") +
                     (std::isnan(label) ? "" : ", label " + what) + ", activation " +
                     of.text(r, "activation")) +
           "</title>" + sheet.use(*picture, x, 0, kSide) +
           outline_svg(fired_outline(fired_grid(packed), x, 0, kSide), 1.6) +
           svg_text(x, kSide + 14.0, "start", shortened(what, 11)) +
           svg_text(x, kSide + 28.0, "start", weakest ? "weakest" : of.text(r, "activation")) +
           "</g>\n";
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
  const CellData& data = of.data;
  std::map<double, std::string> by_output;
  for (const ConceptCard& card : concept_cards(of)) {
    const std::size_t r = card.first;
    const double output = of.number(r, "output");
    const std::string name = concept_name(of, r),
                      output_name = std::isnan(output) ? "-" : CellData::name(data.classes, output);
    table.add({of.method, name, output_name, of.text(r, "importance"),
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
    drawings.add(of.keys, of.method,
                 std::isnan(of.number(0, "output")) ? "all" : CellData::name(data.classes, output),
                 html);
}

std::string part(const char* title, const char* words, const std::string& figure,
                 const PageTable& table) {
  if (table.empty()) return {};
  return std::string("<div class=part><h3>") + title + "</h3>\n<p>" + words + "</p>\n" + figure +
         table.folded_html() + "</div>\n";
}

}  // namespace

Section encoding_section(const ReportContext& context) {
  PageTable histograms(
      "histogram-table", "Samples by activation, true value and label",
      {kMethodColumn, PageColumn("concept", "concept"), "of", PageColumn("samples", "samples")});
  add_summaries(histograms, context, "concept_histogram", add_histograms);
  PageTable embeddings("embedding-table", "Samples that are shown, by concept, value and label",
                       {kMethodColumn, PageColumn("concept", "concept"), "of", "samples"});
  add_summaries(embeddings, context, "embedding_components", add_embeddings);
  PageTable correlations(
      "correlation-table", "Correlations between concepts",
      {kMethodColumn, "of", PageColumn("concept", "row"), PageColumn("other concept", "column"),
       PageColumn("correlation", "mean")});
  std::set<GroupKeys> known;
  add_summaries(correlations, context, "concept_correlation",
                [&known](PageTable& table, const ShownSummary& of) {
                  if (known.insert(of.keys).second) add_true_correlations(table, of);
                  add_correlations(table, of);
                });
  PageTable cards(
      "card-table", "Concepts that fire",
      {kMethodColumn, PageColumn("concept", "concept"), "class",
       PageColumn("importance", "importance"), PageColumn("share above 0", "share"),
       PageColumn("smallest activation", "smallest"), PageColumn("largest activation", "largest")});
  PageDrawings drawings("cards", "Class");
  for (const ShownSummary& one : shown_summaries(context, "concept_cards")) {
    cards.group(one.keys);
    add_cards(cards, drawings, one, context);
  }
  return {
      "encodings", "What do concepts encode?",
      part(
          "What do they look like?",
          "The test samples in which a concept is strongest, the strongest first, and the one in "
          "which it is weakest. Outlined: where in the image it fires. Concepts whose score is the "
          "same in every sample are counted in the notes, not shown.",
          drawings.empty() ? "" : drawings.html(), cards) +
          part("Do activations tell more than the concept?",
               "Samples by activation. c is the true value of the concept, y the label: where "
               "labels part among samples of one c, the activation leaks them.",
               figure_of_one_html("histogram", histograms.id()), histograms) +
          part("What structure do embeddings have?",
               "The two principal components of each concept's vectors: by the concept's true "
               "value c and the label y, and below by the true values of the two concepts that "
               "follow it. An embedding that holds nothing but its own concept mixes these.",
               figure_of_one_html("embedding", embeddings.id()) +
                   figure_of_one_html("embedding_others", embeddings.id(), "others"),
               embeddings) +
          part("Which concepts go together?",
               "Correlations between the representations of concepts, beside those of the "
               "annotated concepts themselves.",
               figure_html("correlation", correlations.id()), correlations)};
}

}  // namespace conoscope::results
