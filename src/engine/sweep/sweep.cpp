#include "engine/sweep/sweep.h"

#include "engine/validation/plausibility.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/row_identity.h"

namespace gpubench {
namespace {

/// Forwards interrupts and the deadline to a row, and its progress to the recorder.
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
  std::vector<int> wake_descriptors() const override { return {services_.interrupts.wake_descriptor()}; }
  void steps_finished(std::int64_t count) override { services_.progress.steps_finished(count); }
  void epoch_finished(const EpochRecord& epoch) override { services_.recorder.add_epoch(position_, epoch); }

 private:
  std::size_t position_;
  std::optional<Seconds> deadline_;
  const SweepServices& services_;
};

/// Announces the rows and calls `run(position, index)` for each. Returns false after an interrupt.
template <class Run>
bool run_each(const std::vector<std::size_t>& positions, const SweepServices& services, Run run) {
  const std::vector<RecordedRow>& rows = services.recorder.rows();
  services.progress.rows_planned(
      mapped(positions, [&](std::size_t position) { return &rows[position].planned; }));
  for (std::size_t i = 0; i < positions.size() && services.interrupts.count() == 0; ++i) run(positions[i], i);
  return services.interrupts.count() == 0;
}

/// Returns a `skipped` row if the same case ran out of memory at this or a smaller batch size.
std::optional<Result> skipped_by_rule(const Recorder& recorder, std::size_t position) {
  const std::vector<RecordedRow>& rows = recorder.rows();
  const auto* const planned = std::get_if<CaseRecord>(&rows[position].planned);
  if (planned == nullptr) return std::nullopt;
  const RowIdentity wanted = make_identity(*planned).without({"batch_size"});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_out = rows[i].has_ended && get_row(rows[i].record).status == RowStatus::kOutOfMemory;
    if (i == position || !is_out) continue;
    const auto& other = std::get<CaseRecord>(rows[i].record);
    if (other.batch_size > planned->batch_size || make_identity(other).without({"batch_size"}) != wanted)
      continue;
    return skipped(*planned, "after-oom", "out of memory in " + make_name(make_identity(other)));
  }
  return std::nullopt;
}

class PeakObserver : public Observer {
 public:
  PeakObserver(Recorder& recorder, RenewPeak renew) : recorder_(recorder), renew_(std::move(renew)) {}

  void after(Result& row) override {
    const Environment& environment = recorder_.header().environment;
    std::visit(
        [&](auto& record) {
          // Measures the peak again before doubting a rate above it: the first trial may have been disturbed.
          if (renew_ && !find_doubt(record).empty()) {
            if (const auto renewed = renew_(record.device)) recorder_.raise_peak(*renewed);
          }
          note_peak(record, environment);
        },
        row);
    // Operations are validated when they run.
    auto* const record = std::get_if<CaseRecord>(&row);
    if (record == nullptr) return;
    const std::string& note = environment.threads_note;
    if (!note.empty()) record->warnings.push_back(make_warning(WarningKind::kFewThreads, {}, note));
    const std::string doubt = find_doubt(*record);
    if (doubt.empty()) return;
    record->status_reason = doubt;
    record->status = RowStatus::kInvalid;
  }

 private:
  /// Describes the implausible rate of a successful row; empty if it is plausible.
  std::string find_doubt(const auto& record) const {
    return record.status == RowStatus::kOk ? implausible_rate(record, recorder_.header().environment) : "";
  }

  Recorder& recorder_;
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

std::unique_ptr<Observer> make_peak_observer(Recorder& recorder, RenewPeak renew) {
  return std::make_unique<PeakObserver>(recorder, std::move(renew));
}

std::vector<std::size_t> unfinished(const Recorder& recorder, const std::vector<std::size_t>& order) {
  std::vector<std::size_t> positions;
  for (const std::size_t position : order) {
    const RecordedRow& row = recorder.rows().at(position);
    if (!row.has_ended || get_row(row.record).status != RowStatus::kOk) positions.push_back(position);
  }
  return positions;
}

void run_position(const Work& work, std::size_t position, std::size_t index, std::size_t count,
                  std::optional<Seconds> deadline, const SweepServices& services) {
  const Result planned = services.recorder.rows()[position].planned;
  services.progress.row_started(planned, index, count);
  std::optional<Result> row = skipped_by_rule(services.recorder, position);
  if (!row) {
    services.recorder.start(position);
    SweepControl control(position, deadline, services);
    row = run_observed(work, planned, control, services.executor, services.observers);
  }
  services.recorder.finish(position, *row);
  services.progress.row_finished(*row);
  services.keep();
}

bool run_sweep(const std::vector<Work>& work, const std::vector<std::size_t>& positions,
               const SweepServices& services) {
  return run_each(positions, services, [&](std::size_t position, std::size_t index) {
    run_position(work[position], position, index, positions.size(), std::nullopt, services);
  });
}

std::int64_t count_repeats(const Recorder& recorder, std::size_t position) {
  const RowIdentity identity = make_identity(std::get<CaseRecord>(recorder.rows()[position].planned));
  std::int64_t most = 1;
  for (const RecordedRow& entry : recorder.rows()) {
    const auto& row = std::get<CaseRecord>(entry.planned);
    if (row.repeat > most && make_identity(row) == identity) most = row.repeat;
  }
  return most;
}

void run_again(const Work& work, std::size_t position, std::size_t index, std::size_t count,
               const SweepServices& services) {
  auto again = std::get<Case>(work);
  auto planned = std::get<CaseRecord>(services.recorder.rows()[position].planned);
  again.asked.repeat = planned.repeat = count_repeats(services.recorder, position) + 1;
  const std::size_t added = services.recorder.add_row(planned);
  run_position(again, added, index, count, std::nullopt, services);
}

bool run_repeats(const std::vector<Work>& cases, std::int64_t count, const SweepServices& services) {
  constexpr Seconds kLongestEpoch{60};
  const auto is_repeated = [&](std::size_t position) {
    const RecordedRow& row = services.recorder.rows()[position];
    const auto& record = std::get<CaseRecord>(row.record);
    if (!row.has_ended || record.status != RowStatus::kOk || record.repeat != 1) return false;
    const Measured<Summary> summary = epoch_summary(record);
    return summary.has_value() && summary.value().median <= kLongestEpoch.value;
  };
  std::vector<std::size_t> positions;
  for (std::int64_t run = 2; run <= count; ++run) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (is_repeated(i) && count_repeats(services.recorder, i) < run) positions.push_back(i);
    }
  }
  return run_each(positions, services, [&](std::size_t position, std::size_t index) {
    run_again(cases[position], position, index, positions.size(), services);
  });
}

}  // namespace gpubench
