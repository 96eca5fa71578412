#include "metrics/leakage/leakage.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "metrics/auc.h"
#include "metrics/catalogue.h"
#include "metrics/information/mi_ksg.h"
#include "metrics/leakage/accuracy.h"
#include "metrics/leakage/aligned_concepts.h"
#include "metrics/leakage/ctl_icl.h"
#include "metrics/leakage/embedding_information.h"
#include "metrics/score.h"

namespace conoscope::metrics {

namespace {

using detail::none, detail::not_applicable, detail::number;

constexpr const char* kNames[] = {
    "ctl",        "icl",         "icl_ij",        "ctl_noise", "icl_noise",
    "mi_ct",      "mi_ic",       "mi_self",       "mi_align",  "concept_accuracy",
    "concept_f1", "concept_auc", "task_accuracy", "task_f1",   "task_auc"};
constexpr std::uint64_t kRepeats = 5;  // the reference's

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Scores that nobody has tied to annotated concepts: an explanation's.
bool unnamed(const ConceptView& view) { return view.width == 1 && view.probabilities.size() == 0; }

// Why this subject has no true concepts to compare with; empty: it has.
std::string lacking(const Views& subject) {
  if (!subject.concepts) return "needs a concept view";
  if (!subject.annotations || subject.annotations->concepts.size() == 0)
    return "needs annotations.concepts";
  const Matrix& truth = subject.annotations->concepts;
  const Index there =
      subject.concepts->width < 1 ? 0 : subject.concepts->scores.cols() / subject.concepts->width;
  if (unnamed(*subject.concepts) ? there < truth.cols() : there != truth.cols())
    return unnamed(*subject.concepts)
               ? std::to_string(there) + " representations cannot stand for " +
                     std::to_string(truth.cols()) + " concepts"
               : "the model has " + std::to_string(there) + " concepts, the annotations " +
                     std::to_string(truth.cols());
  if (!is_whole_valued(truth)) return "annotations.concepts are not whole numbers";
  return "";
}

// The first concept that ties keep from saying anything about itself; -1: none.
Index indistinct(const Matrix& predicted) {
  if (is_whole_valued(predicted)) return -1;
  for (Index j = 0; j < predicted.cols(); ++j)
    if (mi_ksg_self(SortedValues(Vector(predicted.col(j)))).value == 0.0) return j;
  return -1;
}

class Group {
 public:
  explicit Group(const Views& subject)
      : subject_(subject),
        concepts_(*subject.concepts),
        truth_(subject.annotations->concepts),
        labels_(subject.annotations->labels) {}

  std::vector<Score> scores() {
    const Matrix predicted = concepts_.width == 1 ? concepts_.scores : concepts_.probabilities;
    leak(predicted);
    embeddings();
    alignment();
    concepts();
    task();
    return std::move(scores_);
  }

 private:
  void add(const char* name, const std::function<Score()>& compute) {
    try {
      scores_.push_back(compute());
    } catch (const std::domain_error& error) {
      scores_.push_back(none(name, "undefined", error.what()));
    }
  }

  void leak(const Matrix& predicted) {
    const bool labelled = !labels_.empty(), pairs = predicted.cols() > 1;
    const char* const no_labels = "needs annotations.labels";
    const char* const no_pairs = "one concept has no pairs";
    const Index tied =
        predicted.rows() > ConceptInformationOptions().neighbours ? indistinct(predicted) : -1;
    const std::string why =
        "concept " + std::to_string(tied) +
        " has so many equal values that its estimated information about itself is 0; see "
        "ctl_noise and icl_noise";
    add("ctl", [&] {
      if (!labelled) return not_applicable("ctl", no_labels);
      if (tied >= 0) return none("ctl", "undefined", why);
      const Ctl found = ctl(predicted, truth_, labels_);
      return number("ctl", found.value, found.concepts);
    });
    std::optional<Icl> between;
    add("icl", [&] {
      if (!pairs) return not_applicable("icl", no_pairs);
      if (tied >= 0) return none("icl", "undefined", why);
      between = icl(predicted, truth_);
      return number("icl", between->value, between->concepts);
    });
    add("icl_ij", [&] {
      if (!between) {
        Score same = scores_.back();
        same.name = "icl_ij";
        return same;
      }
      return number("icl_ij", *std::max_element(between->pairs.begin(), between->pairs.end()),
                    between->pairs);
    });
    const auto repeated = [&](const char* name, bool possible, const char* reason, auto score) {
      add(name, [&] {
        if (!possible) return not_applicable(name, reason);
        if (tied < 0) return not_applicable(name, "no ties that noise would have to break");
        std::vector<double> values;
        for (std::uint64_t repeat = 0; repeat < kRepeats; ++repeat) {
          ConceptInformationOptions options;
          options.noise = normal_draws(subject_.seed, repeat);
          values.push_back(score(options));
        }
        const double value = mean(values);
        return number(name, value, std::move(values));
      });
    };
    repeated("ctl_noise", labelled, no_labels, [&](const ConceptInformationOptions& options) {
      return ctl(predicted, truth_, labels_, options).value;
    });
    repeated("icl_noise", pairs, no_pairs, [&](const ConceptInformationOptions& options) {
      return icl(predicted, truth_, options).value;
    });
  }

  void embeddings() {
    std::string why;
    if (concepts_.width == 1)
      why = "needs concepts that are vectors";
    else if (labels_.empty())
      why = "needs annotations.labels";
    std::optional<EmbeddingInformation> found;
    std::string undefined;
    if (why.empty()) try {
        found = embedding_information(concepts_.scores, concepts_.width, truth_, labels_);
      } catch (const std::domain_error& error) {
        undefined = error.what();
      }
    for (const char* name : {"mi_ct", "mi_ic", "mi_self"}) {
      const std::string_view which = name;
      if (!why.empty())
        scores_.push_back(not_applicable(name, why));
      else if (!found)
        scores_.push_back(none(name, "undefined", undefined));
      else if (which == "mi_ct")
        scores_.push_back(number(name, found->mi_ct, found->task));
      else if (which == "mi_self") {
        const Vector own = found->concepts.diagonal();
        scores_.push_back(number(name, found->mi_self, {own.begin(), own.end()}));
      } else if (truth_.cols() < 2)
        scores_.push_back(not_applicable(name, "one concept has no pairs"));
      else
        scores_.push_back(
            number(name, found->mi_ic,
                   {found->concepts.data(), found->concepts.data() + found->concepts.size()}));
    }
  }

  void alignment() {
    constexpr const char* kName = "mi_align";
    add(kName, [&] {
      if (concepts_.width == 1) return not_applicable(kName, "needs concepts that are vectors");
      if (concepts_.active.size() == 0)
        return not_applicable(kName, "the model has no vectors of present and absent concepts");
      if (labels_.empty()) return not_applicable(kName, "needs annotations.labels");
      if (((truth_.array() != 0.0) && (truth_.array() != 1.0)).any())
        return not_applicable(kName, "annotations.concepts are not 0 and 1");
      const Alignment found =
          mi_align(concepts_.active, concepts_.inactive, concepts_.width, truth_, labels_);
      return number(kName, found.mi_align, found.concepts);
    });
  }

  void concepts() {
    const bool binary = ((truth_.array() == 0.0) || (truth_.array() == 1.0)).all();
    if (binary && unnamed(concepts_)) return unnamed_concepts();
    if (!binary) {
      for (const char* name : {"concept_accuracy", "concept_f1", "concept_auc"})
        scores_.push_back(not_applicable(name, "annotations.concepts are not 0 and 1"));
      return;
    }
    ConceptAccuracy found = concept_accuracy(concepts_.probabilities, truth_);
    const double hits = mean(found.accuracy), f1 = mean(found.f1);
    scores_.push_back(number("concept_accuracy", hits, std::move(found.accuracy)));
    scores_.push_back(number("concept_f1", f1, std::move(found.f1)));
    std::erase_if(found.auc, [](double value) { return std::isnan(value); });
    const auto left_out = static_cast<size_t>(truth_.cols()) - found.auc.size();
    const std::string message =
        left_out > 0 ? std::to_string(left_out) + " concepts left out: their truth is constant"
                     : "";
    if (found.auc.empty()) {
      scores_.push_back(none("concept_auc", "undefined", message));
      return;
    }
    const double area = mean(found.auc);
    scores_.push_back(number("concept_auc", area, std::move(found.auc)));
    scores_.back().message = message;
  }

  // Without a threshold there is no accuracy, but there is an order.
  void unnamed_concepts() {
    for (const char* name : {"concept_accuracy", "concept_f1"})
      scores_.push_back(not_applicable(name, "concept scores are no probabilities"));
    add("concept_auc", [&] {
      std::vector<double> by_concept;
      for (Index j = 0; j < truth_.cols(); ++j) {
        const IndexVector there(truth_.col(j).begin(), truth_.col(j).end());
        by_concept.push_back(auc(there, Vector(concepts_.scores.col(j))));
      }
      return number("concept_auc", mean(by_concept), by_concept);
    });
  }

  void task() {
    if (labels_.empty() || concepts_.outputs.size() == 0) {
      for (const char* name : {"task_accuracy", "task_f1", "task_auc"})
        scores_.push_back(not_applicable(
            name, labels_.empty() ? "needs annotations.labels" : "the model has no task outputs"));
      return;
    }
    const bool column = concepts_.outputs.cols() == 1;
    const IndexVector predictions = predicted_classes(concepts_.outputs);
    scores_.push_back(number("task_accuracy", accuracy(labels_, predictions)));
    scores_.push_back(number("task_f1", f1_macro(labels_, predictions)));
    add("task_auc", [&] {
      if (column) return number("task_auc", auc(labels_, Vector(concepts_.outputs.col(0))));
      Matrix p = concepts_.outputs;
      for (Index i = 0; i < p.rows(); ++i) {
        p.row(i) = (p.row(i).array() - p.row(i).maxCoeff()).exp();
        p.row(i) /= p.row(i).sum();
      }
      return number("task_auc", auc_one_vs_one(labels_, p));
    });
  }

  const Views& subject_;
  const ConceptView& concepts_;
  const Matrix& truth_;
  const IndexVector& labels_;
  std::vector<Score> scores_;
};

}  // namespace

std::vector<Score> leakage(const Views& subject) {
  if (const std::string why = lacking(subject); !why.empty()) {
    std::vector<Score> scores;
    for (const char* name : kNames) scores.push_back(not_applicable(name, why));
    return scores;
  }
  if (!unnamed(*subject.concepts)) return Group(subject).scores();
  const AlignedConcepts aligned =
      aligned_concepts(subject.concepts->scores, subject.annotations->concepts);
  Views named = subject;
  named.concepts = &aligned.view;
  return Group(named).scores();
}

std::vector<Metric> declare::leakage() {
  constexpr auto kLower = Direction::kLower, kHigher = Direction::kHigher;
  constexpr auto kNone = Direction::kNone;
  constexpr std::string_view kPaper =
      "Parisini et al., Leakage and Interpretability in Concept-Based Models, 2025";
  constexpr std::string_view kCommon = "the common measure; as reported in Parisini et al., 2025";
  const std::vector<std::string_view> views{"concept_view", "concepts"};
  const std::vector<std::string_view> labelled{"concept_view", "concepts", "labels"};
  return from_pass<metrics::leakage>({
      {"ctl", "leakage", "Do predicted concepts say more about the label than true ones?", kLower,
       0.0, kUnbounded, "", kPaper, labelled},
      {"icl", "leakage", "Do predicted concepts say more about each other than true ones?", kLower,
       0.0, kUnbounded, "", kPaper, views},
      {"icl_ij", "leakage", "And the pair that does so most?", kLower, 0.0, kUnbounded, "", kPaper,
       views},
      {"ctl_noise", "leakage", "ctl, where ties are so many that noise has to break them", kLower,
       0.0, kUnbounded, "", kPaper, labelled},
      {"icl_noise", "leakage", "icl, where ties are so many that noise has to break them", kLower,
       0.0, kUnbounded, "", kPaper, views},
      {"mi_ct", "leakage", "What share of the label does a concept's embedding tell?", kNone, 0.0,
       kUnbounded, "", kPaper, labelled},
      {"mi_ic", "leakage", "What share of another concept does an embedding tell?", kLower, 0.0,
       kUnbounded, "", kPaper, labelled},
      {"mi_self", "leakage", "What share of its own concept does an embedding tell?", kHigher, 0.0,
       kUnbounded, "", kPaper, labelled},
      {"mi_align", "leakage",
       "Does the embedding that the truth asks for tell more of the label than the other? 0: "
       "no",
       kNone, -2.0, 2.0, "", kPaper, labelled},
      {"concept_accuracy", "leakage", "How often is a concept predicted right?", kHigher, 0.0, 1.0,
       "", kCommon, views},
      {"concept_f1", "leakage", "The same by F1, absent and present weighing alike", kHigher, 0.0,
       1.0, "", kCommon, views},
      {"concept_auc", "leakage", "Do samples with a concept get higher probabilities of it?",
       kHigher, 0.0, 1.0, "", kCommon, views},
      {"task_accuracy", "leakage", "How often is the label predicted right?", kHigher, 0.0, 1.0, "",
       kCommon, labelled},
      {"task_f1", "leakage", "The same by F1, all classes weighing alike", kHigher, 0.0, 1.0, "",
       kCommon, labelled},
      {"task_auc", "leakage", "Do samples of a class get higher probabilities of it?", kHigher, 0.0,
       1.0, "", "Hand and Till, Machine Learning 45, 2001", labelled},
  });
}

}  // namespace conoscope::metrics
