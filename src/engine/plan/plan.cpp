#include "engine/plan/plan.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/stats/stats.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/run_record.h"
#include "gpubench/record/workload.h"

namespace gpubench {
namespace {

/// Parses "cifar10" or "images:FOLDER". Sets the folder, and returns nullptr if the model decides.
const DatasetEntry* named_dataset(const std::string& text, const Catalog<DatasetEntry>& datasets,
                                  std::string& folder) {
  if (text == "auto" || text == "synthetic") return nullptr;
  const std::string name = text.substr(0, text.find(':'));
  if (name.size() < text.size()) {
    folder = text.substr(name.size() + 1);
    require(!folder.empty(), "--dataset {}: lacks the folder; give {}FOLDER, or {}", text, text, name);
  }
  if (const DatasetEntry* entry = datasets.find(name)) return entry;
  std::vector<std::string> known = datasets.names();
  known.insert(known.end(), {"auto", "synthetic"});
  throw Error(ErrorKind::kUsage, "--dataset: " + unknown_name_message("dataset", text, known));
}

const ModelEntry& model_for(const TrainPoint& asked, const DatasetEntry& dataset,
                            const Catalog<ModelEntry>& models) {
  const ModelEntry& named = models.require(asked.model, "--model");
  const DataSpec wanted = spec_at(named, parse_sizes(named, asked.sizes));
  if (can_feed(dataset.spec_for(wanted), wanted)) return named;
  std::vector<std::string> fitting;
  for (const ModelEntry& entry : models) {
    // The chosen sizes belong to the named model, which does not fit at them.
    if (&entry == &named || !can_feed(dataset.spec_for(entry.spec), entry.spec)) continue;
    if (entry.architecture == named.architecture) return entry;
    fitting.push_back(entry.name);
  }
  throw Error(ErrorKind::kUsage, "--model {}: needs {}, but {} has {}; use one of: {}", asked.model,
              to_string(wanted), dataset.name,
              dataset.adapt != nullptr ? dataset.summary : to_string(dataset.spec), join(fitting));
}

const DatasetEntry& dataset_for(const ModelEntry& model, const DataSpec& wanted,
                                const Catalog<DatasetEntry>& datasets) {
  for (const DatasetEntry& entry : datasets) {
    if (can_feed(entry.spec_for(wanted), wanted)) return entry;
  }
  throw Error(ErrorKind::kUsage, "--model {}: no dataset has {}", model.name, to_string(wanted));
}

// Testing after every epoch tends to stop when an interval is narrow by chance. So the target must hold twice
// in a row, and fewer epochs than kFullCount must be more precise. Both values were chosen by simulation, see
// tests/unit/engine/stopping_test.cpp.
constexpr std::size_t kChecksInRow = 2;
constexpr double kFullCount = 10;

constexpr std::size_t kMaxTests = 50;       // Maximum number of tested warm-up lengths.
constexpr std::size_t kMaxStretches = 500;  // With more epochs, tests use medians of stretches.

bool meets_target(const TrainPoint& asked, std::span<const double> epoch_seconds) {
  if (epoch_seconds.size() <= static_cast<std::size_t>(asked.warmup_epochs)) return false;
  const SteadyState state = find_steady_state(epoch_seconds, asked.warmup_epochs);
  if (!state.is_steady) return false;
  const auto steady = epoch_seconds.subspan(static_cast<std::size_t>(state.first));
  if (std::accumulate(steady.begin(), steady.end(), 0.0) < kLeastSteady.value) return false;
  // Missing for a median of zero, below the clock's resolution.
  const Measured<double> achieved = halfwidth(median_interval(steady), compute_median(steady));
  const double part = std::min(1.0, static_cast<double>(steady.size()) / kFullCount);
  return achieved.has_value() && achieved.value() <= asked.target_rel_ci95.value() * part;
}

bool has_reached_target(const TrainPoint& asked, std::span<const double> epoch_seconds, Seconds timed) {
  const std::size_t count = epoch_seconds.size();
  if (!asked.target_rel_ci95.has_value() || count < kChecksInRow || timed < kLeastSteady) return false;
  // Limits the time of checks: after each of the first 128 epochs, then 64 times per doubling of the count.
  const bool is_checked = count % std::max<std::size_t>(1, std::bit_floor(count) / 64) == 0;
  if (!is_checked && static_cast<std::int64_t>(count) != asked.epochs) return false;
  for (std::size_t back = 0; back < kChecksInRow; ++back) {
    if (!meets_target(asked, epoch_seconds.first(epoch_seconds.size() - back))) return false;
  }
  return true;
}

}  // namespace

DataSource Case::source() const {
  if (asked.dataset == "auto") return DataSource::kRealIfPossible;
  return asked.dataset == "synthetic" ? DataSource::kSynthetic : DataSource::kReal;
}

SteadyState find_steady_state(std::span<const double> epoch_seconds, std::int64_t warmup_epochs) {
  const auto after_warmup = epoch_seconds.subspan(static_cast<std::size_t>(warmup_epochs));
  const std::size_t count = std::min(after_warmup.size(), kMaxStretches);
  const auto begin_of = [&](std::size_t stretch) { return stretch * after_warmup.size() / count; };
  std::vector<double> medians;
  for (std::size_t i = 0; i < count; ++i)
    medians.push_back(compute_median(after_warmup.subspan(begin_of(i), begin_of(i + 1) - begin_of(i))));
  const std::span<const double> stretches(medians);
  const std::size_t most = count < kLeastForTrend ? 0 : std::min(count / 2, count - kLeastForTrend);
  const std::size_t stride = 1 + most / kMaxTests;
  // Outliers are a few slow epochs before many steady ones, which the rank-based trend test misses.
  const auto has_settled = [](std::span<const double> values) {
    const auto far_away = outliers(values);
    return is_level(values) && (far_away.empty() || far_away.front() != 0);
  };
  std::size_t dropped = 0;
  while (dropped < most && !has_settled(stretches.subspan(dropped))) {
    dropped = std::min(dropped + stride, most);
  }
  return {warmup_epochs + static_cast<std::int64_t>(begin_of(dropped)), is_level(stretches.subspan(dropped))};
}

Stop decide(const TrainPoint& asked, std::span<const double> epoch_seconds, Seconds timed) {
  const auto count = static_cast<std::int64_t>(epoch_seconds.size());
  if (count >= kMostEpochs) return Stop::kMaxEpochs;
  if (count < asked.min_epochs || timed < asked.min_timed) return Stop::kNo;
  if (has_reached_target(asked, epoch_seconds, timed)) return Stop::kTargetReached;
  if (count < asked.epochs) return Stop::kNo;
  if (count > asked.epochs) return Stop::kTime;
  return asked.target_rel_ci95.has_value() ? Stop::kMaxEpochs : Stop::kEpochs;
}

std::int64_t count_warmup(const TrainPoint& asked, std::span<const double> epoch_seconds) {
  const bool has_steady = static_cast<std::int64_t>(epoch_seconds.size()) > asked.warmup_epochs;
  if (!asked.target_rel_ci95.has_value() || !has_steady) return asked.warmup_epochs;
  return find_steady_state(epoch_seconds, asked.warmup_epochs).first;
}

bool Case::is_training() const { return workload_for(asked.protocol).trains; }

bool Case::is_single_stream() const { return asked.protocol == "single-stream"; }

std::string trace_file(const Case& c) {
  if (c.asked.trace.empty()) return {};
  std::vector<std::string> words{c.model->name};
  if (!c.asked.sizes.empty()) words.push_back(sizes_text(*c.model, c.sizes));
  append(words, std::vector{c.asked.device, std::to_string(c.asked.batch_size), mode_text(c.asked.mode)});
  std::string name = join(words, "-");
  std::ranges::replace(name, ':', '-');
  std::ranges::replace(name, ' ', '-');
  std::erase(name, ',');
  if (name.ends_with('-')) name.pop_back();
  return c.asked.trace + "/" + name + ".trace.json";
}

DataSpec make_spec(const Case& c) { return spec_at(*c.model, c.sizes); }

DataSpec data_spec(const Case& c) {
  const DataSpec wanted = make_spec(c);
  DataSpec spec = c.dataset->spec_for(wanted);
  if (wanted.task == Task::kLanguage && c.source() == DataSource::kSynthetic) spec.classes = wanted.classes;
  return spec;
}

std::string data_key(const Case& c) {
  const std::string origin = c.source() == DataSource::kSynthetic ? c.asked.dataset : c.folder;
  return fmt::format("{}:{} ({})", c.dataset->name, origin, to_string(data_spec(c)));
}

std::int64_t used_samples(std::int64_t size, std::int64_t limit) {
  return limit > 0 ? std::min(size, limit) : size;
}

Case alone(Case c) {
  TrainPoint& asked = c.asked;
  asked.batch_size = (asked.batch_size + asked.ranks - 1) / asked.ranks;
  asked.ranks = 1;
  c.rank_context.reset();
  return c;
}

std::int64_t trained_samples(const Case& c, std::int64_t used) {
  // As many queries as MLPerf's single stream needs; see docs/training.md.
  constexpr std::int64_t kQueries = 1024;
  if (c.is_single_stream()) return std::min(used, kQueries);
  const std::int64_t rest = used % c.asked.batch_size;
  return rest < c.asked.ranks && used >= c.asked.batch_size ? used - rest : used;
}

Case make_case(TrainPoint point, const Catalog<ModelEntry>& models, const Catalog<DatasetEntry>& datasets) {
  if (point.rank_batch > 0) point.batch_size = std::exchange(point.rank_batch, 0) * point.ranks;
  require(point.batch_size >= point.ranks, "--batch {}: less than one sample for each of {} ranks",
          point.batch_size, point.ranks);
  require(point.ranks == 1 || point.device.find("mps") == std::string::npos,
          "--world-size {}: LibTorch has no collectives for {}; use cuda or cpu", point.ranks, point.device);
  Case c;
  c.asked = with_length(std::move(point));
  for (const std::string& key : workload_for(c.asked.protocol).unused) {
    const Parameter<TrainPoint>& parameter = *train_parameters().find(key);
    require(to_text(parameter.get(c.asked)) == to_text(parameter.get(TrainPoint())),
            "{}: has no effect on protocol {}; leave it out", parameter.use.option, c.asked.protocol);
  }
  if (c.is_single_stream()) c.asked.batch_size = 1;
  const DatasetEntry* const named = named_dataset(c.asked.dataset, datasets, c.folder);
  c.model = named ? &model_for(c.asked, *named, models) : &models.require(c.asked.model, "--model");
  c.sizes = all_sizes(*c.model, parse_sizes(*c.model, c.asked.sizes));
  c.dataset = named ? named : &dataset_for(*c.model, make_spec(c), datasets);
  return c;
}

std::vector<Case> make_plan(const std::vector<TrainPoint>& points, const Catalog<ModelEntry>& models,
                            const Catalog<DatasetEntry>& datasets) {
  return mapped(points, [&](const TrainPoint& point) { return make_case(point, models, datasets); });
}

std::vector<std::size_t> execution_order(const std::vector<std::int64_t>& repeats, std::int64_t seed) {
  std::map<std::int64_t, std::vector<std::size_t>> rounds;
  for (std::size_t i = 0; i < repeats.size(); ++i) rounds[repeats[i]].push_back(i);
  std::mt19937_64 generate(static_cast<std::uint64_t>(seed));
  std::vector<std::size_t> order;
  for (auto& [repeat, positions] : rounds) {
    // Fisher-Yates, since the order of std::shuffle depends on the standard library.
    for (std::size_t left = rounds.size() > 1 ? positions.size() : 0; left > 1; --left)
      std::swap(positions[left - 1], positions[generate() % left]);
    append(order, positions);
  }
  return order;
}

DataFacts make_facts(const Dataset& dataset) {
  return {{dataset.train.size(), dataset.validation.size(), dataset.test.size()},
          dataset.record.is_synthetic,
          dataset.spec};
}

Dataset with_timed_split(const Case& c, Dataset dataset) {
  if (c.is_training()) return dataset;
  if (dataset.test.size() > 0) dataset.train = std::move(dataset.test);
  dataset.validation = dataset.test = {};
  return dataset;
}

SplitSizes used_sizes(const Case& c, const DataFacts& data) {
  SplitSizes all = arranged_sizes(data.sizes, data.spec, make_spec(c));
  if (!c.is_training()) all = {all.test > 0 ? all.test : all.train, 0, 0};
  return {used_samples(all.train, c.asked.max_samples), used_samples(all.validation, c.asked.max_samples),
          used_samples(all.test, c.asked.max_samples)};
}

CaseRecord describe(const Case& c, const DataFacts& data) {
  CaseRecord record;
  static_cast<TrainPoint&>(record) = c.asked;
  record.model = c.model->name;
  record.sizes = sizes_text(*c.model, c.sizes);
  record.dataset = c.dataset->name;
  record.item = c.model->item;
  const DataSpec spec = make_spec(c);
  record.tokens_per_sample = spec.task == Task::kLanguage ? spec.sample_shape.front() : 0;
  record.is_synthetic = data.is_synthetic;
  const SplitSizes sizes = used_sizes(c, data);
  record.train_samples = trained_samples(c, sizes.train);
  record.is_last_batch_dropped = record.train_samples < sizes.train;
  record.validation_samples = sizes.validation;
  record.test_samples = sizes.test;
  record.steps_per_epoch = (record.train_samples + c.asked.batch_size - 1) / c.asked.batch_size;
  record.validation = record.test = missing("the case ended before this evaluation");
  if (c.asked.ranks > 1) {
    record.backend = missing("the ranks did not connect");
    record.gradient_bytes_per_step = missing("the ranks did not connect");
  }
  if (c.asked.is_profiled)
    record.profile_phases = record.profile_layers = missing("the case ended before the profile");
  record.peak_host = missing("the case had no separate process");
  record.process = record.process_start = missing("the case had no separate process");
  return record;
}

std::string model_text(const Case& c) {
  const std::string sizes = sizes_text(*c.model, c.sizes);
  return sizes.empty() ? c.model->name : c.model->name + " (" + sizes + ")";
}

ModelSizes parse_sizes(const ModelEntry& entry, const std::string& text) {
  ModelSizes sizes;
  if (text.empty()) return sizes;
  for (const std::string_view word : split_fields(text, ',')) {
    const auto preset = std::ranges::find(entry.presets, word, &ModelPreset::name);
    if (preset != entry.presets.end()) {
      for (const auto& [name, value] : preset->sizes) sizes[name] = value;
      continue;
    }
    const std::size_t equals = std::min(word.find('='), word.size() - 1);
    const std::optional<std::int64_t> value = parse_whole(word.substr(equals + 1));
    const std::string presets = join(mapped(entry.presets, &ModelPreset::name));
    require(value.has_value(), "--model-arg {}: give a name and a whole number, such as layers=4{}", word,
            presets.empty() ? "" : ", or one of " + presets);
    sizes[std::string(word.substr(0, equals))] = *value;
  }
  return sizes;
}

ModelSizes all_sizes(const ModelEntry& entry, const ModelSizes& chosen) {
  require(!entry.options.empty() || chosen.empty(), "--model-arg {}: {} has a fixed size; remove the option",
          chosen.empty() ? "" : chosen.begin()->first, entry.name);
  const Catalog<ModelOption> options("size of " + entry.name, entry.options);
  ModelSizes sizes;
  for (const ModelOption& option : options) sizes[option.name] = option.value;
  for (const auto& [name, value] : chosen) {
    const ModelOption& option = options.require(name, "--model-arg");
    require(value >= option.minimum && value <= option.maximum, "--model-arg {}={}: give {} to {}", name,
            value, option.minimum, option.maximum);
    sizes[name] = value;
  }
  return sizes;
}

DataSpec spec_at(const ModelEntry& entry, const ModelSizes& chosen) {
  DataSpec spec = entry.spec;
  const ModelSizes sizes = all_sizes(entry, chosen);
  for (const ModelOption& option : entry.options) {
    const std::int64_t size = sizes.at(option.name);
    if (option.effect == DataEffect::kLength) spec.sample_shape.front() = size;
    if (option.effect == DataEffect::kSide)
      std::fill(spec.sample_shape.begin() + 1, spec.sample_shape.end(), size);
    if (option.effect == DataEffect::kClasses) spec.classes = size;
  }
  return spec;
}

std::string sizes_text(const ModelEntry& entry, const ModelSizes& sizes) {
  std::vector<std::string> words;
  for (const ModelOption& option : entry.options) {
    if (const std::int64_t size = sizes.at(option.name); size != option.value)
      words.push_back(fmt::format("{}={}", option.name, size));
  }
  return join(words, ",");
}

}  // namespace gpubench
