// A head view that somebody else's network left in files: activations, the head above them and what
// is known about the samples. Everything is cross-checked before anything is written.

#include <algorithm>
#include <cstring>
#include <map>

#include "conoscope/sdk/dataset.h"
#include "datasets/precomputed/checks.h"
#include "datasets/precomputed/sources.h"

namespace {

namespace sdk = conoscope::sdk;
namespace formats = conoscope::formats;
using namespace conoscope::datasets;

/// float16, float32 and small whole numbers fit in float32 without loss.
bool fits_float32(const formats::Array& array) {
  return array.dtype != formats::DType::f8 &&
         (formats::is_floating(array.dtype) || formats::size_of(array.dtype) <= 2);
}

void write(sdk::Sink& out, const std::string& name, const std::vector<formats::Array>& parts,
           std::vector<std::int64_t> shape) {
  const auto fill = [&]<typename T>(std::span<T> values) {
    for (const formats::Array& part : parts) {
      const auto size = static_cast<std::size_t>(part.size());
      formats::copy_to<T>(part, values.first(size));
      values = values.subspan(size);
    }
  };
  if (std::ranges::all_of(parts, fits_float32))
    fill(out.create<float>(name, shape));
  else
    fill(out.create<double>(name, shape));
}

/// Activations may be large: float16 stays float16.
void write_activations(sdk::Sink& out, const std::vector<formats::Array>& parts,
                       const std::vector<std::int64_t>& shape) {
  if (!std::ranges::all_of(
          parts, [](const formats::Array& part) { return part.dtype == formats::DType::f2; }))
    return write(out, "activations", parts, shape);
  auto values = out.create<sdk::Half>("activations", shape);
  for (const formats::Array& part : parts) {
    std::memcpy(values.data(), part.bytes.data(), part.bytes.size());
    values = values.subspan(static_cast<std::size_t>(part.size()));
  }
}

void write(sdk::Sink& out, const std::string& name, std::span<const std::int64_t> values) {
  std::ranges::copy(
      values, out.create<std::int64_t>(name, {static_cast<std::int64_t>(values.size())}).begin());
}

constexpr auto kParameters = sdk::parameters(
    sdk::optional_file("archive")
        .offers("annotations")
        .help(".npz whose arrays have the names of the parameters below; a file given by itself "
              "wins"),
    sdk::optional_file("activations")
        .help("n x height x width x D, n x P x D or n x D, before pooling"),
    sdk::optional_file("train_activations")
        .help("in place of activations: the training split's rows"),
    sdk::optional_file("test_activations").help("in place of activations: the test split's rows"),
    sdk::optional_file("head_weight").help("outputs x D; with pooling = flatten: outputs x P*D"),
    sdk::optional_file("head_bias").help("one per output; zeros for a head without bias"),
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
    sdk::optional_file("factors").offers("factors").help("n x F: generative factors"),
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
    sdk::real("test_share", 0.2)
        .between(0.01, 0.99)
        .help("where the files do not split: share of every class that goes to the test split"),
    sdk::text("pooling", "auto")
        .choices({"auto", "mean", "none", "flatten"})
        .help("what lies between activations and head; auto: mean if there are several positions"),
    sdk::text("output", "softmax")
        .choices({"softmax", "sigmoid", "regression"})
        .help("what the head's outputs mean"));

class Precomputed final : public sdk::Dataset {
 public:
  explicit Precomputed(const sdk::ParamsOf<kParameters>& params)
      : sources_(params.unchecked(), kParameters),
        pooling_(params.text("pooling")),
        output_(params.text("output")),
        test_share_(params.real("test_share")) {}

  void load(const sdk::Context& context, sdk::Sink& out) override {
    for (const std::string& name : sources_.unused())
      context.log("precomputed: the archive's array " + name + " is not used");

    std::vector<formats::Array> activations = sources_.whole_or_halves("activations");
    if (activations.empty()) activations.push_back(sources_.get("activations"));
    for (formats::Array& part : activations) {
      context.check_cancelled();
      part = as_positions(part);
    }
    const formats::Array& first = activations.front();
    const formats::Array& last = activations.back();
    if (first.shape[1] != last.shape[1] || first.shape[2] != last.shape[2])
      throw std::invalid_argument(first.origin + " has activations of " + first.shape_text() +
                                  ", but " + last.origin + " of " + last.shape_text());
    samples_ = first.shape[0] + (activations.size() > 1 ? last.shape[0] : 0);
    like_ =
        activations.size() > 1 ? first.origin + " and " + last.origin + " together" : first.origin;
    context.progress(0.3);

    const formats::Array weight = sources_.get("head_weight"), bias = sources_.get("head_bias");
    const std::string pooling = resolve_pooling(pooling_, first);
    check_head(weight, bias, first, pooling, output_);
    if (const auto logits = sources_.find("logits"))
      check_logits(*logits, samples_, first, weight, bias, pooling);

    const std::vector<std::int64_t> labels = load_labels(activations, weight);
    const auto annotations = load_annotations(weight);
    const auto embeddings = sources_.find("segment_embeddings");
    const auto owners = sources_.find("segment_sample");
    const std::vector<std::int64_t> segments =
        read_segments(embeddings, owners, samples_, first.shape[2], first.origin);
    const sdk::Split split = load_split(activations, labels, context.seed());
    context.check_cancelled();
    context.progress(0.5);

    write_activations(out, activations, {samples_, first.shape[1], first.shape[2]});
    write(out, "head_weight", {weight}, weight.shape);
    write(out, "head_bias", {bias}, bias.shape);
    if (!labels.empty()) write(out, "labels", labels);
    for (const auto& [name, columns] : annotations) write(out, name, {columns}, columns.shape);
    if (embeddings) {
      write(out, "segment_embeddings", {*embeddings}, embeddings->shape);
      write(out, "segment_sample", segments);
    }
    sdk::write_split(out, split);
    out.text("pooling", pooling);
    out.text("output", output_);
    out.text("task", output_ == "softmax"   ? "classification"
                     : output_ == "sigmoid" ? "attributes"
                                            : "regression");
  }

 private:
  std::vector<std::int64_t> load_labels(const std::vector<formats::Array>& activations,
                                        const formats::Array& weight) const {
    const std::vector<formats::Array> parts = sources_.whole_or_halves("labels");
    if (parts.size() > activations.size())
      throw std::invalid_argument(parts[0].origin +
                                  ": train_labels goes with train_activations, but " +
                                  activations[0].origin + " is not split");
    std::vector<std::int64_t> labels;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool whole = parts.size() == 1;
      const auto rows = whole ? samples_ : activations[i].shape[0];
      const std::string& like = whole ? like_ : activations[i].origin;
      as_columns(parts[i], "labels", rows, like);
      const auto values =
          read_labels(parts[i], output_ == "softmax", weight.shape[0], weight.origin);
      labels.insert(labels.end(), values.begin(), values.end());
    }
    return labels;
  }

  sdk::Split load_split(const std::vector<formats::Array>& activations,
                        const std::vector<std::int64_t>& labels, sdk::Seed seed) const {
    const auto train = sources_.find("train_index"), test = sources_.find("test_index");
    if (train.has_value() != test.has_value())
      throw std::invalid_argument((train ? train : test)->origin + ": " +
                                  (train ? "train_index is given without test_index"
                                         : "test_index is given without train_index"));
    if (train && activations.size() > 1)
      throw std::invalid_argument(train->origin + ": train_index is given, but " +
                                  activations[0].origin + " and " + activations[1].origin +
                                  " are split already");
    if (train) return read_split(*train, *test, samples_);
    if (activations.size() > 1) {
      sdk::Split split;
      for (std::int64_t i = 0; i < samples_; ++i)
        (i < activations[0].shape[0] ? split.train : split.test).push_back(i);
      return split;
    }
    const std::vector<std::int64_t> one_class(static_cast<std::size_t>(samples_), 0);
    return sdk::stratified_split(labels.empty() ? one_class : labels, test_share_, seed);
  }

  std::map<std::string, formats::Array> load_annotations(const formats::Array& weight) const {
    std::map<std::string, formats::Array> annotations;
    for (const char* name : {"targets", "concepts", "factors"})
      if (const auto found = sources_.find(name))
        annotations[name] = as_columns(*found, name, samples_, like_);
    if (const auto targets = annotations.find("targets"); targets != annotations.end())
      check_targets(targets->second, weight, output_ == "sigmoid");
    return annotations;
  }

  Sources sources_;
  std::string pooling_, output_;
  double test_share_;
  std::int64_t samples_ = 0;
  std::string like_;  ///< the file or files that say how many samples there are
};

}  // namespace

CONOSCOPE_DATASET(Precomputed, "precomputed", "1.0.0", R"toml(
summary = "activations and head of your own network, from .npy, .npz or .csv files"
licence = "that of your files"
citation = ""
needs = []
offers = ["head_view"]
seeded = true
)toml",
                  kParameters)
