#pragma once
// Runs work into a journal and a result: the common part of trainings and operations.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "app/run/planned_run.h"
#include "device/host/host.h"
#include "engine/machine/facts.h"
#include "engine/sweep/journal.h"
#include "engine/sweep/sweep.h"
#include "gpubench/core/clock.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "record/document/record_json.h"

namespace gpubench {

inline std::string document_text(const RunRecord& run) { return run_document(run); }
inline std::string document_text(const OpsRecord& table) { return ops_document(table); }

/// Runs all rows, or the missing rows of an interrupted run. The plan outlives it.
template <class Work>
class JournaledRun {
 public:
  using Row = RowOf<Work>;
  using Document = DocumentOf<Work>;

  virtual ~JournaledRun() = default;

  /// Runs all work, or what the journal of `--resume` lacks. Throws a usage Error if that is of another run.
  ExitCode run();

 protected:
  JournaledRun(const RunOptions& options, std::optional<ResultFile> file)
      : options_(options), file_(std::move(file)) {}

  virtual JournalHeader<Work> header() const = 0;
  virtual const std::vector<Work>& work() const = 0;
  virtual Row planned_row(const Work& work) const = 0;
  /// Returns work that an earlier part of the run added to its journal.
  virtual Work added_work(const Json& json) const = 0;
  virtual std::int64_t order_seed() const { return 0; }
  /// Runs `all` at these positions. Returns false if the user ended it.
  virtual bool sweep(const std::vector<Work>& all, const std::vector<std::size_t>& positions,
                     Journal<Work>& journal) = 0;
  virtual std::string shown(const Document& document) const = 0;
  virtual bool is_fine(const Row& row) const { return row.status == RowStatus::kOk; }

  /// Saves the document so far. Long documents are saved more rarely: the journal has all rows.
  void save_snapshot(const Journal<Work>& journal) {
    constexpr double kRarity = 10;
    const Seconds begin = clock_.now();
    if (!file_ || begin < next_snapshot_) return;
    file_->save_snapshot(document_text(make_document(journal.state())));
    const Seconds end = clock_.now();
    next_snapshot_ = end + Seconds{kRarity * (end - begin).value};
  }

  SteadyClock clock_;
  const RunOptions& options_;
  std::optional<ResultFile> file_;

 private:
  Journal<Work> begin() const;
  Journal<Work> reopen() const;
  void require_nothing_lost(const std::filesystem::path& journal) const;
  ExitCode finish(const Journal<Work>& journal, bool is_interrupted);

  Seconds next_snapshot_;
};

template <class Work>
ExitCode JournaledRun<Work>::run() {
  Journal<Work> journal = options_.resume.empty() ? begin() : reopen();
  const auto awake = keep_awake();
  std::vector<Work> all = work();
  const auto& rows = journal.state().rows;
  for (std::size_t i = all.size(); i < rows.size(); ++i) all.push_back(added_work(rows[i].work));
  const auto positions =
      unfinished(journal.state(), execution_order(mapped(all, repetition<Work>), order_seed()));
  const bool is_whole = sweep(all, positions, journal);
  if (is_whole) journal.run_ended();
  return finish(journal, !is_whole);
}

template <class Work>
Journal<Work> JournaledRun<Work>::begin() const {
  const bool has_journal = file_ && file_->is_replaceable();
  const auto path = has_journal ? journal_path(file_->path()) : std::filesystem::path();
  const auto rows = mapped(work(), [this](const Work& work) { return planned_row(work); });
  return Journal<Work>::create(path, header(), work(), rows, [&] { require_nothing_lost(path); });
}

/// Throws a usage Error if the result or its journal would replace those of another run.
template <class Work>
void JournaledRun<Work>::require_nothing_lost(const std::filesystem::path& journal) const {
  if (options_.overwrites) return;
  Journal<Work>::refuse_unfinished(journal);
  require_free(file_->path());
  // The journals of "run" and "run.json" have the same name. One whose result was moved away is unused.
  std::filesystem::path other = result_path(journal);
  if (has_content(other) || has_content(other.replace_extension())) require_free(journal);
}

template <class Work>
Journal<Work> JournaledRun<Work>::reopen() const {
  Journal<Work> journal = Journal<Work>::resume(journal_path(options_.resume));
  if (!journal.state().warning.empty()) log_info(journal.state().warning);
  const auto found = differences(journal.state(), header(), work());
  require(found.empty(), "--resume {}: this run is another one ({}); start it without --resume",
          options_.resume, join(found, "; "));
  return journal;
}

template <class Work>
ExitCode JournaledRun<Work>::finish(const Journal<Work>& journal, bool is_interrupted) {
  const Document result = make_document(journal.state());
  for (const DeviceRecord& device : result.environment.devices)
    peak_store().raise_peak(device, result.environment);
  finish_result(file_, document_text(result), file_ ? shown(result) : "", options_.is_quiet);
  require(journal.failure().empty(), "journal {}: the last {}s are not in it ({}); free some space",
          journal_path(file_ ? file_->path() : "").string(), WorkKind<Work>::kRow, journal.failure());
  if (is_interrupted) return ExitCode::kInterrupted;
  const bool is_good =
      std::ranges::all_of(result.*WorkKind<Work>::kRows, [this](const Row& row) { return is_fine(row); });
  return is_good ? ExitCode::kOk : ExitCode::kCaseFailed;
}

}  // namespace gpubench
