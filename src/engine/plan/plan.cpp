#include "engine/plan/plan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "gpubench/core/nearest.h"
#include "gpubench/record/run_record.h"
#include "record/document/json.h"

namespace gpubench {
namespace {

constexpr std::int64_t kDefaultEpochs = 5;
constexpr std::int64_t kDefaultMaxEpochs = 200;
constexpr double kDefaultTargetHalfwidth = 0.02;
constexpr std::int64_t kProfiledSteps = 10;
constexpr std::int64_t kLargestBatch = std::int64_t{1} << 30;
constexpr std::int64_t kMostRanks = 65536;

StoppingRule stopping_rule(const PlanOptions& options) {
  const bool is_adaptive = options.min_epochs || options.max_epochs || options.target_rel_ci95;
  require(!(options.epochs && is_adaptive),
          "--epochs fixes their number; leave it out, or --min-epochs, --max-epochs and --target-ci");
  const std::pair<const char*, std::optional<std::int64_t>> counts[] = {{"--epochs", options.epochs},
                                                                        {"--min-epochs", options.min_epochs},
                                                                        {"--max-epochs", options.max_epochs}};
  for (const auto& [name, count] : counts)
    require(count.value_or(1) >= 1, "{} {}: at least 1 is needed", name, count.value_or(1));
  StoppingRule rule;
  if (is_adaptive) {
    rule.min_epochs =
        options.min_epochs.value_or(std::min(kDefaultEpochs, options.max_epochs.value_or(kDefaultEpochs)));
    rule.max_epochs = options.max_epochs.value_or(std::max(kDefaultMaxEpochs, rule.min_epochs));
    rule.target_rel_ci95 = options.target_rel_ci95.value_or(kDefaultTargetHalfwidth);
  } else {
    rule.min_epochs = rule.max_epochs = options.epochs.value_or(kDefaultEpochs);
  }
  rule.min_timed = options.min_timed.value_or(Seconds{0});
  rule.warmup_epochs = options.warmup_epochs.value_or(std::min<std::int64_t>(1, rule.min_epochs - 1));
  require(rule.max_epochs >= rule.min_epochs, "--max-epochs {}: is below the fewest epochs, {}",
          rule.max_epochs, rule.min_epochs);
  const double target = rule.target_rel_ci95.value_or(kDefaultTargetHalfwidth);
  require(target > 0 && target < 1, "--target-ci {}: give a part between 0 and 1, as 0.02", target);
  require(rule.warmup_epochs >= 0 && rule.warmup_epochs < rule.min_epochs,
          "--warmup {}: drops every one of the {} epochs; give a smaller --warmup or more epochs",
          rule.warmup_epochs, rule.min_epochs);
  return rule;
}

/// Refuses a value that is twice in a list: it would be measured twice under one name.
template <class T>
void require_distinct(const char* option, std::vector<T> values) {
  std::ranges::sort(values);
  const auto twin = std::ranges::adjacent_find(values);
  require(twin == values.end(), "{}: a value stands twice in the list; to measure again there is --repeat",
          option);
}

void check_batches(const char* option, const std::vector<std::int64_t>& sizes) {
  for (const std::int64_t batch : sizes) {
    require(batch >= 1 && batch <= kLargestBatch, "{} {}: a batch has 1 to {} samples", option, batch,
            kLargestBatch);
  }
}

void check_ranges(const PlanOptions& options) {
  require_distinct("--batch", options.batch_sizes);
  require_distinct("--rank-batch", options.rank_batch_sizes);
  require_distinct("--world-size", options.ranks);
  require_distinct("--model", options.models);
  require_distinct("--precision", options.precisions);
  require_distinct("--execution", options.executions);
  require_distinct("--layout", options.layouts);
  require_distinct("--loader", options.loaders);
  check_batches("--batch", options.batch_sizes);
  check_batches("--rank-batch", options.rank_batch_sizes);
  for (const std::int64_t ranks : options.ranks)
    require(ranks >= 0 && ranks <= kMostRanks,
            "--world-size {}: give 1 to {}, or 0 for 1, 2, 4, ... up to all that there are", ranks,
            kMostRanks);
  require(options.limit >= 0, "--max-samples {}: give a number of samples, or 0 for all", options.limit);
  require(options.seed >= 0, "--seed {}: must not be negative", options.seed);
  require(options.repeat >= 1, "--repeat {}: at least 1 is needed", options.repeat);
  const double rate = options.learning_rate.value_or(1);
  require(std::isfinite(rate) && rate > 0, "--learning-rate {}: must be above 0", rate);
}

/// Returns the dataset that the user named, or nullptr if the model decides.
const DatasetEntry* named_dataset(const std::string& name, const Catalog<DatasetEntry>& datasets) {
  if (name == "auto" || name == "synthetic") return nullptr;
  if (const DatasetEntry* entry = datasets.find(name)) return entry;
  std::vector<std::string> known = datasets.names();
  known.insert(known.end(), {"auto", "synthetic"});
  throw Error(ErrorKind::kUsage, "--dataset: " + unknown_name_message("dataset", name, known));
}

/// Returns the entry called `name`, or the one of its architecture that takes the dataset.
const ModelEntry& model_for(const std::string& name, const DatasetEntry& dataset,
                            const Catalog<ModelEntry>& models) {
  const ModelEntry& named = models.require(name, "--model");
  if (can_feed(dataset.spec, named.spec)) return named;
  std::vector<std::string> fitting;
  for (const ModelEntry& entry : models) {
    if (!can_feed(dataset.spec, entry.spec)) continue;
    if (entry.architecture == named.architecture) return entry;
    fitting.push_back(entry.name);
  }
  throw Error(ErrorKind::kUsage, "--model {} takes {}, but {} has {}; models for it: {}", name,
              to_string(named.spec), dataset.name, to_string(dataset.spec), join(fitting));
}

/// Returns the first dataset that `model` takes.
const DatasetEntry& dataset_for(const ModelEntry& model, const Catalog<DatasetEntry>& datasets) {
  for (const DatasetEntry& entry : datasets) {
    if (can_feed(entry.spec, model.spec)) return entry;
  }
  throw Error(ErrorKind::kUsage, "--model " + model.name + ": no dataset has " + to_string(model.spec));
}

/// Returns the file for the case's trace, which repetitions overwrite.
std::string trace_file(const PlanOptions& options, const Case& c) {
  if (options.trace.empty()) return {};
  std::vector<std::string> words{c.model->name, c.device, std::to_string(c.batch_size), mode_text(c.mode)};
  if (!options.sizes.empty()) words.insert(words.begin() + 1, sizes_text(*c.model, c.sizes));
  std::string name = join(words, "-");
  std::ranges::replace(name, ':', '-');
  std::ranges::replace(name, ' ', '-');
  std::erase(name, ',');
  if (name.ends_with('-')) name.pop_back();
  return options.trace + "/" + name + ".trace.json";
}

/// Adds the cases that differ from `next` in modes and repetitions.
void add_modes(const PlanOptions& options, Case next, std::vector<Case>& cases) {
  for (const Precision precision : options.precisions) {
    for (const Execution execution : options.executions) {
      for (const Layout layout : options.layouts) {
        for (const Loader loader : options.loaders) {
          next.mode = {execution, precision, layout, loader};
          next.trace = trace_file(options, next);
          for (next.repeat = 1; next.repeat <= options.repeat; ++next.repeat) {
            cases.push_back(next);
            require_room(cases.size());
          }
        }
      }
    }
  }
}

/// Adds the cases that differ from `next` in batch and ranks as well.
void add_batches(const PlanOptions& options, Case next, std::vector<Case>& cases) {
  const bool is_of_rank = !options.rank_batch_sizes.empty();
  const std::vector<std::int64_t> one{1};
  for (const std::int64_t batch : is_of_rank ? options.rank_batch_sizes : options.batch_sizes) {
    for (const std::int64_t ranks : options.ranks.empty() ? one : options.ranks) {
      next.ranks = std::max<std::int64_t>(1, ranks);  // What 0 stands for depends on the machine.
      next.batch_size = is_of_rank ? batch * next.ranks : batch;
      require(next.batch_size >= next.ranks, "--batch {}: is less than a sample for each of {} ranks",
              next.batch_size, next.ranks);
      require(next.ranks == 1 || next.device.find("mps") == std::string::npos,
              "--world-size {} on {}: LibTorch carries no tensors between such devices; use cuda or cpu",
              next.ranks, next.device);
      add_modes(options, next, cases);
    }
  }
}

void describe_recipe(const Case& c, CaseRecord& record) {
  record.model = c.model->name;
  record.sizes = sizes_text(*c.model, c.sizes);
  record.dataset = c.dataset->name;
  record.device = c.device;
  record.batch_size = c.batch_size;
  record.ranks = c.ranks;
  record.mode = c.mode;
  record.protocol = c.protocol;
  record.repeat = c.repeat;
  record.epochs = c.stopping.max_epochs;
  record.min_epochs = c.stopping.min_epochs;
  record.warmup_epochs = c.stopping.warmup_epochs;
  record.min_timed = c.stopping.min_timed;
  record.target_rel_ci95 = c.stopping.target_rel_ci95 ? Measured<double>(*c.stopping.target_rel_ci95)
                                                      : missing("the number of epochs is fixed");
  record.seed = c.seed;
  record.learning_rate = c.learning_rate.value_or(0);
  record.item = c.model->item;
  const DataSpec spec = make_spec(c);
  record.tokens_per_sample = spec.task == Task::kLanguage ? spec.sample_shape.front() : 0;
}

}  // namespace

void require_room(std::size_t rows) {
  require(rows <= kMostRows,
          "the plan has more rows than a document holds, {}; lower --repeat or shorten the lists, or make "
          "several runs",
          kMostRows);
}

DataSpec make_spec(const Case& c) { return spec_at(*c.model, c.sizes); }

std::int64_t used_samples(std::int64_t size, std::int64_t limit) {
  return limit > 0 ? std::min(size, limit) : size;
}

Case alone(Case c) {
  c.batch_size = (c.batch_size + c.ranks - 1) / c.ranks;
  c.ranks = 1;
  c.rank_context.reset();
  return c;
}

std::int64_t trained_samples(const Case& c, std::int64_t used) {
  const std::int64_t rest = used % c.batch_size;
  return rest < c.ranks && used >= c.batch_size ? used - rest : used;
}

std::vector<Case> make_plan(const PlanOptions& options, const std::vector<std::string>& devices,
                            const Catalog<ModelEntry>& models, const Catalog<DatasetEntry>& datasets) {
  check_ranges(options);
  const DatasetEntry* const named = named_dataset(options.dataset, datasets);
  Case next;
  if (options.dataset != "auto")
    next.source = options.dataset == "synthetic" ? DataSource::kSynthetic : DataSource::kReal;
  next.protocol = options.protocol;
  next.stopping = stopping_rule(options);
  next.seed = options.seed;
  next.limit = options.limit;
  next.learning_rate = options.learning_rate;
  next.profile_steps = options.is_profiled || !options.trace.empty() ? kProfiledSteps : 0;
  std::vector<Case> cases;
  for (const std::string& device : devices) {
    next.device = device;
    for (const std::string& name : options.models) {
      next.model = named ? &model_for(name, *named, models) : &models.require(name, "--model");
      next.dataset = named ? named : &dataset_for(*next.model, datasets);
      next.sizes = all_sizes(*next.model, options.sizes);
      add_batches(options, next, cases);
    }
  }
  return cases;
}

std::vector<std::size_t> execution_order(const std::vector<std::int64_t>& repeats, std::int64_t seed) {
  std::map<std::int64_t, std::vector<std::size_t>> rounds;
  for (std::size_t i = 0; i < repeats.size(); ++i) rounds[repeats[i]].push_back(i);
  std::mt19937_64 generate(static_cast<std::uint64_t>(seed));
  std::vector<std::size_t> order;
  for (auto& [repeat, positions] : rounds) {
    // By hand (Fisher and Yates), since std::shuffle gives other orders with other libraries.
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

SplitSizes used_sizes(const Case& c, const DataFacts& data) {
  const SplitSizes all = arranged_sizes(data.sizes, data.spec, make_spec(c));
  return {used_samples(all.train, c.limit), used_samples(all.validation, c.limit),
          used_samples(all.test, c.limit)};
}

CaseRecord describe(const Case& c, const DataFacts& data) {
  CaseRecord record;
  describe_recipe(c, record);
  record.is_synthetic = data.is_synthetic;
  const SplitSizes sizes = used_sizes(c, data);
  record.train_samples = trained_samples(c, sizes.train);
  record.is_last_batch_dropped = record.train_samples < sizes.train;
  record.validation_samples = sizes.validation;
  record.test_samples = sizes.test;
  record.steps_per_epoch = (record.train_samples + c.batch_size - 1) / c.batch_size;
  record.validation = record.test = missing("the case ended before");
  if (c.ranks > 1) {
    record.backend = missing("the ranks were not joined");
    record.gradient_bytes_per_step = missing("the ranks were not joined");
  }
  if (c.profile_steps > 0) record.profile_phases = record.profile_layers = missing("the case ended before");
  record.peak_host = missing("the case had no process of its own");
  record.process = record.process_start = missing("the case had no process of its own");
  return record;
}

std::string model_text(const Case& c) {
  const std::string sizes = sizes_text(*c.model, c.sizes);
  return sizes.empty() ? c.model->name : c.model->name + " (" + sizes + ")";
}

RowIdentity make_identity(const Case& c) {
  CaseRecord record;
  describe_recipe(c, record);
  return make_identity(record);
}

ModelSizes all_sizes(const ModelEntry& entry, const ModelSizes& chosen) {
  require(!entry.options.empty() || chosen.empty(), "--model-arg {}: {} comes in one size; leave it out",
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
    if (option.sample_dimension < 0) continue;
    spec.sample_shape.at(static_cast<std::size_t>(option.sample_dimension)) = sizes.at(option.name);
  }
  return spec;
}

std::string sizes_text(const ModelEntry& entry, const ModelSizes& sizes) {
  const auto to_text = [&](const ModelOption& option) {
    return fmt::format("{}={}", option.name, sizes.at(option.name));
  };
  return join(mapped(entry.options, to_text), ",");
}

}  // namespace gpubench
