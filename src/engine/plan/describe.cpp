#include "engine/plan/describe.h"

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
  record.target_halfwidth = c.stopping.target_halfwidth ? Reading<double>(*c.stopping.target_halfwidth)
                                                        : absent("the number of epochs is fixed");
  record.seed = c.seed;
  record.learning_rate = c.learning_rate.value_or(0);
  record.item = c.model->item;
  const DataSpec spec = spec_of(c);
  record.tokens_per_sample = spec.task == Task::kLanguage ? spec.sample_shape.front() : 0;
}

}  // namespace

DataFacts facts_of(const Dataset& dataset) {
  return {{dataset.train.size(), dataset.validation.size(), dataset.test.size()},
          dataset.record.is_synthetic,
          dataset.spec};
}

SplitSizes used_sizes(const Case& c, const DataFacts& data) {
  const SplitSizes all = arranged_sizes(data.sizes, data.spec, spec_of(c));
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
  record.last_batch_size = record.train_samples - (record.steps_per_epoch - 1) * c.batch_size;
  record.validation = record.test = absent("the case ended before");
  record.backend = absent(c.ranks > 1 ? "the ranks were not joined" : "a single rank exchanges nothing");
  record.gradient_bytes_per_step = absent(record.backend.reason());
  record.skip_rule = record.skip_trigger = absent("not skipped");
  record.requested = record.available = absent("memory did not run out");
  const Absent unprofiled = absent(c.profile_steps > 0 ? "the case ended before" : "--profile was not given");
  record.profiled_steps = unprofiled;
  record.profile_phases = record.profile_layers = unprofiled;
  record.peak_host = absent("the case had no process of its own");
  record.process = record.process_start = record.context = absent("the case had no process of its own");
  return record;
}

std::string model_text(const Case& c) {
  const std::string sizes = sizes_text(*c.model, c.sizes);
  return sizes.empty() ? c.model->name : c.model->name + " (" + sizes + ")";
}

RowIdentity identity_of(const Case& c) {
  CaseRecord record;
  describe_recipe(c, record);
  return identity_of(record);
}

}  // namespace gpubench
