#include "engine/sweep/sweep.h"

#include "engine/judge/roof.h"
#include "gpubench/record/row_identity.h"

namespace gpubench {
namespace {

/// Passes the user's wishes and the deadline to a case, and its progress to the journal.
class SweepControl : public CaseControl {
 public:
  SweepControl(std::size_t position, std::optional<Seconds> deadline, const SweepServices& services)
      : position_(position), deadline_(deadline), services_(services) {}

  StopRequest stop_request() override {
    if (services_.interrupts.count() > 0) return StopRequest::kInterrupt;
    const bool is_late = deadline_ && services_.clock.now() > *deadline_;
    return is_late ? StopRequest::kDeadline : StopRequest::kNone;
  }
  bool must_abort() override { return services_.interrupts.count() > 1; }
  int wake_descriptor() const override { return services_.interrupts.wake_descriptor(); }
  void steps_finished(std::int64_t steps) override { services_.progress.steps_finished(steps); }
  void epoch_finished(const EpochRecord& epoch) override {
    services_.journal.epoch_finished(position_, epoch);
  }

 private:
  std::size_t position_;
  std::optional<Seconds> deadline_;
  const SweepServices& services_;
};

/// The row of a skipped case after one of at most its size has run out of memory; nothing otherwise.
std::optional<CaseRecord> skipped_after_oom(const JournalState& state, std::size_t position) {
  const CaseRecord& planned = state.cases[position].row;
  const RowIdentity wanted = identity_of(planned).without({"batch"});
  for (std::size_t i = 0; i < state.cases.size(); ++i) {
    const auto& result = state.cases[i].result;
    if (i == position || !result || result->status != CaseStatus::kOutOfMemory) continue;
    if (result->batch_size > planned.batch_size || identity_of(*result).without({"batch"}) != wanted)
      continue;
    const std::string trigger = case_name(*result, false);
    return skipped(planned, "after-oom", trigger, "memory ran out with " + trigger);
  }
  return std::nullopt;
}

CaseRecord run_and_judge(const Case& c, std::size_t position, std::optional<Seconds> deadline,
                         const SweepServices& services) {
  SweepControl control(position, deadline, services);
  CaseRecord record = services.executor.run(c, control);
  const Environment& environment = services.journal.state().header.environment;
  note_roof(record, environment);
  const std::string implausible = implausible_rate(record, environment);
  if (record.status == CaseStatus::kOk && !implausible.empty()) {
    record.status = CaseStatus::kInvalid;
    record.status_reason = implausible;
  }
  return record;
}

}  // namespace

CaseRecord skipped(const CaseRecord& planned, const std::string& rule, const std::string& trigger,
                   const std::string& reason) {
  CaseRecord record = planned;
  record.status = CaseStatus::kSkipped;
  record.status_reason = reason;
  record.skip_rule = rule;
  record.skip_trigger = trigger.empty() ? Reading<std::string>(absent("no single case")) : trigger;
  return record;
}

std::vector<std::size_t> unfinished(const JournalState& state, const std::vector<std::size_t>& order) {
  std::vector<std::size_t> positions;
  for (const std::size_t position : order) {
    const auto& result = state.cases.at(position).result;
    if (!result || result->status != CaseStatus::kOk) positions.push_back(position);
  }
  return positions;
}

void run_position(const Case& c, std::size_t position, std::size_t index, std::size_t count,
                  std::optional<Seconds> deadline, const SweepServices& services) {
  services.progress.case_started(services.journal.state().cases[position].row, index, count);
  auto record = skipped_after_oom(services.journal.state(), position);
  if (!record) {
    services.journal.case_started(position);
    record = run_and_judge(c, position, deadline, services);
  }
  services.journal.case_finished(position, *record);
  services.progress.case_finished(*record);
  services.keep();
}

bool run_sweep(const std::vector<Case>& cases, const std::vector<std::size_t>& positions,
               const SweepServices& services) {
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (services.interrupts.count() > 0) return false;
    run_position(cases[positions[i]], positions[i], i, positions.size(), std::nullopt, services);
  }
  return services.interrupts.count() == 0;
}

}  // namespace gpubench
