#include "engine/sweep/sweep.h"

#include <algorithm>

#include "engine/validation/plausibility.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/row_identity.h"

namespace gpubench {
namespace {

/// Passes stop requests and the deadline to a row, and the progress of a case to the journal.
class SweepControl : public RowControl {
 public:
  SweepControl(std::size_t position, std::optional<Seconds> deadline, const SweepServices& services)
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
    services_.journal.add(EpochEvent{position_, epoch});
  }

 private:
  std::size_t position_;
  std::optional<Seconds> deadline_;
  const SweepServices& services_;
};

/// Returns the row of a case that is skipped after one of at most its size has run out of memory.
std::optional<Result> skipped_by_rule(const JournalState& state, std::size_t position) {
  const auto* const planned = std::get_if<CaseRecord>(&state.rows[position].row);
  if (planned == nullptr) return std::nullopt;
  const RowIdentity wanted = make_identity(*planned).without({"batch_size"});
  for (std::size_t i = 0; i < state.rows.size(); ++i) {
    const auto& result = state.rows[i].result;
    if (i == position || !result || get_row(*result).status != RowStatus::kOutOfMemory) continue;
    const auto& other = std::get<CaseRecord>(*result);
    if (other.batch_size > planned->batch_size || make_identity(other).without({"batch_size"}) != wanted)
      continue;
    return skipped(*planned, "after-oom", "memory ran out with " + make_name(make_identity(other)));
  }
  return std::nullopt;
}

class PeakObserver : public Observer {
 public:
  PeakObserver(Journal& journal, RenewPeak renew) : journal_(journal), renew_(std::move(renew)) {}

  std::optional<Result> before(Work&, const Result&, RowControl*&) override { return std::nullopt; }

  void after(Result& row) override {
    std::visit([this](auto& record) { check(record); }, row);
  }

 private:
  /// A rate above the peak may also mean that the peak was measured at a bad moment: it is measured again
  /// first.
  void check(auto& record) {
    if (renew_ && is_implausible(record)) {
      if (const auto renewed = renew_(record.device)) journal_.add(PeakEvent{*renewed});
    }
    note_peak(record, environment());
    doubt(record);
  }

  /// Operations are checked where they are computed, and few threads do not make their times doubtful.
  void doubt(OpRecord& /*record*/) const {}
  void doubt(CaseRecord& record) const {
    const std::string& note = environment().threads_note;
    if (!note.empty()) record.warnings.push_back({"few-threads", {}, note});
    if (!is_implausible(record)) return;
    record.status_reason = implausible_rate(record, environment());
    record.status = RowStatus::kInvalid;
  }

  bool is_implausible(const auto& record) const {
    return record.status == RowStatus::kOk && !implausible_rate(record, environment()).empty();
  }

  const Environment& environment() const { return journal_.state().header.environment; }

  Journal& journal_;
  RenewPeak renew_;
};

}  // namespace

CaseRecord skipped(const CaseRecord& planned, const std::string& rule, const std::string& reason) {
  CaseRecord record = planned;
  record.status = RowStatus::kSkipped;
  record.status_reason = reason;
  record.skip_rule = rule;
  return record;
}

std::unique_ptr<Observer> make_peak_observer(Journal& journal, RenewPeak renew) {
  return std::make_unique<PeakObserver>(journal, std::move(renew));
}

std::vector<std::size_t> unfinished(const JournalState& state, const std::vector<std::size_t>& order) {
  std::vector<std::size_t> positions;
  for (const std::size_t position : order) {
    const auto& result = state.rows.at(position).result;
    if (!result || get_row(*result).status != RowStatus::kOk) positions.push_back(position);
  }
  return positions;
}

void run_position(const Work& work, std::size_t position, std::size_t index, std::size_t count,
                  std::optional<Seconds> deadline, const SweepServices& services) {
  const Result planned = services.journal.state().rows[position].row;
  services.progress.row_started(planned, index, count);
  std::optional<Result> row = skipped_by_rule(services.journal.state(), position);
  if (!row) {
    services.journal.add(StartedEvent{position, utc_timestamp_milliseconds()});
    SweepControl control(position, deadline, services);
    row = run_observed(work, planned, control, services.executor, services.observers);
  }
  services.journal.add(FinishedEvent{position, *row});
  services.progress.row_finished(*row);
  services.keep();
}

bool run_sweep(const std::vector<Work>& work, const std::vector<std::size_t>& positions,
               const SweepServices& services) {
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (services.interrupts.count() > 0) return false;
    run_position(work[positions[i]], positions[i], i, positions.size(), std::nullopt, services);
  }
  return services.interrupts.count() == 0;
}

std::int64_t count_repeats(const JournalState& state, std::size_t position) {
  const RowIdentity identity = make_identity(std::get<CaseRecord>(state.rows[position].row));
  std::int64_t most = 1;
  for (const JournalRow& entry : state.rows) {
    const auto& row = std::get<CaseRecord>(entry.row);
    if (row.repeat > most && make_identity(row) == identity) most = row.repeat;
  }
  return most;
}

void run_again(const Work& work, std::size_t position, std::size_t index, std::size_t count,
               const SweepServices& services) {
  auto again = std::get<Case>(work);
  auto planned = std::get<CaseRecord>(services.journal.state().rows[position].row);
  again.asked.repeat = planned.repeat = count_repeats(services.journal.state(), position) + 1;
  const std::size_t added = services.journal.add_row(again, planned);
  run_position(again, added, index, count, std::nullopt, services);
}

bool run_repeats(const std::vector<Work>& cases, std::int64_t count, const SweepServices& services) {
  const JournalState& state = services.journal.state();
  const auto is_repeated = [&](std::size_t position) {
    const auto& result = state.rows[position].result;
    if (!result) return false;
    const auto& record = std::get<CaseRecord>(*result);
    if (record.status != RowStatus::kOk || record.repeat != 1) return false;
    const Measured<Summary> summary = epoch_summary(record);
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

}  // namespace gpubench
