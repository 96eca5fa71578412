// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/core/artifacts/cache.h"
#include "harness/core/measure/part_names.h"
#include "harness/core/plan/component.h"
#include "harness/core/processes/worker_process.h"
#include "results/store/rows.h"

namespace conoscope::core {

/// Arrays of a user's own, without a run file: what is to be judged, and how.
struct MeasureRequest {
  Component data;                     ///< the dataset that reads the files
  std::vector<Component> explainers;  ///< fitted to the files' head view on the way
  /// Answers interventions on the files' concepts, where they bring a head over them.
  std::optional<PluginUse> concept_model;
  std::vector<std::string> metrics;       ///< built-in ones
  std::vector<Component> metric_plugins;  ///< others, each for whatever subjects have its needs
  /// Twins of every explanation, see controls(); those that explain anew, of fitted ones alone.
  std::vector<std::string> controls;
  std::int64_t seed = 0;
  std::int64_t splits = 1;  ///< that are drawn; more than one: the files may bring none
  /// Of splits that are drawn; then the files may bring none. Not given: a fifth where there is
  /// something to fit or several are drawn, else every row is judged and none trains.
  std::optional<double> test_share;
  WorkerLimits limits;
  std::uint32_t threads = 1;
  bool keep_hashes = false;  ///< see Measured::hashes
  /// The folder where the explanations of the first split are left, each in NAME.npz; empty: nowhere.
  std::filesystem::path save_explanations;
};

/// The files and the options contradict each other; the message says how.
class MeasureRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A metric of one subject, once for each split.
struct MeasuredScore {
  std::string metric;
  std::string better;                     ///< lower, higher or none
  std::vector<results::ScoreRow> scores;  ///< without a value and with a reason where there is none
  std::vector<double> parts;              ///< of the first split; NaN: left out
  bool by_sample = false;                 ///< the parts are those of Measured::rows
};

/// What the workers took for one subject and split.
struct MeasuredCost {
  double seconds = 0;
  std::uint64_t peak_memory = 0;  ///< of the hungriest, in bytes
  std::string started_at;         ///< when the first of them was; empty: there was none
};

/// One split's explanation compared with those of other splits: metrics over seeds.
struct MeasuredComparison {
  std::vector<std::size_t> others;  ///< the splits it is compared with; empty: it was not compared
  MeasuredCost cost;
};

/// What was judged: the files' model, their explanation, or one that was fitted.
struct MeasuredSubject {
  std::string name;  ///< "model", "files", or the explainer's
  bool explanation = false;
  std::string control = "none";
  std::vector<MeasuredScore> scores;
  std::vector<MeasuredCost> costs;              ///< of every split
  std::vector<MeasuredComparison> comparisons;  ///< of every split; empty: no metric over seeds
};

/// A metric that no subject has the views for.
struct MissingViews {
  std::string metric, better;
  std::vector<std::string> views;
};

struct Measured {
  std::vector<MeasuredSubject> subjects;
  std::vector<MissingViews> missing;
  AxisNames names;                            ///< of what parts are of
  std::vector<std::int64_t> rows;             ///< that were judged, of the first split
  std::int64_t train = 0, test = 0;           ///< rows of the first split
  bool drawn = false;                         ///< the rows were split here, not by the files
  std::string log;                            ///< what was said while the files were read
  std::map<std::string, std::string> hashes;  ///< sha256 of every array, where they were asked for
  std::string split;  ///< in words that tell splits apart: "all", "files", "drawn 0.2"
  std::vector<std::string> faults;   ///< what went wrong and left metrics without a number
  std::vector<std::string> unsaved;  ///< why explanations that were to be saved are not

  /// Of the splits' variance: test rows for each training row; 0: nothing was trained.
  double resampled() const {
    return train == 0 ? 0.0 : static_cast<double>(test) / static_cast<double>(train);
  }
};

/// Reads the files in a worker, and has workers fit and judge, just as a run's cells are: with the
/// same plugins, jobs and metrics. Metrics of explanations judge the explanations, those of models
/// and encoders what the files have of these. Metrics over seeds compare what was fitted to each split
/// with what was fitted to the others.
///
/// progress  told what begins: "4/15 craft, split 2 of 5"
/// throws    DatasetNotLoaded, MeasureRefused; CacheError: the arrays of a split cannot be written
///           there; std::runtime_error: no process can be started
Measured measure(const MeasureRequest& request, const Cache& cache,
                 const std::function<void(const std::string&)>& progress);

}  // namespace conoscope::core
