#include "workloads/cases/runner.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include <ATen/Parallel.h>

#include "device/host/host.h"
#include "device/host/host_process.h"
#include "engine/torch/failure.h"
#include "engine/validation/plausibility.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/digest.h"
#include "gpubench/core/stats/stats.h"
#include "workloads/cases/session.h"
#include "workloads/cost/cost.h"

namespace gpubench {
namespace {

/// Returns the SHA-256 of the trainable parameters. Reproducible on one machine with equal seed and threads.
std::string parameter_checksum(Model& model) {
  std::vector<at::Tensor> host;  // Copies only of parameters on other devices: they may need gigabytes.
  std::vector<std::span<const std::byte>> parts;
  for (const ParameterGroup& group : model.parameter_groups()) {
    for (const at::Tensor& parameter : group.parameters) {
      host.push_back(parameter.detach().to(at::kCPU).contiguous());
      parts.emplace_back(static_cast<const std::byte*>(host.back().const_data_ptr()), host.back().nbytes());
    }
  }
  return sha256(parts);
}

struct Run {
  const Case& plan;
  const Dataset& data;
  Device& device;
  Timeline& timeline;
  CaseMonitor& monitor;
  CaseRecord& record;
  Session session = {};
  Seconds timed{0};  ///< Total time of the epochs after the warm-up.
};

NamedValues named(const Steps& steps, const std::vector<double>& values) {
  NamedValues figures;
  for (const std::string& name : steps.metrics()) figures.emplace_back(name, values[figures.size()]);
  return figures;
}

bool has_figure(const CaseRecord& record) { return std::ssize(record.epoch_seconds) > record.warmup_epochs; }

/// Opens the session and records its set-up. Returns the checksum of the untrained parameters.
std::string open(Run& run) {
  const Case settled = with_modes(run.plan, run.data, run.timeline);
  const Session& session = run.session = open_session(settled, run.data, run.timeline, run.monitor);
  CaseRecord& record = run.record;
  Model& model = *session.model;
  record.execution_used = to_string(session.execution.used);
  record.execution_note = session.execution.note;
  record.layout_used = to_string(session.layout.used);
  record.layout_note = session.layout.note;
  record.setup = session.setup;
  record.block_steps = session.stamps->block_steps();
  record.blocks_per_epoch = std::ssize(record.block_steps);
  if (record.block_steps.empty()) record.blocks_per_epoch = missing(run.device.why_no_marks());
  record.parameters = count_parameters(model);
  record.optimizer = session.steps->optimizer_description();
  if (record.learning_rate == 0) record.learning_rate = session.steps->learning_rate();
  if (session.ranks) {
    record.backend = session.ranks->backend();
    record.gradient_bytes_per_step = session.exchange->bytes_per_step();
  }
  for (const std::string& name : session.steps->metrics()) record.training.push_back({name, {}});
  if (session.validation) record.validation_history = record.training;
  return parameter_checksum(model);
}

/// Replaces the duration of an epoch by that of the slowest rank, and records the time of communication.
void compare_ranks(const Session& session, EpochRecord& epoch) {
  RankGroup& ranks = *session.ranks;
  const Measured<Seconds> waited = session.exchange->waited(epoch.steps);
  const std::vector<double> durations = ranks.gathered(epoch.duration.value);
  epoch.duration = {std::ranges::max(durations)};
  if (!waited.has_value()) return;
  const std::vector<double> waits = ranks.gathered(waited.value().value);
  epoch.communication = Seconds{std::ranges::min(waits)};
  epoch.rank_busy_seconds.resize(waits.size());
  std::ranges::transform(durations, waits, epoch.rank_busy_seconds.begin(), std::minus());
}

EpochRecord train_epoch(Run& run) {
  Steps& steps = *run.session.steps;
  CaseRecord& record = run.record;
  const auto number = std::to_string(record.epoch_seconds.size() + 1);
  EpochRecord epoch;
  if (run.session.ranks) run.session.ranks->barrier();
  epoch.duration = run.timeline.time("epoch " + number, [&] { run.session.queue_epoch(run.monitor); });
  epoch.phases = {record.timeline.back()};
  epoch.steps = steps.trained_steps() - record.trained_steps;
  if (run.session.ranks) compare_ranks(run.session, epoch);
  epoch.block_seconds = run.session.stamps->seconds();
  epoch.training = named(steps, steps.epoch_figures());
  if (run.plan.is_training()) epoch.samples = record.train_samples;
  epoch.host = current_resident();
  if (const auto held = run.device.held_memory(); held.has_value()) epoch.device = held.value();
  if (const auto waited = run.session.source->waited(); waited.has_value()) epoch.input_wait = waited.value();
  add_training(record, epoch);
  return epoch;
}

/// Validates after an epoch, in protocol fit only.
void validate_epoch(Run& run, EpochRecord& epoch) {
  if (!run.session.validation) return;
  const auto number = std::to_string(run.record.epoch_seconds.size());
  std::vector<double> metrics;
  epoch.validation = run.timeline.time(
      "validation " + number, [&] { metrics = run.session.steps->evaluate(*run.session.validation); });
  epoch.phases.push_back(run.record.timeline.back());
  epoch.validation_figures = named(*run.session.steps, metrics);
  add_validation(run.record, epoch);
}

std::string stop_reason(Run& run) {
  const CaseRecord& record = run.record;
  if (!record.training.empty() && !std::isfinite(record.training.front().second.back()))
    return "loss-not-finite";
  static constexpr const char* kReasons[] = {"", "epochs", "target-ci", "max-epochs", "time"};  // By Stop.
  const Stop stop = decide(run.plan.asked, record.epoch_seconds, run.timed);
  if (stop != Stop::kNo) return kReasons[static_cast<std::size_t>(stop)];
  StopRequest request = run.monitor.stop_request();
  if (run.session.ranks) {
    // All ranks stop by the request of rank 0.
    const double wanted = run.session.ranks->maxima({static_cast<double>(request)}).front();
    request = static_cast<StopRequest>(std::lround(wanted));
  }
  if (request == StopRequest::kInterrupt) return "interrupted";
  return request == StopRequest::kDeadline && has_figure(record) ? "deadline" : "";
}

void measure_epochs(Run& run) {
  CaseRecord& record = run.record;
  const HostState before = read_host_state();
  const std::clock_t cpu_before = std::clock();
  run.monitor.case_opened(record);
  std::string reason;
  while (reason.empty()) {
    EpochRecord epoch = train_epoch(run);
    validate_epoch(run, epoch);
    if (std::ssize(record.epoch_seconds) > run.plan.asked.warmup_epochs)
      run.timed = run.timed + epoch.duration;
    run.monitor.epoch_finished(epoch);
    reason = stop_reason(run);
  }
  const Seconds cpu{static_cast<double>(std::clock() - cpu_before) / CLOCKS_PER_SEC};
  append(record.warnings,
         core_wait_warnings(before, read_host_state(), cpu, at::get_num_threads(), spins_while_waiting()));
  record.stopped_by = reason;
  const std::vector<double> first = run.session.steps->first_step_metrics();
  record.initial_loss = first.empty() ? missing("the workload has no loss") : Measured<double>(first.front());
  if (has_figure(record)) record.warmup_epochs = count_warmup(run.plan.asked, record.epoch_seconds);
}

Measured<NamedValues> evaluate_split(Run& run, const Split& split) {
  if (split.size() == 0) return missing("the dataset has no such split");
  const ResidentSplit resident(split, run.plan.asked.max_samples, c10::Device(run.device.name()),
                               run.session.format);
  return named(*run.session.steps, run.session.steps->evaluate(resident));
}

void evaluate(Run& run) {
  CaseRecord& record = run.record;
  const bool is_cut = record.status == RowStatus::kDiverged || record.status == RowStatus::kInterrupted;
  if (is_cut || run.session.steps->metrics().empty()) {
    record.validation = record.test =
        missing(is_cut ? "the case ended as " + to_string(record.status) : "the workload has no metrics");
    return;
  }
  // Evaluating a second split would double the time for little information.
  const bool is_test_enough =
      run.plan.asked.protocol != "fit" && run.data.test.size() > 0 && run.data.validation.size() > 0;
  run.timeline.time("evaluation", [&] {
    record.test = evaluate_split(run, run.data.test);
    record.validation = is_test_enough ? CaseRecord().validation : evaluate_split(run, run.data.validation);
  });
}

/// Sets the status. Compares the parameters with the checksum of the untrained ones.
void validate(Run& run, const std::string& untrained) {
  CaseRecord& record = run.record;
  const std::vector<double> losses =
      record.training.empty() ? std::vector<double>() : record.training.front().second;
  const std::int64_t checked_steps = run.session.model->is_adversarial() ? 0 : record.steps_per_epoch;
  const std::string checksum = parameter_checksum(*run.session.model);
  record.parameter_checksum = checksum;
  const bool is_equal = !run.session.ranks || run.session.ranks->agree_on(checksum);
  record.status = RowStatus::kInvalid;
  if (record.stopped_by == Measured<std::string>("interrupted")) {
    record.status = RowStatus::kInterrupted;
    record.status_reason = "interrupted after epoch " + std::to_string(record.epoch_seconds.size());
  } else if (!is_equal) {
    record.status_reason = "the ranks' parameters differ after the last epoch";
  } else if (const std::string fault = run.session.steps->find_fault(record.training, checksum != untrained);
             !fault.empty()) {
    record.status_reason = fault;
  } else {
    record.status_reason = divergence(losses, checked_steps);
    record.status = record.status_reason.empty() ? RowStatus::kOk : RowStatus::kDiverged;
  }
}

/// Records the cost of a step and, if requested, its profile. Continues the training, so call it last.
void examine(Run& run) {
  CaseRecord& record = run.record;
  record.forward_macs = count_forward_macs(*run.session.model, make_spec(run.plan));
  if (record.status == RowStatus::kInterrupted) return;
  run.timeline.time("counting", [&] {
    const std::int64_t batch = std::min(run.plan.asked.batch_size, record.train_samples);
    const RankShare share = run.session.share();
    const StepCost cost =
        cost_of_batch([&](std::int64_t samples) { run.session.queue_step(samples); }, batch, share);
    record.train_flop_per_sample = cost.flop / static_cast<double>(share.size(batch));
    record.operations_per_step = cost.operations;
    record.traffic_per_step = Bytes{std::llround(cost.bytes)};
  });
  constexpr std::int64_t kProfiledSteps = 10;
  if (!run.plan.asked.is_profiled) return;
  run.timeline.time("profile", [&] {
    profile_steps([&] { run.session.queue_full_step(); }, kProfiledSteps, trace_file(run.plan), run.device,
                  record);
  });
}

/// Runs at least two parts of an epoch, then the short batch, which may need more memory.
void make_steps(Session& session, std::int64_t batch_size, Timeline& timeline, Seconds limit, Pilot& pilot) {
  std::int64_t part = 1;
  const auto time_part = [&] {
    const Seconds time = timeline.time("steps", [&] {
      if (session.graph)
        part = session.graph->queue_part();
      else
        session.queue_full_step();
    });
    pilot.steps += part;
    return time;
  };
  const Seconds start = timeline.clock.now();
  const Seconds first = time_part();
  std::vector<double> times{time_part().value};
  while (timeline.clock.now() - start < limit) times.push_back(time_part().value);
  const double usual = summarize(times).median;
  pilot.step = {usual / static_cast<double>(part)};
  // Assumes that only the very first step differs from later ones.
  pilot.first_step = first - Seconds{usual} + pilot.step;
  const std::int64_t rest = session.source->size() % batch_size;
  if (session.graph || rest == 0) return;
  timeline.time("last step of an epoch", [&] { session.queue_step(rest); });
  timeline.time("steps", [&] { session.queue_full_step(); });
}

}  // namespace

CaseRecord run_case(const Case& c, const Dataset& dataset, Device& device, const Clock& clock,
                    CaseMonitor& monitor) {
  CaseRecord record = describe(c, make_facts(dataset));
  record.started_at = utc_timestamp_milliseconds();
  record.warnings = device.warnings();
  device.reset_peak_memory();
  Timeline timeline{device, clock, record.timeline};
  record.clock_start = timeline.origin;
  Run run{c, dataset, device, timeline, monitor, record};
  try {
    const std::string untrained = open(run);
    measure_epochs(run);
    record.peak_device = device.peak_memory();
    record.peak_reserved = device.peak_reserved_memory();
    record.device_in_use = device.memory_in_use();
    append(record.warnings, growth_warnings(record));
    append(record.warnings, device.memory_warnings());
    validate(run, untrained);
    run.session.drop_graph(device);  // Evaluation and counting are eager and need the memory.
    evaluate(run);
    examine(run);
  } catch (const std::exception& error) {
    const Failure failure = classify(error);
    record.status = failure.status;
    record.status_reason = failure.message;
    record.requested = failure.requested;
    const bool is_unknown = failure.status == RowStatus::kOutOfMemory && !failure.available.has_value();
    record.available = is_unknown ? device.free_memory() : failure.available;
  }
  return record;
}

Pilot run_pilot(const Case& c, const Dataset& dataset, Device& device, const Clock& clock, Seconds limit) {
  const Seconds start = clock.now();
  std::vector<Phase> phases;
  Timeline timeline{device, clock, phases};
  device.reset_peak_memory();
  Pilot pilot;
  try {
    const Case settled = with_modes(c, dataset, timeline);
    pilot.modes = settled.tried;
    Session session = open_session(settled, dataset, device, clock);
    pilot.setup = session.setup;
    make_steps(session, c.asked.batch_size, timeline, limit, pilot);
    pilot.peak_device = device.peak_memory();
  } catch (const std::exception& error) {
    const Failure failure = classify(error);
    pilot.status = failure.status;
    pilot.status_reason = failure.message;
  }
  pilot.duration = clock.now() - start;
  return pilot;
}

}  // namespace gpubench
