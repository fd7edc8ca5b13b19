#include "engine/execution/executor.h"

#include <algorithm>
#include <ctime>

#include "device/host/host.h"
#include "gpubench/core/collect.h"
#include "power/trace/energy_account.h"
#include "power/trace/integration.h"

namespace gpubench {
namespace {

class LocalExecutor : public CaseExecutor {
 public:
  LocalExecutor(const Engine& engine, const Datasets& datasets, const Clock& clock)
      : engine_(engine), datasets_(datasets), clock_(clock), devices_(engine) {}

  CaseRecord run(const Case& c, RowControl& control) override {
    const HostState before = read_host_state();
    const std::clock_t cpu_before = std::clock();
    CaseRecord record = engine_.run_case(c, find_dataset(c), devices_.at(c.asked.device), clock_, control);
    const Seconds cpu{static_cast<double>(std::clock() - cpu_before) / CLOCKS_PER_SEC};
    append(record.warnings, host_warnings(before, read_host_state(), cpu));
    return record;
  }

  PilotResult run_pilot(const Case& c, Seconds limit, RowControl&) override {
    const Pilot pilot = engine_.run_pilot(c, find_dataset(c), devices_.at(c.asked.device), clock_, limit);
    return {pilot, pilot.duration, missing("the pilot had no process of its own")};
  }

 private:
  Dataset find_dataset(const Case& c) const {
    return arrange(datasets_.at(c.dataset->name), make_spec(c), static_cast<std::uint64_t>(c.asked.seed));
  }

  const Engine& engine_;
  const Datasets& datasets_;
  const Clock& clock_;
  OpenDevices devices_;
};

/// An abort by the user is noticed within this.
constexpr Seconds kSlice{0.05};

constexpr Seconds kBetweenFlatnessChecks{0.25};
constexpr Seconds kLongestSettling{10};  // GPUs keep clocks up for some seconds.
constexpr Seconds kMargin{2};            // So that a window has a sample before it too.

struct Idle {
  TimeSpan span{};
  std::vector<bool> is_flat{};

  bool is_settled(std::size_t source) const { return source >= is_flat.size() || is_flat[source]; }
  bool is_settled() const { return std::ranges::find(is_flat, false) == is_flat.end(); }
};

class MeteredExecutor : public CaseExecutor {
 public:
  MeteredExecutor(std::unique_ptr<CaseExecutor> inner, PowerSampler* sampler, const Clock& clock,
                  const MeteringOptions& options, Sleep sleep)
      : inner_(std::move(inner)),
        sampler_(sampler),
        clock_(clock),
        options_(options),
        sleep_(std::move(sleep)) {}

  CaseRecord run(const Case& planned, RowControl& control) override {
    if (sampler_ == nullptr) {
      CaseRecord record = inner_->run(planned, control);
      record.energy_note = options_.why_none;
      return record;
    }
    if (!is_idle_known_) idle_ = measure_idle(control);
    const Idle idle_before = idle_;
    CaseRecord record = inner_->run(planned, control);
    idle_ = measure_idle(control);
    is_idle_known_ = true;
    add_energy(record, idle_before);
    return record;
  }

  PilotResult run_pilot(const Case& c, Seconds limit, RowControl& control) override {
    is_idle_known_ = false;
    return inner_->run_pilot(c, limit, control);
  }

 private:
  /// Waits for flat power, at most kLongestSettling, once no sensor averages over the time before this call.
  Idle measure_idle(RowControl& control) {
    const Seconds begin = clock_.now();
    if (!(options_.idle.value > 0)) return {{begin, begin}};
    Seconds longest_averaging{0};
    for (const PowerTrace& trace : sampler_->latest(begin))
      longest_averaging = std::max(longest_averaging, trace.facts.averaging);
    const Seconds least = begin + longest_averaging + options_.idle;
    wait_until(least, control);
    Idle idle = last_stretch(begin);
    while (!idle.is_settled() && clock_.now() < least + kLongestSettling && !control.must_abort()) {
      wait_until(clock_.now() + kBetweenFlatnessChecks, control);
      idle = last_stretch(begin);
    }
    return idle;
  }

  void wait_until(Seconds end, RowControl& control) {
    while (clock_.now() < end && !control.must_abort()) sleep_(kSlice);
  }

  Idle last_stretch(Seconds earliest) {
    const Seconds now = clock_.now();
    const TimeSpan span{std::max(earliest, now - options_.idle), now};
    return {span, mapped(sampler_->latest(span.begin - kMargin),
                         [&](const PowerTrace& trace) { return power::Evaluation(trace).is_flat(span); })};
  }

  void add_energy(CaseRecord& record, const Idle& before) {
    const auto traces = sampler_->traces_since(before.span.begin - kMargin);
    if (record.epoch_seconds.empty()) {
      record.energy_note = "the case ended as " + to_string(record.status) + " before its first epoch";
    } else if (!record.clock_start.has_value()) {
      record.energy_note = "the case did not tell when it began";
    } else {
      for (std::size_t i = 0; i < traces.size(); ++i) {
        const bool is_settled = before.is_settled(i) && idle_.is_settled(i);
        record.energy.push_back(account_for(
            traces[i], record, {record.clock_start.value(), before.span, idle_.span, is_settled}));
        record.energy.back().sampler_load = sampler_->load();
      }
    }
  }

  std::unique_ptr<CaseExecutor> inner_;
  PowerSampler* sampler_;  // Null: rows get the reason for no energy.
  const Clock& clock_;
  MeteringOptions options_;
  Sleep sleep_;
  bool is_idle_known_ = false;  // True if idle_ ended just now.
  Idle idle_{};
};

}  // namespace

OpRecord run_here(const OpWork& work, const Engine& engine, OpenDevices& devices, const Clock& clock) {
  OpRecord record = engine.run_operation(work.asked, devices.at(work.asked.device), clock);
  return record;
}

OpExecutor make_local_op_executor(const Engine& engine, const Clock& clock) {
  const auto devices = std::make_shared<OpenDevices>(engine);
  return [&engine, &clock, devices](const OpWork& work, RowControl&) {
    return run_here(work, engine, *devices, clock);
  };
}

std::unique_ptr<CaseExecutor> make_local_executor(const Engine& engine, const Datasets& datasets,
                                                  const Clock& clock) {
  return std::make_unique<LocalExecutor>(engine, datasets, clock);
}

std::unique_ptr<CaseExecutor> make_metered_executor(std::unique_ptr<CaseExecutor> inner,
                                                    PowerSampler* sampler, const Clock& clock,
                                                    const MeteringOptions& options, Sleep sleep) {
  return std::make_unique<MeteredExecutor>(std::move(inner), sampler, clock, options, std::move(sleep));
}

}  // namespace gpubench
