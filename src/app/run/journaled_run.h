#pragma once
// Work carried out into a journal and a result: what trainings and operations have in common.

#include <algorithm>
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
#include "gpubench/record/redaction.h"
#include "record/document/record_json.h"

namespace gpubench {

inline std::string make_document_text(const RunRecord& run) { return run_document(run); }
inline std::string make_document_text(const OpsRecord& table) { return ops_document(table); }

/// `run` outlives it.
inline RenewRoof renewing_peaks(const PlannedWork& run) {
  return [&run](const std::string& device) { return run.renewed_roof(device); };
}

/// A run from its first row to its result, or what an interrupted one lacks. Who derives from it knows what
/// is run, where, and what a person is shown.
template <class Work>
class JournaledRun {
 public:
  using Row = RowOf<Work>;
  using Document = DocumentOf<Work>;

  virtual ~JournaledRun() = default;

  /// Runs all work into a new result.
  ExitCode start();
  /// Runs what the journal lacks that `file` names, itself or by its result. Throws a usage Error where that
  /// is another run.
  ExitCode resume(const std::string& file);

 protected:
  explicit JournaledRun(RunOutput output) : output_(std::move(output)) {}

  virtual JournalHeader<Work> header() const = 0;
  virtual const std::vector<Work>& work() const = 0;
  virtual Row planned_row(const Work& work) const = 0;
  /// Work that an earlier part of the run added to its journal.
  virtual Work added_work(const Json& json) const = 0;
  virtual std::int64_t order_seed() const { return 0; }
  /// Runs `all` at these positions. Returns false where the user ended it.
  virtual bool sweep(const std::vector<Work>& all, const std::vector<std::size_t>& positions,
                     Journal<Work>& journal) = 0;
  /// What is printed of the result.
  virtual std::string shown(const Document& document) const = 0;
  /// Whether the row is what was asked for.
  virtual bool is_fine(const Row& row) const { return row.status == RowStatus::kOk; }
  /// Called once the journal is begun.
  virtual void on_started(const JournalHeader<Work>& /*header*/) {}
  /// Called once the result is saved and shown.
  virtual void on_finished(const Document& /*document*/) {}

  /// The document so far, into its file, unless that was done a moment ago.
  /// The more rows it has the longer that takes, and the rarer it is done: the journal has them all.
  void save_snapshot(const Journal<Work>& journal) {
    constexpr double kRarity = 10;
    const Seconds begin = clock_.now();
    if (!output_.file || begin < next_keep_) return;
    output_.file->save_snapshot(make_document_text(document(journal)));
    const Seconds end = clock_.now();
    next_keep_ = end + Seconds{kRarity * (end - begin).value};
  }
  const RunOutput& output() const { return output_; }

  SteadyClock clock_;

 private:
  void require_nothing_lost(const std::filesystem::path& journal) const;
  ExitCode run_all(Journal<Work>& journal);
  std::vector<Work> all_work(const JournalState<Work>& state) const;
  Document document(const Journal<Work>& journal) const;
  ExitCode finish(const Journal<Work>& journal, bool is_interrupted);
  void keep_roofs(const Journal<Work>& journal) const;
  void require_whole(const Journal<Work>& journal) const;

  RunOutput output_;
  Seconds next_keep_;
};

template <class Work>
ExitCode JournaledRun<Work>::start() {
  const bool has_journal = output_.file && output_.file->is_replaceable();
  const auto path = has_journal ? journal_path(output_.file->path()) : std::filesystem::path();
  const auto rows = mapped(work(), [this](const Work& work) { return planned_row(work); });
  Journal<Work> journal =
      Journal<Work>::create(path, header(), work(), rows, [&] { require_nothing_lost(path); });
  if (has_journal) on_started(journal.state().header);
  return run_all(journal);
}

/// Throws a usage Error where the result or its journal would replace those of another run.
template <class Work>
void JournaledRun<Work>::require_nothing_lost(const std::filesystem::path& journal) const {
  if (output_.overwrites) return;
  Journal<Work>::refuse_unfinished(journal);
  require_free(output_.file->path());
  // That of "run" and that of "run.json" have the same name. One whose result was moved away is needed no
  // more.
  std::filesystem::path other = result_path(journal);
  if (has_content(other) || has_content(other.replace_extension())) require_free(journal);
}

template <class Work>
ExitCode JournaledRun<Work>::resume(const std::string& file) {
  Journal<Work> journal = Journal<Work>::resume(journal_path(file));
  if (!journal.state().warning.empty()) log_info(journal.state().warning);
  const auto found = differences(journal.state(), header(), work());
  if (!found.empty()) {
    throw Error(ErrorKind::kUsage, "--resume {}: this run is another one ({}); start it without --resume",
                file, join(found, "; "));
  }
  return run_all(journal);
}

template <class Work>
ExitCode JournaledRun<Work>::run_all(Journal<Work>& journal) {
  const auto awake = keep_awake();
  const std::vector<Work> all = all_work(journal.state());
  const auto positions = unfinished(journal.state(), execution_order(all, order_seed()));
  const bool is_whole = sweep(all, positions, journal);
  if (is_whole) journal.run_ended();
  return finish(journal, !is_whole);
}

template <class Work>
std::vector<Work> JournaledRun<Work>::all_work(const JournalState<Work>& state) const {
  std::vector<Work> all = work();
  for (std::size_t i = all.size(); i < state.rows.size(); ++i) all.push_back(added_work(state.rows[i].work));
  return all;
}

/// The journal stays as it is: a run that is continued needs the real names.
template <class Work>
DocumentOf<Work> JournaledRun<Work>::document(const Journal<Work>& journal) const {
  Document document = make_document(journal.state());
  if (output_.is_shared) redact(document);
  return document;
}

/// For later runs to begin with.
template <class Work>
void JournaledRun<Work>::keep_roofs(const Journal<Work>& journal) const {
  const Environment environment = make_document(journal.state()).environment;
  for (const DeviceRecord& device : environment.devices) peak_store().raise_peak(device, environment);
}

template <class Work>
ExitCode JournaledRun<Work>::finish(const Journal<Work>& journal, bool is_interrupted) {
  keep_roofs(journal);
  const Document result = make_document(journal.state());
  const std::string text = make_document_text(document(journal));
  if (output_.file) {
    output_.file->finish(text, shown(result));
    flush_output();  // Both may end up in one log.
  } else {
    print(text);
  }
  require_whole(journal);
  if (output_.file && !output_.is_quiet) log_info("result in " + output_.file->path().string());
  on_finished(result);
  if (is_interrupted) return ExitCode::kInterrupted;
  const auto& rows = result.*WorkKind<Work>::kRows;
  const bool is_good = std::all_of(rows.begin(), rows.end(), [this](const Row& row) { return is_fine(row); });
  return is_good ? ExitCode::kOk : ExitCode::kCaseFailed;
}

template <class Work>
void JournaledRun<Work>::require_whole(const Journal<Work>& journal) const {
  if (journal.failure().empty()) return;
  throw Error(ErrorKind::kUsage, "journal {}: the last {}s are not in it ({}); free some space",
              journal_path(output_.file->path()).string(), WorkKind<Work>::kRow, journal.failure());
}

}  // namespace gpubench
