// SPDX-License-Identifier: Apache-2.0
// The 1797 handwritten digits of the UCI repository, carried inside the plugin: 8 x 8 images, a
// split by seed that keeps the share of every digit. What is to be predicted is the digit as a
// class, four attributes of it, or its value as a number.

#include <algorithm>
#include <array>

#include "conoscope/sdk/dataset.h"
#include "datasets/formats/csv.h"
#include "datasets/formats/gzip.h"

extern "C" const char conoscope_digits_csv_gz[], conoscope_digits_csv_gz_end[];

namespace {

namespace sdk = conoscope::sdk;
namespace formats = conoscope::formats;

constexpr std::int64_t kSide = 8, kPixels = kSide * kSide;
constexpr double kBrightest = 16.0;

/// A digit is 0 ... 9; in each row, whether it has the attribute.
constexpr std::array<std::array<bool, 10>, 4> kAttributes = {{
    {true, false, true, false, true, false, true, false, true, false},   // even
    {false, false, false, false, false, true, true, true, true, true},   // five or more
    {true, false, false, false, false, false, true, false, true, true},  // a closed loop
    {false, false, true, true, false, true, false, true, false, false},  // prime
}};

constexpr auto kParameters =
    sdk::parameters(sdk::real("test_share", 0.2)
                        .between(0.01, 0.99)
                        .help("share of every digit that goes to the test split"),
                    sdk::text("task", "digit")
                        .choices({"digit", "attributes", "value"})
                        .choice_offers({"labels", "targets", "targets"})
                        .help("what is to be predicted: the class, four attributes (even; five or "
                              "more; a closed loop: 0, 6, 8, 9; prime), or the number"));

class Digits final : public sdk::Dataset {
 public:
  explicit Digits(const sdk::ParamsOf<kParameters>& params)
      : test_share_(params.real("test_share")), task_(params.text("task")) {}

  void load(const sdk::Context& context, sdk::Sink& out) override {
    const formats::CsvTable table = formats::parse_csv(
        formats::gunzip({conoscope_digits_csv_gz, conoscope_digits_csv_gz_end}, "digits.csv.gz"),
        "digits.csv", {.header = formats::CsvHeader::kAbsent, .separator = ','});

    const auto inputs = out.create<float>("inputs", {table.rows, kSide, kSide, 1});
    std::vector<std::int64_t> digits(static_cast<std::size_t>(table.rows));
    const double* row = table.values.data();
    for (std::size_t i = 0; i < digits.size(); ++i, row += table.width) {
      for (std::size_t p = 0; p < kPixels; ++p)
        inputs[i * kPixels + p] = static_cast<float>(row[p] / kBrightest);
      digits[i] = static_cast<std::int64_t>(row[kPixels]);
    }

    sdk::write_split(out, sdk::stratified_split(digits, test_share_, context.seed()));
    write_task(digits, out);
  }

 private:
  void write_task(const std::vector<std::int64_t>& digits, sdk::Sink& out) const {
    if (task_ == "digit") {
      std::ranges::copy(digits, out.create<std::int64_t>("labels", count(digits)).begin());
      return out.text("task", "classification");
    }
    const bool attributes = task_ == "attributes";
    const std::size_t width = attributes ? kAttributes.size() : 1;
    const auto targets =
        out.create<float>("targets", {count(digits)[0], static_cast<std::int64_t>(width)});
    for (std::size_t i = 0; i < digits.size(); ++i)
      for (std::size_t a = 0; a < width; ++a)
        targets[i * width + a] = attributes ? kAttributes[a][static_cast<std::size_t>(digits[i])]
                                            : static_cast<float>(digits[i]);
    out.text("task", attributes ? "attributes" : "regression");
  }

  static std::vector<std::int64_t> count(const std::vector<std::int64_t>& rows) {
    return {static_cast<std::int64_t>(rows.size())};
  }

  double test_share_;
  std::string task_;
};

}  // namespace

CONOSCOPE_DATASET(Digits, "digits", "1.1.0", R"toml(
summary = "1797 handwritten digits, 8 x 8 grey images: class, attributes or value; needs no file"
licence = "CC BY 4.0"
citation = "Alpaydin & Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning Repository, 1998, https://doi.org/10.24432/C50P49"
needs = []
offers = ["inputs"]
seeded = true
)toml",
                  kParameters)
