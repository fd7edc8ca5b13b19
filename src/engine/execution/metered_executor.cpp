#include "engine/execution/metered_executor.h"

#include <algorithm>

#include "power/trace/energy_account.h"
#include "power/trace/integration.h"

namespace gpubench {
namespace {

/// An abort by the user is noticed within this.
constexpr Seconds kSlice{0.05};

/// A little before what is asked for, so that a window has a sample on its far side too.
constexpr Seconds kMargin{2};

class MeteredExecutor : public CaseExecutor {
 public:
  MeteredExecutor(std::unique_ptr<CaseExecutor> inner, PowerSampler& sampler, const Clock& clock,
                  const MeteringOptions& options, Sleep sleep)
      : inner_(std::move(inner)),
        sampler_(sampler),
        clock_(clock),
        options_(options),
        sleep_(std::move(sleep)) {}

  CaseRecord run(const Case& planned, RowControl& control) override {
    if (!is_idle_known_) idle_ = measure_idle(control);
    const TimeSpan idle_before = idle_;
    CaseRecord record = inner_->run(lengthened(planned), control);
    idle_ = measure_idle(control);
    is_idle_known_ = true;
    account(record, idle_before);
    return record;
  }

  PilotResult run_pilot(const Case& c, Seconds limit, RowControl& control) override {
    is_idle_known_ = false;
    return inner_->run_pilot(c, limit, control);
  }

 private:
  TimeSpan measure_idle(RowControl& control) {
    const Seconds begin = clock_.now();
    while (clock_.now() < begin + options_.idle && !control.must_abort()) sleep_(kSlice);
    return {begin, clock_.now()};
  }

  Case lengthened(const Case& planned) {
    Case c = planned;
    Seconds window = options_.window.value_or(Seconds{0});
    if (options_.is_window_automatic) window = longest_least_window();
    c.stopping.min_timed = std::max(c.stopping.min_timed, window);
    return c;
  }

  /// What is idle tells how often each source changes.
  Seconds longest_least_window() {
    Seconds longest{0};
    for (const PowerTrace& trace : sampler_.traces_since(idle_.begin - kMargin)) {
      const Reading<Seconds> least = power::Evaluation(trace).least_window();
      if (least.has_value()) longest = std::max(longest, least.value());
    }
    return longest;
  }

  void account(CaseRecord& record, TimeSpan idle_before) {
    const auto traces = sampler_.traces_since(idle_before.begin - kMargin);
    if (record.epoch_seconds.empty()) {
      record.energy_note = "the case ended as " + to_string(record.status) + " before its first epoch";
    } else if (!record.clock_start.has_value()) {
      record.energy_note = "the case did not tell when it began";
    } else {
      for (const PowerTrace& trace : traces) {
        record.energy.push_back(account_for(trace, record, {record.clock_start.value(), idle_before, idle_}));
        record.energy.back().sampler_load = sampler_.load();
      }
    }
  }

  std::unique_ptr<CaseExecutor> inner_;
  PowerSampler& sampler_;
  const Clock& clock_;
  MeteringOptions options_;
  Sleep sleep_;
  bool is_idle_known_ = false;  // Whether idle_ ended just now.
  TimeSpan idle_{};
};

class UnmeteredExecutor : public CaseExecutor {
 public:
  UnmeteredExecutor(std::unique_ptr<CaseExecutor> inner, std::string why)
      : inner_(std::move(inner)), why_(std::move(why)) {}

  CaseRecord run(const Case& c, RowControl& control) override {
    CaseRecord record = inner_->run(c, control);
    record.energy_note = why_;
    return record;
  }

  PilotResult run_pilot(const Case& c, Seconds limit, RowControl& control) override {
    return inner_->run_pilot(c, limit, control);
  }

 private:
  std::unique_ptr<CaseExecutor> inner_;
  std::string why_;
};

}  // namespace

std::unique_ptr<CaseExecutor> make_metered_executor(std::unique_ptr<CaseExecutor> inner,
                                                    PowerSampler& sampler, const Clock& clock,
                                                    const MeteringOptions& options, Sleep sleep) {
  return std::make_unique<MeteredExecutor>(std::move(inner), sampler, clock, options, std::move(sleep));
}

std::unique_ptr<CaseExecutor> make_unmetered_executor(std::unique_ptr<CaseExecutor> inner, std::string why) {
  return std::make_unique<UnmeteredExecutor>(std::move(inner), std::move(why));
}

}  // namespace gpubench
