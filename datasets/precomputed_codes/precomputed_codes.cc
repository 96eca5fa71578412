// SPDX-License-Identifier: Apache-2.0
// Latent codes that somebody else's encoder left in files, and the generative factors of the same
// samples.

#include <optional>

#include "conoscope/sdk/dataset.h"
#include "datasets/formats/npz.h"
#include "datasets/formats/read_array.h"

namespace {

namespace sdk = conoscope::sdk;
namespace formats = conoscope::formats;

/// A file of its own, or a member of an archive.
formats::Array read(const std::string& file, const std::string& member) {
  if (member.empty()) return formats::read_array(file);
  return formats::Npz(file).get(member);
}

void check_table(const formats::Array& array, const char* what) {
  if (array.shape.size() != 2 || array.shape[0] < 2 || array.shape[1] < 1)
    throw std::invalid_argument(array.origin + ": " + what + " are " + array.shape_text() +
                                ", expected samples x columns, two samples at least");
  formats::check_finite(array, what);
}

void write(sdk::Sink& out, const std::string& name, const formats::Array& array) {
  formats::copy_to<double>(array, out.create<double>(name, array.shape));
}

constexpr auto kParameters = sdk::parameters(
    sdk::file("codes").help(
        "n x m: the codes, means of the posterior for a variational autoencoder"),
    sdk::text("codes_member", "").help("where the file is an .npz archive: the name of the array"),
    sdk::file("factors").help("n x F: the generative factors of the same samples, one column each"),
    sdk::text("factors_member", "")
        .help("where the file is an .npz archive: the name of the array"),
    sdk::optional_file("log_variance")
        .help(
            "n x m: logarithms of the posteriors' variances, for the metric kl; empty: not known"),
    sdk::text("log_variance_member", "")
        .help("where the file is an .npz archive: the name of the array"),
    sdk::real("test_share", 0.5)
        .between(0.01, 0.99)
        .help("share of the samples that the metrics see; the others are for metrics that train"));

class PrecomputedCodes final : public sdk::Dataset {
 public:
  explicit PrecomputedCodes(const sdk::ParamsOf<kParameters>& params)
      : codes_(params.file("codes")),
        codes_member_(params.text("codes_member")),
        factors_(params.file("factors")),
        factors_member_(params.text("factors_member")),
        log_variance_(params.file("log_variance")),
        log_variance_member_(params.text("log_variance_member")),
        test_share_(params.real("test_share")) {}

  void load(const sdk::Context& context, sdk::Sink& out) override {
    const formats::Array codes = read(codes_, codes_member_);
    const formats::Array factors = read(factors_, factors_member_);
    check_table(codes, "codes");
    check_table(factors, "factors");
    if (codes.shape[0] != factors.shape[0])
      throw std::invalid_argument(codes.origin + " has " + codes.shape_text() + " codes, but " +
                                  factors.origin + " " + factors.shape_text() +
                                  " factors: not the same samples");
    if (!log_variance_.empty()) {
      const formats::Array variances = read(log_variance_, log_variance_member_);
      check_table(variances, "logarithms of variances");
      if (variances.shape != codes.shape)
        throw std::invalid_argument(codes.origin + " has " + codes.shape_text() + " codes, but " +
                                    variances.origin + " " + variances.shape_text() +
                                    " logarithms of variances, expected one for each code");
      write(out, "codes_log_variance", variances);
    }
    context.check_cancelled();
    write(out, "codes", codes);
    write(out, "factors", factors);
    const std::vector<std::int64_t> one_class(static_cast<std::size_t>(codes.shape[0]), 0);
    sdk::write_split(out, sdk::stratified_split(one_class, test_share_, context.seed()));
  }

 private:
  std::string codes_, codes_member_, factors_, factors_member_, log_variance_, log_variance_member_;
  double test_share_;
};

}  // namespace

CONOSCOPE_DATASET(PrecomputedCodes, "precomputed_codes", "1.1.0", R"toml(
summary = "latent codes of your own encoder and the generative factors, from .npy, .npz or .csv files"
licence = "that of your files"
citation = ""
needs = []
offers = ["factors", "latent_view"]
seeded = true
)toml",
                  kParameters)
