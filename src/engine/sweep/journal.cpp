#include "engine/sweep/journal.h"

#include <fmt/format.h>

#include "engine/sweep/journal_events.h"
#include "engine/sweep/journal_file.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExtension = ".journal.jsonl";

CaseRecord without_result(const JournalCase& entry) {
  CaseRecord row = entry.row;
  row.status = CaseStatus::kInterrupted;
  row.status_reason =
      entry.is_begun ? "the run ended while this case was running" : "the run ended before this case began";
  return row;
}

/// Reads the file and sets `kept` to the size of its whole lines.
JournalState read(const fs::path& path, std::string& warning, std::size_t& kept) {
  const JournalText text = read_lines(path);
  JournalState state;
  kept = 0;
  for (const std::string& line : text.lines) {
    try {
      apply_event(state, Json::parse(line));
    } catch (const std::exception& error) {
      throw Error(ErrorKind::kData, fmt::format("journal {}: line {} cannot be used ({})", path.string(),
                                                &line - text.lines.data() + 1, error.what()));
    }
    kept += line.size() + 1;
  }
  if (text.lines.empty()) {
    throw Error(ErrorKind::kData,
                fmt::format("journal {}: holds no whole line, so there is nothing to continue; "
                            "start the run again without --resume",
                            path.string()));
  }
  if (!text.torn.empty()) {
    warning = fmt::format("journal {}: its last line is torn ({} bytes) and was dropped", path.string(),
                          text.torn.size());
  }
  return state;
}

/// The run in a file that is about to be overwritten; nothing where it was killed before it had noted any.
std::optional<JournalState> former_run(const fs::path& path) {
  if (read_lines(path).lines.empty()) return std::nullopt;
  try {
    std::string ignored;
    return read_journal(path, ignored);
  } catch (const Error& error) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--output {}: what would be overwritten cannot be read ({}); remove it, or "
                            "give another --output",
                            result_path(path).string(), error.what()));
  }
}

/// A run that was broken off is not to be lost by starting it once more.
void refuse_unfinished(const fs::path& path) {
  const auto state = former_run(path);
  if (!state || state->ended_at.has_value()) return;
  std::size_t ended = 0;
  for (const JournalCase& entry : state->cases) ended += entry.result ? 1 : 0;
  throw Error(
      ErrorKind::kUsage,
      fmt::format("--output {}: holds a run that was broken off with {} of {} cases done; continue it with "
                  "--resume {}, or remove {}",
                  result_path(path).string(), ended, state->cases.size(), result_path(path).string(),
                  path.string()));
}

}  // namespace

RunRecord document_of(const JournalState& state) {
  RunRecord run;
  run.tool = state.header.tool;
  run.tool.finished_at = state.ended_at;
  run.plan = state.header.plan;
  run.environment = state.header.environment;
  for (const JournalCase& entry : state.cases) {
    run.cases.push_back(entry.result ? *entry.result : without_result(entry));
  }
  return run;
}

Journal::Journal() = default;
Journal::~Journal() = default;
Journal::Journal(Journal&&) noexcept = default;

Journal Journal::create(const fs::path& path, const JournalHeader& header, const std::vector<Case>& cases,
                        const std::vector<CaseRecord>& rows) {
  Journal journal;
  if (!path.empty()) {
    journal.file_ = std::make_unique<JournalFile>(path);
    refuse_unfinished(path);
    journal.file_->cut(0);
  }
  journal.add(planned_event(header, cases, rows), true);
  if (!journal.failure().empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("journal {}: cannot be written ({}); free some space, or give another "
                            "--output",
                            path.string(), journal.failure()));
  }
  return journal;
}

Journal Journal::resume(const fs::path& path, std::string& warning) {
  // Before it is opened for writing: what is no journal stays as it is.
  read_journal(path, warning);
  Journal journal;
  journal.file_ = std::make_unique<JournalFile>(path);
  // Another gpubench may have added lines until it was locked.
  std::size_t kept = 0;
  journal.state_ = read(path, warning, kept);
  journal.file_->cut(kept);
  return journal;
}

std::size_t Journal::add_case(const Case& c, const CaseRecord& row) {
  add(added_event(c, row), true);
  return state_.cases.size() - 1;
}

void Journal::case_started(std::size_t position) { add(started_event(position), true); }

void Journal::epoch_finished(std::size_t position, const EpochRecord& epoch) {
  add(epoch_event(position, epoch), false);
}

void Journal::case_finished(std::size_t position, const CaseRecord& record) {
  add(finished_event(position, record), true);
}

void Journal::run_ended() { add(ended_event(), true); }

std::string Journal::failure() const { return file_ ? file_->failure() : ""; }

void Journal::add(const Json& event, bool is_synced) {
  // Through the text, so that what is in memory is what the file says.
  const std::string line = json_text(event);
  apply_event(state_, Json::parse(line));
  if (file_) file_->append(line, is_synced);
}

JournalState read_journal(const fs::path& path, std::string& warning) {
  std::size_t kept = 0;
  return read(path, warning, kept);
}

fs::path journal_path(const fs::path& result) {
  if (result.string().ends_with(kExtension)) return result;
  fs::path path = result;
  if (path.extension() == ".json") path.replace_extension();
  path += kExtension;
  return path;
}

fs::path result_path(const fs::path& journal) {
  std::string text = journal.string();
  if (!text.ends_with(kExtension)) return journal;
  text.resize(text.size() - std::string(kExtension).size());
  return text + ".json";
}

}  // namespace gpubench
