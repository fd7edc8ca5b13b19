#include "gpubench/record/parameter.h"

#include <algorithm>

#include "gpubench/core/error.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/workload.h"
#include "record/field_value.h"

namespace gpubench {
namespace {

using P = TrainPoint;
using enum Comparability;

constexpr Effects kAllButAccuracy = {kCaveat, kCaveat, kCaveat, kComparable, kCaveat};
constexpr std::int64_t kDefaultEpochs = 3;
constexpr std::int64_t kDefaultMinEpochs = 5;
constexpr std::int64_t kDefaultMaxEpochs = 200;
constexpr double kDefaultTarget = 0.02;
constexpr const char* kDefaultBatch = "128";
constexpr double kLargestBatch = 1 << 30;
constexpr std::string_view kLargest = "max";
constexpr std::string_view kPerRank = "/rank";
constexpr std::string_view kTo = "..";

std::int64_t read_positive(std::string_view digits, const char* expected) {
  const std::optional<std::int64_t> value = parse_whole(digits);
  require(value && *value >= 1, "give {}", expected);
  return *value;
}

/// Parses "128", "64/rank" or "max".
FieldValue read_batch(const std::string& word) {
  constexpr const char* kExpected = "a whole number from 1 to 1073741824, such as 128 or 64/rank, or max";
  if (word == kLargest) return word;
  const bool is_per_rank = word.ends_with(kPerRank);
  const std::int64_t size = read_positive(
      std::string_view(word).substr(0, word.size() - (is_per_rank ? kPerRank.size() : 0)), kExpected);
  require(static_cast<double>(size) <= kLargestBatch, "give {}", kExpected);
  return is_per_rank ? FieldValue(word) : FieldValue(size);
}

Access<P> batch_size() {
  Access<P> access = member(&P::batch_size);
  access.set = [](P& point, const FieldValue& value) {
    const auto* const text = std::get_if<std::string>(&value);
    if (text && *text == kLargest) {  // The search starts with the default.
      point.batch_size = read_positive(kDefaultBatch, "a batch size");
      return;
    }
    point.rank_batch = text ? read_positive(text->substr(0, text->find('/')), "a batch size") : 0;
    if (text)
      point.batch_size = 0;
    else
      assign(point.batch_size, value);
  };
  return access;
}

/// Parses "5" or "5..200".
FieldValue read_epochs(const std::string& word) {
  constexpr const char* kExpected = "a number of epochs such as 5, or a range such as 5..200";
  const std::size_t dots = word.find(kTo);
  const std::int64_t first = read_positive(std::string_view(word).substr(0, dots), kExpected);
  const std::int64_t last =
      dots == word.npos ? first : read_positive(std::string_view(word).substr(dots + kTo.size()), kExpected);
  require(last <= kMostEpochs, "give at most {}", kMostEpochs);
  require(first <= last, "the minimum is above the maximum");
  return dots == word.npos ? FieldValue(first) : FieldValue(word);
}

Access<P> epochs() {
  Access<P> access = member(&P::epochs);
  access.set = [](P& point, const FieldValue& value) {
    if (const auto* const range = std::get_if<std::string>(&value)) {
      point.min_epochs = read_positive(range->substr(0, range->find(kTo)), "epochs");
      point.epochs = read_positive(range->substr(range->find(kTo) + kTo.size()), "epochs");
    } else {
      assign(point.epochs, value);
    }
  };
  return access;
}

/// Parses --profile: a flag, or the folder of traces.
FieldValue read_profile(const std::string& word) {
  return word == "true" || word == "false" ? FieldValue(word == "true") : FieldValue(word);
}

Access<P> profile() {
  Access<P> access = member(&P::is_profiled);
  access.set = [](P& point, const FieldValue& value) {
    const auto* const folder = std::get_if<std::string>(&value);
    point.trace = folder ? *folder : "";
    point.is_profiled = folder || std::get<bool>(value);
  };
  return access;
}

Access<P> protocol() {
  Access<P> access = member(&P::protocol);
  access.set = [](P& point, const FieldValue& value) {
    assign(point.protocol, value);
    const std::vector<std::string> known = protocol_names();
    if (std::ranges::find(known, point.protocol) == known.end())
      throw_unknown_name(ErrorKind::kData, "protocol", point.protocol, known);
  };
  return std::move(access).one_of(protocol_names());
}

FieldValue read_learning_rate(const std::string& word) {
  const std::optional<double> rate = parse_decimal(word);
  require(rate && *rate > 0, "give a number above 0");
  return *rate;
}

FieldValue read_target(const std::string& word) {
  const std::optional<double> target = parse_decimal(word);
  require(target && *target > 0 && *target < 1, "give a fraction between 0 and 1, such as 0.02");
  return *target;
}

/// Returns access to a mode: `mode(&TrainingMode::precision)`.
template <class Enum>
Access<P> mode(Enum TrainingMode::*which) {
  return member_by<P>([which](auto& point) -> auto& { return point.mode.*which; });
}

}  // namespace

const ParameterTable<TrainPoint>& train_parameters() {
  using enum InName;
  using enum Span;
  using enum Topic;
  static const ParameterTable<P> parameters({
      // clang-format off
      {"model", "", "model", kInTable, "Model to train",
       member(&P::model).at_least(1).own_word().always(),
       {.option = "--model", .type = "NAME,...", .initial = "cnn", .span = kList, .in_name = kAlways,
        .on_difference = kRefusedOnAll}},
      {"sizes", "", "sizes", kIfUnusual, "Network sizes, such as layers=4 or a preset",
       member(&P::sizes).own_word().optional(),
       {.option = "--model-arg", .type = "NAME=N,...", .in_name = kIfDifferent, .before = " (", .after = ")",
        .on_difference = kRefusedOnAll}},
      {"device", "", "device", kInTable, "Device: auto, cpu, cuda, cuda:1, mps",
       member(&P::device).at_least(1).own_word().always(),
       {.option = "--device", .type = "NAME,...", .initial = "auto", .span = kList, .in_name = kIfDifferent,
        .before = " on ", .on_difference = kNoEffect}},
      {"dataset", "", "dataset", kInTable, "Name of a dataset, auto or synthetic",
       member(&P::dataset).at_least(1).own_word().always(),
       {.option = "--dataset", .type = "NAME[:DIR]", .initial = "auto", .in_name = kIfDifferent,
        .on_difference = {kCaveat, kComparable, kComparable, kRefused, kCaveat}}},
      {"batch_size", "", "batch", kInTable, "Samples per optimizer step, or 64/rank",
       batch_size().at_least(1).at_most(kLargestBatch).always(),
       {.option = "--batch", .type = "N,...|max", .initial = kDefaultBatch, .span = kList, .in_name = kAlways,
        .before = ", batch ", .read = read_batch, .difference = "batch size", .is_choice = true}},
      {"world_size", "", "ranks", kIfUnusual, "Number of ranks; all: 1, 2, 4, ...",
       member(&P::ranks).at_least(1).at_most(kMostRanks),
       {.option = "--world-size", .type = "N,...", .initial = "1", .topic = kHow, .span = kList,
        .is_common = false, .in_name = kUnlessDefault, .after = " ranks", .word = "all", .is_choice = true}},
      {"accumulate", "", "micro-batches", kIfUnusual, "Micro-batches accumulated per step",
       member(&P::accumulate).at_least(1).at_most(kLargestBatch).optional(),
       {.option = "--accumulate", .type = "N,...", .initial = "1", .topic = kHow, .span = kList,
        .is_common = false, .in_name = kUnlessDefault, .before = ", accumulate ",
        .difference = "gradient accumulation", .is_choice = true}},
      {"precision", "", "precision", kIfUnusual, "Number format; `fp32` excludes TF32, `amp-` uses autocast",
       mode(&TrainingMode::precision),
       {.option = "--precision", .type = "NAME,...", .initial = "fp32", .span = kList,
        .in_name = kUnlessDefault, .mode_distance = 32, .on_difference = kRefusedOnAll, .is_choice = true}},
      {"execution", "", "execution", kIfUnusual, "Launch mode: one launch per operation, or a recorded graph",
       mode(&TrainingMode::execution),
       {.option = "--execution", .type = "NAME,...", .initial = "auto", .topic = kHow, .span = kList,
        .is_common = false, .in_name = kUnlessDefault, .mode_distance = 1, .on_difference = kAllButAccuracy,
        .is_choice = true, .used = "execution_used"}},
      {"layout", "", "layout", kIfUnusual, "Memory format of images",
       mode(&TrainingMode::layout),
       {.option = "--layout", .type = "NAME,...", .initial = "auto", .topic = kHow, .span = kList,
        .is_common = false, .in_name = kUnlessDefault, .mode_distance = 2,
        .on_difference = {kCaveat, kComparable, kCaveat, kComparable, kCaveat}, .is_choice = true,
        .used = "layout_used"}},
      {"loader", "", "loader", kIfUnusual, "Location of samples: `resident` on the device, or `host`",
       mode(&TrainingMode::loader),
       {.option = "--loader", .type = "NAME,...", .initial = "resident", .topic = kHow, .span = kList,
        .is_common = false, .in_name = kUnlessDefault, .before = ", loader ", .mode_distance = 4,
        .on_difference = kAllButAccuracy, .is_choice = true}},
      {"protocol", "", "protocol", kIfUnusual, "Timed work: epochs, whole fits, or inference",
       protocol(),
       {.option = "--scenario,--protocol", .type = "NAME,...", .initial = "epoch", .topic = kHow,
        .span = kList, .is_common = false, .in_name = kUnlessDefault, .mode_distance = 8,
        .on_difference = {kCaveat, kRefused, kComparable, kComparable, kCaveat},
        .difference = "timing protocol"}},
      {"workload", "", "workload", kInFile, "Workload to which the protocol belongs",
       derived<P>([](const P& point) { return workload_for(point.protocol).name; })
           .one_of(workloads().names()).always().direct(),
       {.on_difference = kRefusedOnAll}},
      {"repeat", "", "repeat", kInFile, "Repeats in fresh processes (3, or 1 with --epochs)",
       member(&P::repeat).at_least(1),
       {.option = "--repeat", .type = "N", .topic = kLength, .span = kCount, .on_difference = kNoEffect}},
      {"epochs", "", "epochs", kInFile, "Epochs with warm-up (3); range 5..200 for --target-ci",
       epochs().at_least(1).at_most(kMostEpochs).always(),
       {.option = "--epochs", .type = "N", .topic = kLength, .read = read_epochs,
        .on_difference = kNoEffect}},
      {"min_epochs", "", "minimum epochs", kInFile,
       "Minimum epochs, warm-up included; equal to `epochs` if fixed",
       member(&P::min_epochs),
       {.on_difference = kNoEffect}},
      {"warmup_epochs", "", "warm-up epochs", kInFile, "Warm-up epochs, not in statistics",
       member(&P::warmup_epochs).at_least(0).at_most(kMostEpochs),
       {.option = "--warmup", .type = "N", .initial = "auto", .topic = kLength, .word = "auto",
        .word_value = -1, .on_difference = kNoEffect}},
      {"min_timed_seconds", "s", "minimum time", kInFile,
       "Minimum training time (default 0; shows throttling)",
       member(&P::min_timed),
       {.option = "--min-time", .type = "TIME", .topic = kLength,
        .on_difference = {kCaveat, kComparable, kComparable, kComparable, kCaveat},
        .difference = "minimum time"}},
      {"target_rel_ci95", "fraction", "target interval", kInFile,
       "Relative half-width of the 95 % interval to stop at",
       member(&P::target_rel_ci95).optional(),
       {.option = "--target-ci", .type = "X", .topic = kLength, .is_common = false, .read = read_target,
        .on_difference = kNoEffect}},
      {"seed", "", "seed", kInFile, "Seed of weights, shuffling and order",
       member(&P::seed),
       {.option = "--seed", .type = "N", .initial = "0", .topic = kHow, .on_difference = kNoEffect}},
      {"learning_rate", "", "learning rate", kInFile, "Learning rate (default: that of the model)",
       member(&P::learning_rate).at_least(0),
       {.option = "--learning-rate", .type = "X", .topic = kHow, .is_common = false,
        .read = read_learning_rate,
        .on_difference = {kComparable, kComparable, kComparable, kCaveat, kComparable}, .is_choice = true}},
      {"max_samples", "", "maximum samples", kInFile, "Maximum samples per split; 0: all",
       member(&P::max_samples),
       {.option = "--max-samples", .type = "N", .initial = "0", .is_common = false, .is_in_file = false}},
      {"profile", "", "profile", kInFile, "Profile some steps at the end; DIR: Chrome traces",
       profile(),
       {.option = "--profile", .type = "[=DIR]", .topic = kHow, .is_in_file = false, .read = read_profile}},
      {"trace", "", "trace", kInFile, "Folder of the Chrome traces",
       member(&P::trace),
       {.is_in_file = false}},
      // clang-format on
  });
  return parameters;
}

bool TrainGrid::finds_max_batch() const { return std::ranges::count(words("batch_size"), kLargest) > 0; }

TrainPoint with_length(TrainPoint point) {
  const bool has_target = point.target_rel_ci95.has_value();
  if (has_target || (point.min_epochs > 0 && point.min_epochs != point.epochs)) {
    const bool is_fixed = point.min_epochs == 0 && point.epochs > 0;
    require(!is_fixed,
            "--target-ci: needs a range of epochs; remove --epochs, or give a range such as 5..200");
    if (point.epochs == 0) point.epochs = kDefaultMaxEpochs;
    if (point.min_epochs == 0) point.min_epochs = kDefaultMinEpochs;
    if (!has_target) point.target_rel_ci95 = kDefaultTarget;
  } else {
    if (point.epochs == 0) point.epochs = kDefaultEpochs;
    point.min_epochs = point.epochs;
  }
  if (point.warmup_epochs < 0) point.warmup_epochs = std::min<std::int64_t>(1, point.min_epochs - 1);
  require(point.warmup_epochs < point.min_epochs,
          "--warmup {}: covers all {} epochs; use a smaller --warmup or more epochs", point.warmup_epochs,
          point.min_epochs);
  return point;
}

}  // namespace gpubench
