#include "engine/sweep/sweep.h"

#include <algorithm>

#include "engine/validation/plausibility.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/row_identity.h"

namespace gpubench {
namespace {

/// Passes stop requests and the deadline to a row, and the progress of a case to the journal.
template <class Work>
class SweepControl : public RowControl {
 public:
  SweepControl(std::size_t position, std::optional<Seconds> deadline, const SweepServices<Work>& services)
      : position_(position), deadline_(deadline), services_(services) {}

  StopRequest stop_request() override {
    if (services_.interrupts.count() > 0) return StopRequest::kInterrupt;
    const bool is_late = deadline_ && services_.clock.now() > *deadline_;
    return is_late ? StopRequest::kDeadline : StopRequest::kNone;
  }
  bool must_abort() override { return services_.interrupts.count() > 1; }
  void add_wake_descriptors(std::vector<int>& to) const override {
    to.push_back(services_.interrupts.wake_descriptor());
  }
  void steps_finished(std::int64_t count) override { services_.progress.steps_finished(count); }
  void epoch_finished(const EpochRecord& epoch) override {
    services_.journal.epoch_finished(position_, epoch);
  }

 private:
  std::size_t position_;
  std::optional<Seconds> deadline_;
  const SweepServices<Work>& services_;
};

/// Returns the row of a case that is skipped after one of at most its size has run out of memory.
std::optional<CaseRecord> skipped_by_rule(const JournalState<Case>& state, std::size_t position) {
  const CaseRecord& planned = state.rows[position].row;
  const RowIdentity wanted = make_identity(planned).without({"batch_size"});
  for (std::size_t i = 0; i < state.rows.size(); ++i) {
    const auto& result = state.rows[i].result;
    if (i == position || !result || result->status != RowStatus::kOutOfMemory) continue;
    if (result->batch_size > planned.batch_size || make_identity(*result).without({"batch_size"}) != wanted)
      continue;
    return skipped(planned, "after-oom", "memory ran out with " + make_name(make_identity(*result)));
  }
  return std::nullopt;
}

/// An implausible rate may also mean that the peak was measured at a bad moment: it is measured again first.
template <class Work>
void validate(RowOf<Work>& record, const SweepServices<Work>& services) {
  const Environment& environment = services.journal.state().header.environment;
  const auto is_implausible = [&] {
    return record.status == RowStatus::kOk && !implausible_rate(record, environment).empty();
  };
  if (services.renew_peak && is_implausible()) {
    if (const auto renewed = services.renew_peak(record.device)) services.journal.peak_renewed(*renewed);
  }
  note_peak(record, environment);
  // Operations are checked where they are computed, and few threads do not make their times doubtful.
  if constexpr (std::is_same_v<Work, Case>) {
    if (!environment.threads_note.empty())
      record.warnings.push_back({"few-threads", {}, environment.threads_note});
    if (!is_implausible()) return;
    record.status_reason = implausible_rate(record, environment);
    record.status = RowStatus::kInvalid;
  }
}

}  // namespace

CaseRecord skipped(const CaseRecord& planned, const std::string& rule, const std::string& reason) {
  CaseRecord record = planned;
  record.status = RowStatus::kSkipped;
  record.status_reason = reason;
  record.skip_rule = rule;
  return record;
}

template <class Work>
void run_position(const Work& work, std::size_t position, std::size_t index, std::size_t count,
                  std::optional<Seconds> deadline, const SweepServices<Work>& services) {
  services.progress.row_started(services.journal.state().rows[position].row, index, count);
  std::optional<RowOf<Work>> row;
  if constexpr (std::is_same_v<Work, Case>) row = skipped_by_rule(services.journal.state(), position);
  if (!row) {
    services.journal.row_started(position);
    SweepControl<Work> control(position, deadline, services);
    if constexpr (std::is_same_v<Work, Case>)
      row = services.executor.run(work, control);
    else
      row = services.executor(work, control);
    validate(*row, services);
  }
  services.journal.row_finished(position, *row);
  services.progress.row_finished(*row);
  services.keep();
}

template <class Work>
bool run_sweep(const std::vector<Work>& work, const std::vector<std::size_t>& positions,
               const SweepServices<Work>& services) {
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (services.interrupts.count() > 0) return false;
    run_position(work[positions[i]], positions[i], i, positions.size(), std::nullopt, services);
  }
  return services.interrupts.count() == 0;
}

std::int64_t count_repeats(const JournalState<Case>& state, std::size_t position) {
  const RowIdentity identity = make_identity(state.rows[position].row);
  std::int64_t most = 1;
  for (const JournalRow<Case>& entry : state.rows) {
    if (make_identity(entry.row) == identity) most = std::max(most, entry.row.repeat);
  }
  return most;
}

void run_again(const Case& c, std::size_t position, std::size_t index, std::size_t count,
               const SweepServices<Case>& services) {
  Case again = c;
  CaseRecord planned = services.journal.state().rows[position].row;
  again.asked.repeat = planned.repeat = count_repeats(services.journal.state(), position) + 1;
  const std::size_t added = services.journal.add_row(again, planned);
  run_position(again, added, index, count, std::nullopt, services);
}

bool run_repeats(const std::vector<Case>& cases, std::int64_t count, const SweepServices<Case>& services) {
  const JournalState<Case>& state = services.journal.state();
  const auto is_repeated = [&](std::size_t position) {
    const auto& result = state.rows[position].result;
    if (!result || result->status != RowStatus::kOk || result->repeat != 1) return false;
    const Measured<Summary> summary = epoch_summary(*result);
    return summary.has_value() && summary.value().median <= kLongestRepeatedEpoch.value;
  };
  for (std::int64_t run = 2; run <= count; ++run) {
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (is_repeated(i) && count_repeats(state, i) < run) positions.push_back(i);
    }
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (services.interrupts.count() > 0) return false;
      run_again(cases[positions[i]], positions[i], i, positions.size(), services);
    }
  }
  return services.interrupts.count() == 0;
}

template void run_position(const Case&, std::size_t, std::size_t, std::size_t, std::optional<Seconds>,
                           const SweepServices<Case>&);
template bool run_sweep(const std::vector<Case>&, const std::vector<std::size_t>&,
                        const SweepServices<Case>&);
template bool run_sweep(const std::vector<OpWork>&, const std::vector<std::size_t>&,
                        const SweepServices<OpWork>&);

}  // namespace gpubench
