#include "engine/execution/executor.h"

#include <algorithm>

#include "gpubench/core/collect.h"
#include "power/trace/energy_account.h"
#include "power/trace/integration.h"

namespace gpubench {
namespace {

constexpr Seconds kAbortPollInterval{0.05};

constexpr Seconds kIdle{2};  // Length of the idle measurement around each case.
constexpr Seconds kFlatnessCheckInterval{0.25};
constexpr Seconds kMaxSettling{10};       // GPUs keep high clocks for some seconds after work.
constexpr Seconds kReuseIdleWithin{0.5};  // Maximum age of an idle measurement that is used again.
constexpr Seconds kMargin{2};             // Includes a power sample before the window.

struct Idle {
  TimeSpan span{};
  std::vector<bool> is_flat{};  // For each source.
};

class PowerObserver : public Observer {
 public:
  PowerObserver(PowerSampler* sampler, const Clock& clock, std::string why_none, Sleep sleep)
      : sampler_(sampler), clock_(clock), why_none_(std::move(why_none)), sleep_(std::move(sleep)) {}

  std::optional<Result> before(Work& work, const Result& /*planned*/, RowControl*& control) override {
    control_ = control;
    if (sampler_ == nullptr || !std::holds_alternative<Case>(work)) return std::nullopt;
    if (!idle_ || clock_.now() > idle_->span.end + kReuseIdleWithin) idle_ = measure_idle();
    return std::nullopt;
  }

  void after(Result& row) override {
    auto* const record = std::get_if<CaseRecord>(&row);
    if (record == nullptr) return;
    if (sampler_ == nullptr) {
      record->energy_note = why_none_;
      return;
    }
    const Idle before = std::exchange(*idle_, measure_idle());
    if (record->epoch_seconds.empty()) {
      record->energy_note = "the case ended as " + to_string(record->status) + " before its first epoch";
    } else if (!record->clock_start.has_value()) {
      record->energy_note = "the start time of the case is missing";
    } else {
      const auto traces = sampler_->traces_since(before.span.begin - kMargin);
      for (std::size_t i = 0; i < traces.size(); ++i) {
        const bool is_settled = before.is_flat[i] && idle_->is_flat[i];
        record->energy.push_back(account_for(
            traces[i], *record, {record->clock_start.value(), before.span, idle_->span, is_settled}));
        record->energy.back().sampler_load = sampler_->load();
      }
    }
  }

 private:
  /// Waits until no sensor averages over earlier work, then up to kMaxSettling for flat power.
  Idle measure_idle() {
    const Seconds begin = clock_.now();
    Seconds longest_averaging{0};
    for (const PowerTrace& trace : sampler_->traces_since(begin))
      longest_averaging = std::max(longest_averaging, trace.facts.averaging);
    const Seconds least = begin + longest_averaging + kIdle;
    for (Seconds end = least;; end = clock_.now() + kFlatnessCheckInterval) {
      while (clock_.now() < end && !control_->must_abort()) sleep_(kAbortPollInterval);
      const Seconds now = clock_.now();
      const TimeSpan span{std::max(begin, now - kIdle), now};
      Idle idle{span, mapped(sampler_->traces_since(span.begin - kMargin), [&](const PowerTrace& trace) {
                  return power::Evaluation(trace).is_flat(span);
                })};
      const bool is_settled = std::ranges::find(idle.is_flat, false) == idle.is_flat.end();
      if (is_settled || now >= least + kMaxSettling || control_->must_abort()) return idle;
    }
  }

  PowerSampler* sampler_;  // Null: rows get the reason for missing energy.
  const Clock& clock_;
  std::string why_none_;
  Sleep sleep_;
  RowControl* control_ = nullptr;  // Control of the current row.
  std::optional<Idle> idle_;       // Latest idle measurement.
};

}  // namespace

Result run_observed(Work work, const Result& planned, RowControl& control, Executor& executor,
                    const Observers& observers) {
  RowControl* current = &control;
  std::optional<Result> row;
  std::size_t begun = 0;
  while (begun < observers.size() && !row) row = observers[begun++]->before(work, planned, current);
  if (!row) row = executor.run(work, planned, *current);
  while (begun > 0) observers[--begun]->after(*row);
  return std::move(*row);
}

std::unique_ptr<Observer> make_power_observer(PowerSampler* sampler, const Clock& clock, std::string why_none,
                                              Sleep sleep) {
  return std::make_unique<PowerObserver>(sampler, clock, std::move(why_none), std::move(sleep));
}

}  // namespace gpubench
