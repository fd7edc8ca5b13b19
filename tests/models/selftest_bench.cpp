#include "selftest_bench.h"

#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>

#include "torch_blocks.h"

namespace gpubench::test {
namespace {

DeviceRecord some_roof() {
  DeviceRecord roof{"cpu", "fake", {}, {}, {}};
  roof.peak_flops_per_second = NamedValues{{"fp32", 1e12}, {"bf16", 2e12}};
  roof.triad_bytes_per_second = roof.copy_bytes_per_second = 1e10;
  roof.launch_latency = roof.graph_node_latency = Seconds{5e-6};
  return roof;
}

}  // namespace

Catalog<ModelEntry> one_model(const std::string& name, Build build) {
  ModelEntry entry = models().require(name, "");
  entry.build = build;
  return {"model", {entry}};
}

PowerDiagnosis power_source(const std::string& device, double idle, double load, double counted) {
  PowerDiagnosis source;
  source.facts = {.meter = "fake", .part = "source", .device = device};
  source.idle_before = Watts{idle};
  source.load = Watts{load};
  source.by_power = Joules{load * 6};
  source.by_counter = Joules{counted};
  return source;
}

KnownWork work_in(World& world, bool is_skipped_at_once) {
  return {[&world, is_skipped_at_once](std::int64_t units) {
            const double known = is_skipped_at_once ? 1.0 : static_cast<double>(units);
            world.time += 1e-5 * static_cast<double>(units);
            world.busy_until = std::max(world.time, world.busy_until) + 0.01 * known;
          },
          [&world] { world.time = std::max(world.time, world.busy_until) + 1e-6; }};
}

CaseRecord Bench::run(const Case& c, Device& on) {
  const Training faked = training(c);
  constexpr std::int64_t kSteps = 16;
  CaseRecord record;
  record.model = c.model->name;
  record.mode = c.mode;
  record.device = c.device;
  record.batch_size = c.batch_size;
  record.status =
      device.is_limited && c.batch_size > most_in_training ? RowStatus::kOutOfMemory : RowStatus::kOk;
  record.execution_used = to_string(c.mode.execution);
  if (c.mode.execution != Execution::kEager) {
    try {
      on.record_graph([] {}, [] {});
    } catch (const std::exception& error) {
      record.execution_used = to_string(Execution::kEager);
      record.execution_note = error.what();
      if (faked.ends_without_graph) record.status = RowStatus::kError;
    }
  }
  const auto epochs = static_cast<std::size_t>(c.stopping.max_epochs);
  record.steps_per_epoch = kSteps;
  record.train_samples = kSteps * c.batch_size;
  record.epoch_seconds.assign(epochs, faked.step_seconds * kSteps);
  record.blocks_per_epoch = 10;
  record.block_seconds.assign(10 * epochs, faked.block_share * faked.step_seconds * kSteps);
  std::vector<double> losses;
  for (std::size_t i = 0; i < epochs; ++i)
    losses.push_back(faked.loss_factor * (2.3 - 0.1 * static_cast<double>(i)));
  for (double& loss : losses) loss *= 1 + 0.01 * static_cast<double>(c.seed);
  record.training = {{"loss", losses}};
  record.train_flop_per_sample = 1e6;
  record.traffic_per_step = Bytes{1'000'000};
  record.operations_per_step = 30;
  record.parameters = 1000;
  record.forward_macs = 100'000;
  return record;
}

Bench::Bench()
    : subject{
          .device = device,
          .clock = clock,
          .means = {other, [](const DataSpec&, const SplitSizes&) { return Dataset{}; },
                    [this](const std::function<void()>& load) {
                      load();
                      return PowerTrial{sources, ""};
                    }},
          .models = Catalog<ModelEntry>(
              "model", {models().require("mlp", ""), models().require("vae", ""), models().require("cnn", ""),
                        models().require("lstm", ""), models().require("cnn1", "")}),
          .wait = [this](Seconds time) { world.time += time.value; },
          .run_case = [this](const Case& c, const Dataset&, Device& on) { return run(c, on); },
          .run_pilot = [this](const Case& c, const Dataset&, Device&) { return run_pilot(c); },
          .product = [](const at::Tensor& a, const at::Tensor& b, bool) { return at::mm(a, b); },
          .dropout = [](const at::Tensor& values,
                        double probability) { return gpubench::dropout(values, probability, true); },
          .noise = [](std::int64_t count) { return at::randn({count}); },
          .make_work = [this] { return work_in(world); },
          .allocate = [this](Bytes size) { return allocate(size); },
          .resident = [this] { return Bytes{resident / resident_unit}; },
          .measure_roof = some_roof} {
  device.held = device.peak = 1 << 20;
  at::manual_seed(1);
}

}  // namespace gpubench::test
