// SPDX-License-Identifier: Apache-2.0
// What somebody else's network left in files: activations and the head above them, an explanation of
// it, learnt concepts, codes, and what is known about the samples. Everything is cross-checked before
// anything is written.

#include <algorithm>
#include <map>

#include "conoscope/sdk/dataset.h"
#include "datasets/list_text.h"
#include "datasets/precomputed/checks.h"
#include "datasets/precomputed/head.h"
#include "datasets/precomputed/sources.h"
#include "datasets/precomputed/write.h"

namespace {

namespace sdk = conoscope::sdk;
namespace formats = conoscope::formats;
using namespace conoscope::datasets;

void write_whole(sdk::Sink& out, const std::string& name, std::span<const std::int64_t> values) {
  std::ranges::copy(
      values, out.create<std::int64_t>(name, {static_cast<std::int64_t>(values.size())}).begin());
}

constexpr auto kParameters = sdk::parameters(
    sdk::optional_file("archive")
        .offers("annotations")
        .help(".npz, .safetensors or HDF5 file whose arrays have the names of the parameters "
              "below; a file given by itself wins"),
    sdk::optional_file("activations")
        .help("n x height x width x D, n x P x D or n x D, before pooling"),
    sdk::optional_file("train_activations")
        .help("in place of activations: the training split's rows"),
    sdk::optional_file("test_activations").help("in place of activations: the test split's rows"),
    sdk::optional_file("head_weight").help("outputs x D; with pooling = flatten: outputs x P*D"),
    sdk::optional_file("head_bias").help("one per output; zeros for a head without bias"),
    sdk::optional_file("cavs").help(
        "concepts x D: directions that explain the head; class-specific ones output after output"),
    sdk::optional_file("importance")
        .help("of the concepts: outputs x concepts, or one for each row of cavs with counts"),
    sdk::optional_file("counts").help("how many rows of cavs belong to each output"),
    sdk::optional_file("concept_scores")
        .offers("concept_view")
        .help("n x k, or n x k x w for embeddings: learnt concepts"),
    sdk::optional_file("concept_probabilities")
        .help("n x k, in [0, 1]; not given: concept_scores, where they lie in [0, 1]"),
    sdk::optional_file("task_outputs").help("n x C: what the model makes of its concepts"),
    sdk::optional_file("concept_active")
        .help("as concept_scores: what an intervention writes where a concept is there"),
    sdk::optional_file("concept_inactive").help("the same where it is not there"),
    sdk::optional_file("concept_head_weight")
        .help("C x (k * w): a linear head over the concepts, which answers interventions"),
    sdk::optional_file("concept_head_bias").help("C; with concept_head_weight"),
    sdk::optional_file("reference_outputs")
        .help("n x C: what the same kind of head, trained by itself on the true concepts, makes of "
              "them"),
    sdk::optional_file("codes").offers("latent_view").help("n x m: codes of an encoder"),
    sdk::optional_file("codes_log_variance").help("n x m: logarithms of the posteriors' variances"),
    sdk::optional_file("reconstruction_loss").help("n: -log p(x|z)"),
    sdk::optional_file("labels").offers("labels").help("the class of every row, from 0"),
    sdk::optional_file("train_labels")
        .offers("labels")
        .help("in place of labels: those of train_activations"),
    sdk::optional_file("test_labels")
        .offers("labels")
        .help("in place of labels: those of test_activations"),
    sdk::optional_file("targets").offers("targets").help(
        "n x outputs: attributes (0 or 1) or regression targets"),
    sdk::optional_file("concepts").offers("concepts").help("n x k: annotated concepts"),
    sdk::optional_file("concept_groups")
        .help("k numbers from 0: concepts of equal numbers are told together"),
    sdk::optional_file("factors").offers("factors").help("n x F: generative factors"),
    sdk::optional_file("inputs").offers("inputs").help(
        "n x height x width x channels: the images, for pictures; in the order of activations"),
    sdk::optional_file("segment_embeddings")
        .offers("segments")
        .help(
            "m x D: features of image segments, each run through the network by itself and pooled"),
    sdk::optional_file("segment_sample")
        .help("m row numbers from 0: the sample that each segment is cut from; with "
              "segment_embeddings"),
    sdk::optional_file("logits").help(
        "n x outputs as the network gave them; only compared with what the head gives"),
    sdk::optional_file("train_index")
        .help("row numbers of the training split, from 0; with test_index"),
    sdk::optional_file("test_index").help("row numbers of the test split"),
    sdk::texts("members", {})
        .empty_means("none")
        .help("NAME=ARRAY for each parameter whose array has another name in its file; of a .csv "
              "file NAME=COLUMN,COLUMN"),
    sdk::real("test_share", 0.2)
        .between(0.01, 0.99)
        .help("where the files do not split: share of every class that goes to the test split"),
    sdk::integer("test_per_class", 0)
        .at_least(0)
        .help("where the files do not split: so many samples of every class go to the test split, "
              "which is then balanced; 0: by test_share"),
    head_pooling(), head_output());

class Precomputed final : public sdk::Dataset {
 public:
  explicit Precomputed(const sdk::ParamsOf<kParameters>& params)
      : sources_(params.unchecked(), kParameters, "precomputed"),
        pooling_(params.text("pooling")),
        output_(params.text("output")),
        test_share_(params.real("test_share")),
        test_per_class_(params.integer("test_per_class")) {}

  void load(const sdk::Context& context, sdk::Sink& out) override {
    for (const std::string& name : sources_.unused())
      context.log("precomputed: the archive's array " + name + " is not used");

    const std::optional<Head> head =
        read_head(sources_, sources_.whole_or_halves("activations"), pooling_, output_, context);
    if (head) {
      samples_ = head->samples();
      like_ = head->origin();
    } else {
      find_samples();
    }
    context.progress(0.3);
    const auto find = [this](const std::string& name) { return sources_.find(name); };
    const auto cavs = find("cavs"), importance = find("importance"), counts = find("counts");
    std::string scope;
    if (cavs || importance || counts) {
      if (!head) sources_.get("activations");  // refuses
      scope = check_explanation(cavs, importance, counts, head->weight, head->width());
    }
    const std::optional<ConceptArrays> concepts = read_concepts(find, samples_, like_);
    const auto codes = read_codes(find, samples_, like_);
    const std::vector<std::int64_t> labels = load_labels(head);
    const auto annotations = load_annotations(head);
    const auto known = annotations.find("concepts");
    const auto images = read_images(find("inputs"), samples_, like_);
    const std::vector<std::int64_t> groups = read_groups(
        find("concept_groups"), known == annotations.end() ? 0 : known->second.shape[1]);
    const auto embeddings = find("segment_embeddings"), owners = find("segment_sample");
    if ((embeddings || owners) && !head) sources_.get("activations");
    const std::vector<std::int64_t> segments =
        head ? read_segments(embeddings, owners, samples_, head->width(), head->first().origin)
             : std::vector<std::int64_t>();
    bool drawn = false;
    const sdk::Split split = load_split(head, labels, context.seed(), drawn);
    context.check_cancelled();
    context.progress(0.5);

    if (head) {
      write_head(out, *head);
      out.text("task", output_ == "softmax"   ? "classification"
                       : output_ == "sigmoid" ? "attributes"
                                              : "regression");
    }
    if (!scope.empty()) {
      write(out, "cavs", {*cavs}, cavs->shape);
      write(out, "importance", {*importance}, importance->shape);
      if (counts) write_whole(out, "counts", formats::to_vector<std::int64_t>(*counts));
      out.text("scope", scope);
    }
    if (concepts) {
      write_concepts(out, *concepts);
      if (!concepts->probabilities)
        context.log(
            "precomputed: concept_scores go beyond [0, 1] and concept_probabilities are not given: "
            "the concepts are matched with the annotated ones by correlation");
    }
    for (const auto& [name, array] : codes) write(out, name, {array}, array.shape);
    if (!labels.empty()) write_whole(out, "labels", labels);
    for (const auto& [name, columns] : annotations) {
      write(out, name, {columns}, columns.shape);
      if (!columns.columns.empty())  // concepts: concept_names
        out.text(name.substr(0, name.size() - 1) + "_names", list_text(columns.columns));
    }
    if (!groups.empty()) write_whole(out, "concept_groups", groups);
    if (images) write_images(out, *images);
    if (embeddings) {
      write(out, "segment_embeddings", {*embeddings}, embeddings->shape);
      write_whole(out, "segment_sample", segments);
    }
    sdk::write_split(out, split);
    out.text("split", drawn ? "drawn" : "given");
  }

 private:
  /// Without activations the learnt concepts or the codes say how many samples there are, or else
  /// what is known about the samples, for models that bring files of their own.
  void find_samples() {
    for (const std::string name :
         {"concept_scores", "codes", "concepts", "factors", "targets", "labels"}) {
      const auto found = sources_.find(name);
      if (!found) continue;
      const bool learnt = name == "concept_scores" || name == "codes";
      if (found->shape.size() < (learnt ? 2U : 1U))
        throw std::invalid_argument(found->origin + ": " + name + " are " + found->shape_text() +
                                    ", expected samples x columns");
      samples_ = found->shape[0];
      like_ = found->origin;
      return;
    }
    throw std::invalid_argument(
        "precomputed: nothing says how many samples there are; give activations, concept_scores, "
        "codes, concepts, factors, targets or labels, by a file each or in the archive");
  }

  std::vector<std::int64_t> load_labels(const std::optional<Head>& head) const {
    const std::vector<formats::Array> parts = sources_.whole_or_halves("labels");
    if (parts.size() > 1 && (!head || head->activations.size() < 2))
      throw std::invalid_argument(parts[0].origin +
                                  ": train_labels goes with train_activations, but " +
                                  (head ? head->first().origin : like_) + " is not split");
    std::vector<std::int64_t> labels;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool whole = parts.size() == 1;
      const auto rows = whole ? samples_ : head->activations[i].shape[0];
      const std::string& like = whole ? like_ : head->activations[i].origin;
      as_columns(parts[i], "labels", rows, like);
      const bool softmax = head && output_ == "softmax";
      const auto values = read_labels(parts[i], softmax, head ? head->weight.shape[0] : 0,
                                      head ? head->weight.origin : "");
      labels.insert(labels.end(), values.begin(), values.end());
    }
    return labels;
  }

  sdk::Split load_split(const std::optional<Head>& head, const std::vector<std::int64_t>& labels,
                        sdk::Seed seed, bool& drawn) const {
    const bool halves = head && head->activations.size() > 1;
    const auto train = sources_.find("train_index"), test = sources_.find("test_index");
    if (train.has_value() != test.has_value())
      throw std::invalid_argument((train ? train : test)->origin + ": " +
                                  (train ? "train_index is given without test_index"
                                         : "test_index is given without train_index"));
    if (train && halves)
      throw std::invalid_argument(train->origin + ": train_index is given, but " +
                                  head->activations[0].origin + " and " +
                                  head->activations[1].origin + " are split already");
    if (train) return read_split(*train, *test, samples_);
    if (halves) {
      sdk::Split split;
      for (std::int64_t i = 0; i < samples_; ++i)
        (i < head->activations[0].shape[0] ? split.train : split.test).push_back(i);
      return split;
    }
    drawn = true;
    if (test_per_class_ > 0) {
      if (labels.empty())
        throw std::invalid_argument("test_per_class = " + std::to_string(test_per_class_) +
                                    " needs labels");
      return sdk::balanced_split(labels, test_per_class_, seed);
    }
    const std::vector<std::int64_t> one_class(static_cast<std::size_t>(samples_), 0);
    return sdk::stratified_split(labels.empty() ? one_class : labels, test_share_, seed);
  }

  std::map<std::string, formats::Array> load_annotations(const std::optional<Head>& head) const {
    std::map<std::string, formats::Array> annotations;
    for (const char* name : {"targets", "concepts", "factors"})
      if (const auto found = sources_.find(name))
        annotations[name] = as_columns(*found, name, samples_, like_);
    if (const auto targets = annotations.find("targets"); targets != annotations.end() && head)
      check_targets(targets->second, head->weight, output_ == "sigmoid");
    return annotations;
  }

  Sources sources_;
  std::string pooling_, output_;
  double test_share_;
  std::int64_t test_per_class_;
  std::int64_t samples_ = 0;
  std::string like_;  ///< the file or files that say how many samples there are
};

}  // namespace

CONOSCOPE_DATASET(Precomputed, "precomputed", "1.1.0", R"toml(
summary = "arrays of your own network: .npy, .npz, .safetensors, HDF5 or .csv files"
licence = "that of your files"
citation = ""
needs = []
offers = ["head_view"]
seeded = true
added = ["test_per_class", "concept_groups", "inputs"]
)toml",
                  kParameters)
