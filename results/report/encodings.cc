#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "results/report/bitmap.h"
#include "results/report/sections.h"
#include "results/report/shown_summaries.h"

namespace conoscope::results {

namespace {

/// What tells the bars and points of a picture apart: the concept's true value and the label.
std::string series_of(const ShownSummary& of, std::size_t row) {
  const double truth = of.number(row, "truth"), label = of.number(row, "label");
  std::string out;
  if (!std::isnan(truth)) out = "c = " + real_text(truth);
  if (!std::isnan(label)) out += (out.empty() ? "y = " : ", y = ") + real_text(label);
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
    table.add({of.method, of.text(r, "concept"), series, real_text(samples), real_text(low),
               real_text(high)},
              JsonObject()
                  .add("method", of.method)
                  .add("concept", of.field(r, "concept"))
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
  for (const auto& [column, what] :
       {std::pair("correlation", "representations"), std::pair("truth", "annotated concepts")})
    add_matrix(table, of, what, "concept", "other", column);
}

/// Where a concept fires in an image: cells of the image, with the strength as a share of the
/// concept's largest.
using Fired = std::map<std::pair<double, double>, std::vector<JsonObject>>;  // concept, rank

Fired fired_of(const ShownSummary& of) {
  std::map<double, double> largest;
  std::map<std::pair<double, double>, double> side;
  for (std::size_t r = 0; r < of.rows(); ++r) {
    double& most = largest[of.number(r, "concept")];
    most = std::max(most, of.number(r, "activation"));
    double& cells = side[{of.number(r, "concept"), of.number(r, "rank")}];
    cells = std::max(cells, of.number(r, "row") + 1.0);
  }
  Fired out;
  for (std::size_t r = 0; r < of.rows(); ++r) {
    const std::pair place(of.number(r, "concept"), of.number(r, "rank"));
    const double most = largest[place.first], share = of.number(r, "activation") / most;
    if (!(most > 0.0 && share > 0.0)) continue;
    const double cells = side[place], left = place.second + 1.0 / 32.0;
    const double width = 15.0 / 16.0 / cells, height = 1.0 / cells;
    out[place].push_back(JsonObject()
                             .add("kind", std::string("position"))
                             .add("rank", place.second)
                             .add("x", left + width * of.number(r, "column"))
                             .add("x2", left + width * (of.number(r, "column") + 1.0))
                             .add("y", height * of.number(r, "row"))
                             .add("y2", height * (of.number(r, "row") + 1.0))
                             .add("strength", share));
  }
  return out;
}

/// Black where a store holds what is no colour.
std::uint32_t colour_of(double packed) {
  return packed >= 0.0 && packed < 16777216.0 ? static_cast<std::uint32_t>(packed) : 0;
}

void add_images(PageTable& table, const ShownSummary& of, const Fired& fired) {
  std::size_t pixels = 0;
  for (const std::string& column : of.shape.columns) pixels += column.starts_with("pixel_");
  for (std::size_t r = 0; r < of.rows(); ++r) {
    std::vector<std::uint32_t> colours;
    for (std::size_t p = 0; p < pixels; ++p)
      colours.push_back(colour_of(of.number(r, "pixel_" + std::to_string(p))));
    const double concept_id = of.number(r, "concept"), rank = of.number(r, "rank");
    std::vector<JsonObject> marks = {JsonObject()
                                         .add("kind", std::string("image"))
                                         .add("rank", rank)
                                         .add("address", bitmap_address(colours))};
    const auto found = fired.find({concept_id, rank});
    if (found != fired.end()) marks.insert(marks.end(), found->second.begin(), found->second.end());
    table.add({of.method, real_text(concept_id), real_text(rank + 1.0), of.text(r, "sample"),
               of.text(r, "label"), of.text(r, "activation")},
              JsonObject()
                  .add("method", of.method)
                  .add("concept", concept_id)
                  .add("activation", of.field(r, "activation"))
                  .add("marks", marks));
  }
}

std::string part(const char* title, const char* words, const std::string& figure,
                 const PageTable& table) {
  if (table.empty()) return {};
  return std::string("<h3>") + title + "</h3>\n<p>" + words + "</p>\n" + figure + table.html();
}

}  // namespace

Section encoding_section(const ReportContext& context) {
  PageTable histograms(
      "histogram-table", "Samples by activation, true value and label",
      {kMethodColumn, PageColumn("concept", "concept"), "of", PageColumn("samples", "samples"),
       "smallest activation", "largest activation"});
  add_summaries(histograms, context, "concept_histogram", add_histograms);
  PageTable embeddings("embedding-table", "Samples that are shown, by concept, value and label",
                       {kMethodColumn, PageColumn("concept", "concept"), "of", "samples"});
  add_summaries(embeddings, context, "embedding_components", add_embeddings);
  PageTable correlations(
      "correlation-table", "Correlations between concepts",
      {kMethodColumn, "of", PageColumn("concept", "row"), PageColumn("other concept", "column"),
       PageColumn("correlation", "mean")});
  add_summaries(correlations, context, "concept_correlation", add_correlations);
  PageTable images("image-table", "Test images in which each concept is strongest",
                   {kMethodColumn, PageColumn("concept", "concept"), "place", "test sample",
                    "label", PageColumn("activation", "activation")});
  std::map<std::pair<GroupKeys, std::string>, Fired> fired;
  for (const ShownSummary& one : shown_summaries(context, "top_positions"))
    fired[{one.keys, one.method}] = fired_of(one);
  for (const ShownSummary& one : shown_summaries(context, "top_samples")) {
    images.group(one.keys);
    add_images(images, one, fired[{one.keys, one.method}]);
  }
  return {
      "encodings", "What do concepts encode?",
      part("What do they look like?",
           "The test images in which a concept is strongest, the strongest first; orange: where "
           "in the image it fires.",
           figure_of_one_html("image", images.id()), images) +
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
