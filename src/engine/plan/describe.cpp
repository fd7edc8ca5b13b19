#include "engine/plan/describe.h"

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/model_catalog.h"

namespace gpubench {
namespace {

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
  record.backend = missing(c.ranks > 1 ? "the ranks were not joined" : "a single rank exchanges nothing");
  record.gradient_bytes_per_step = missing(record.backend.reason());
  record.skip_rule = missing("not skipped");
  record.requested = record.available = missing("memory did not run out");
  record.profile_phases = record.profile_layers =
      missing(c.profile_steps > 0 ? "the case ended before" : "--profile was not given");
  record.peak_host = missing("the case had no process of its own");
  record.process = record.process_start = record.context = missing("the case had no process of its own");
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

namespace {

void check_range(const ModelOption& option, std::int64_t value) {
  if (value >= option.minimum && value <= option.maximum) return;
  throw Error(ErrorKind::kUsage, "--model-arg {}={}: give {} to {}", option.name, value, option.minimum,
              option.maximum);
}

}  // namespace

ModelSizes all_sizes(const ModelEntry& entry, const ModelSizes& chosen) {
  if (entry.options.empty() && !chosen.empty()) {
    throw Error(ErrorKind::kUsage, "--model-arg {}: {} comes in one size; leave it out",
                chosen.begin()->first, entry.name);
  }
  const Catalog<ModelOption> options("size of " + entry.name, entry.options);
  ModelSizes sizes;
  for (const ModelOption& option : options) sizes[option.name] = option.value;
  for (const auto& [name, value] : chosen) {
    check_range(options.require(name, "--model-arg"), value);
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
