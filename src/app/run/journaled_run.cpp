#include "app/run/journaled_run.h"

#include <algorithm>

#include "device/host/host.h"
#include "engine/api/peak.h"
#include "engine/machine/facts.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "record/document/record_json.h"

namespace gpubench {

ExitCode JournaledRun::run() {
  std::vector<Work> all = work();
  Journal journal = options_.resume.empty() ? begin(all) : reopen(all);
  const auto awake = keep_awake();
  const auto& rows = journal.state().rows;
  for (std::size_t i = all.size(); i < rows.size(); ++i) all.push_back(added_work(rows[i].work));
  const std::vector<std::size_t> order =
      execution_order(mapped(all, get_repeat), journal.state().header.plan.order_seed);
  const bool is_whole = sweep(all, unfinished(journal.state(), order), journal);
  if (is_whole) journal.add(EndedEvent{utc_timestamp()});
  return finish(journal, !is_whole);
}

void JournaledRun::save_snapshot(const Journal& journal) {
  constexpr double kRarity = 10;
  const Seconds begin = clock_.now();
  if (!file_ || begin < next_snapshot_) return;
  file_->save_snapshot(run_document(make_document(journal.state())));
  const Seconds end = clock_.now();
  next_snapshot_ = end + Seconds{kRarity * (end - begin).value};
}

Journal JournaledRun::begin(const std::vector<Work>& work) const {
  const bool has_journal = file_ && file_->is_replaceable();
  const auto path = has_journal ? journal_path(file_->path()) : std::filesystem::path();
  auto rows = mapped(work, [this](const Work& one) { return PlannedRow{to_json(one), planned_row(one)}; });
  return Journal::create(path, header(), std::move(rows), [&] { require_nothing_lost(path); });
}

/// Throws a usage Error if the result or its journal would replace those of another run.
void JournaledRun::require_nothing_lost(const std::filesystem::path& journal) const {
  if (options_.overwrites) return;
  Journal::refuse_unfinished(journal);
  require_free(file_->path());
  // The journals of "run" and "run.json" have the same name. One whose result was moved away is unused.
  std::filesystem::path other = result_path(journal);
  if (has_content(other) || has_content(other.replace_extension())) require_free(journal);
}

Journal JournaledRun::reopen(const std::vector<Work>& work) const {
  const auto path = journal_path(options_.resume);
  require_kind(read_journal(path), path, header().plan.is_of_operations());
  Journal journal = Journal::resume(path);
  if (!journal.state().warning.empty()) log_info(journal.state().warning);
  const auto found = differences(journal.state(), header(), work);
  require(found.empty(), "--resume {}: this run is another one ({}); start it without --resume",
          options_.resume, join(found, "; "));
  return journal;
}

ExitCode JournaledRun::finish(const Journal& journal, bool is_interrupted) {
  const RunRecord result = make_document(journal.state());
  for (const DeviceRecord& device : result.environment.devices)
    peak_store().raise_peak(device, result.environment);
  finish_result(file_, run_document(result), file_ ? shown(result) : "", options_.is_quiet);
  require(journal.failure().empty(), "journal {}: the last {}s are not in it ({}); free some space",
          journal_path(file_ ? file_->path() : "").string(), find_words(result.plan).row, journal.failure());
  if (is_interrupted) return ExitCode::kInterrupted;
  const auto is_good = [this](const RowRecord& row) { return is_fine(row); };
  const bool are_good =
      std::ranges::all_of(result.cases, is_good) && std::ranges::all_of(result.operations, is_good);
  return are_good ? ExitCode::kOk : ExitCode::kCaseFailed;
}

}  // namespace gpubench
