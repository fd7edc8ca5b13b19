#include "engine/sweep/recorder.h"

#include "engine/api/peak.h"
#include "engine/validation/plausibility.h"
#include "gpubench/core/clock.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"

namespace gpubench {

Recorder::Recorder(RunRecord header, OptionalStore& store, std::string output)
    : header_(std::move(header)), store_(&store), output_(std::move(output)) {}

Recorder::Recorder(RunRecord header, const std::vector<Result>& planned, OptionalStore& store,
                   const std::string& output)
    : Recorder(std::move(header), store, output) {
  for (const Result& row : planned) rows_.push_back({{row}, row});
  if (output_.empty()) return;
  store_->attempt([&](Store& opened) { run_ = opened.begin_run(header_, planned, output_); });
}

Recorder Recorder::resume(const RunRecord& former, const std::vector<Result>& planned, OptionalStore& store,
                          const std::string& output) {
  Recorder recorder({former.tool, former.plan, former.environment, {}, {}, {}}, store, output);
  recorder.header_.tool.finished_at = missing("the run has not finished");
  std::vector<Result> rows = mapped(former.cases, [](const CaseRecord& row) { return Result(row); });
  for (const OpRecord& row : former.operations) rows.emplace_back(row);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool has_ended = get_row(rows[i]).status != RowStatus::kInterrupted;
    recorder.rows_.push_back({{has_ended ? rows[i] : planned.at(i), "", has_ended}, planned.at(i)});
  }
  bool is_free = true;
  store.attempt([&](Store& opened) {
    const std::optional<RunId> stored = opened.find_run(former.tool.run_id.value_or(""));
    is_free = !stored || opened.claim(*stored);
    if (!is_free) return;
    // Replaces the stored run: it may have fewer rows than the result file, or be marked as finished.
    recorder.run_ = opened.import_run(make_document(recorder.header_, recorder.stored_rows()), output);
    is_free = opened.claim(*recorder.run_);
  });
  require(is_free, "--resume {}: another gpubench process is running this; wait for it to end", output);
  return recorder;
}

RunRecord Recorder::document() const {
  RunRecord document = make_document(header_, stored_rows());
  clamp_to_peaks(document);
  return document;
}

std::vector<StoredRow> Recorder::stored_rows() const { return {rows_.begin(), rows_.end()}; }

template <class Use>
void Recorder::keep(const Use& use) {
  if (run_) store_->attempt([&](Store& store) { use(store, *run_); });
}

std::size_t Recorder::add_row(const Result& planned) {
  const std::size_t position = rows_.size();
  rows_.push_back({{planned}, planned});
  keep([&](Store& store, RunId run) { store.add_row(run, position, planned); });
  return position;
}

void Recorder::start(std::size_t position) {
  RecordedRow& row = rows_.at(position);
  static_cast<StoredRow&>(row) = {row.planned, utc_timestamp_milliseconds()};
  keep([&](Store& store, RunId run) { store.start_row(run, position, row.planned, row.started_at); });
}

void Recorder::add_epoch(std::size_t position, const EpochRecord& epoch) {
  auto& record = std::get<CaseRecord>(rows_.at(position).record);
  gpubench::add_epoch(record, epoch);
  keep([&](Store& store, RunId run) { store.add_epoch(run, position, record.epoch_seconds.size(), epoch); });
}

void Recorder::finish(std::size_t position, const Result& result) {
  RecordedRow& row = rows_.at(position);
  row.record = result;
  row.has_ended = get_row(result).status != RowStatus::kInterrupted;
  keep([&](Store& store, RunId run) { store.finish_row(run, position, result); });
}

void Recorder::raise_peak(const DeviceRecord& device) {
  for (DeviceRecord& own : header_.environment.devices) {
    if (own.name == device.name) improve_peak(device, own);
  }
  keep([&](Store& store, RunId run) { store.set_header(run, header_); });
}

void Recorder::end() { header_.tool.finished_at = utc_timestamp(); }

void Recorder::save(const RunRecord& document) {
  if (!output_.empty()) store_->attempt_again([&](Store& store) { store.import_run(document, output_); });
}

}  // namespace gpubench
