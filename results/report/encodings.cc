// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "results/report/concept_cards.h"
#include "results/report/sections.h"
#include "results/report/shown_summaries.h"

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
  return {
      "encodings", "What do concepts encode?",
      concept_cards_html(context) +
          part_html("Do activations tell more than the concept?",
                    "Samples by activation. c is the true value of the concept, y the label: where "
                    "labels part among samples of one c, the activation leaks them.",
                    figure_of_one_html("histogram", histograms.id()), histograms) +
          part_html(
              "What structure do embeddings have?",
              "The two principal components of each concept's vectors: by the concept's true "
              "value c and the label y, and below by the true values of the two concepts that "
              "follow it. An embedding that holds nothing but its own concept mixes these.",
              figure_of_one_html("embedding", embeddings.id()) +
                  figure_of_one_html("embedding_others", embeddings.id(), "others"),
              embeddings) +
          part_html("Which concepts go together?",
                    "Correlations between the representations of concepts, beside those of the "
                    "annotated concepts themselves.",
                    figure_html("correlation", correlations.id()), correlations)};
}

}  // namespace conoscope::results
