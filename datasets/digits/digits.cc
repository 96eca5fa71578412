// The 1797 handwritten digits of the UCI repository, carried inside the plugin: 8 x 8 images, ten
// classes, a stratified split by seed.

#include <algorithm>

#include "conoscope/sdk/dataset.h"
#include "conoscope/sdk/split.h"
#include "datasets/formats/csv.h"

extern "C" const char conoscope_digits_csv_gz[], conoscope_digits_csv_gz_end[];

namespace {

namespace sdk = conoscope::sdk;
namespace formats = conoscope::formats;

constexpr std::int64_t kSide = 8, kPixels = kSide * kSide;
constexpr double kBrightest = 16.0;

class Digits final : public sdk::Dataset {
 public:
  explicit Digits(const sdk::Params& params) : test_share_(params.real("test_share")) {}

  void load(const sdk::Context& context, sdk::Sink& out) override {
    const formats::Table table = formats::parse_csv(
        formats::gunzip({conoscope_digits_csv_gz, conoscope_digits_csv_gz_end}, "digits.csv.gz"),
        "digits.csv", formats::CsvHeader::absent);

    const auto inputs = out.create<float>("inputs", {table.rows, kSide, kSide, 1});
    const auto labels = out.create<std::int64_t>("labels", {table.rows});
    const double* row = table.values.data();
    for (std::size_t i = 0; i < labels.size(); ++i, row += table.width) {
      for (std::size_t p = 0; p < kPixels; ++p)
        inputs[i * kPixels + p] = static_cast<float>(row[p] / kBrightest);
      labels[i] = static_cast<std::int64_t>(row[kPixels]);
    }

    const sdk::Split split = sdk::stratified_split(labels, test_share_, context.seed());
    std::ranges::copy(split.train,
                      out.create<std::int64_t>("train_index", count(split.train)).begin());
    std::ranges::copy(split.test,
                      out.create<std::int64_t>("test_index", count(split.test)).begin());
    out.text("task", "classification");
  }

 private:
  static std::vector<std::int64_t> count(const std::vector<std::int64_t>& rows) {
    return {static_cast<std::int64_t>(rows.size())};
  }

  double test_share_;
};

}  // namespace

CONOSCOPE_DATASET(Digits, "digits", "1.0.0", R"toml(
summary = "1797 handwritten digits, 8 x 8 grey images in ten classes; needs no file"
licence = "CC BY 4.0"
citation = "Alpaydin & Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning Repository, 1998, https://doi.org/10.24432/C50P49"
needs = []
offers = ["inputs", "labels"]
seeded = true

[parameters.test_share]
type = "real"
default = 0.2
min = 0.01
max = 0.99
help = "share of every class that goes to the test split"
)toml")
