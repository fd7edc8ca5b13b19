#include "engine/sweep/journal.h"

#include <limits>
#include <map>

#include <fmt/format.h>

#include "engine/execution/case_json.h"
#include "engine/sweep/journal_file.h"
#include "gpubench/core/clock.h"

namespace gpubench {
namespace {

constexpr int kVersion = 1;

Json entry_json(const Case& c, const CaseRecord& row) {
  return {{"case", to_json(c)}, {"row", to_json(row)}};
}

/// What an epoch adds to a row, with the keys that a row has.
Json epoch_json(const EpochRecord& epoch) {
  Json training = Json::object();
  for (const auto& [name, value] : epoch.training) training[name] = Json::array({value});
  return {{"epoch_seconds", Json::array({epoch.duration.value})}, {"training", training}};
}

/// A figure that is no number is null in a file.
double number_in(const Json& list) {
  const Json& number = list.at(0);
  return number.is_null() ? std::numeric_limits<double>::quiet_NaN() : number.get<double>();
}

void append_case(JournalState& state, const Json& entry) {
  state.cases.push_back({entry.at("case"), case_from_json(entry.at("row")), false, std::nullopt});
}

void apply_planned(JournalState& state, const Json& event) {
  if (event.at("journal_version") != kVersion) {
    throw Error(ErrorKind::kData, "it was written by another version of gpubench; continue it with that one");
  }
  state.header = {tool_from_json(event.at("tool")), plan_from_json(event.at("plan")),
                  environment_from_json(event.at("environment"))};
  for (const Json& entry : event.at("cases")) append_case(state, entry);
  state.planned = state.cases.size();
}

JournalCase& case_of(JournalState& state, const Json& event) {
  return state.cases.at(event.at("position").get<std::size_t>());
}

void apply_added(JournalState& state, const Json& event) { append_case(state, event); }

void apply_started(JournalState& state, const Json& event) {
  JournalCase& entry = case_of(state, event);
  entry.is_begun = true;
  entry.result.reset();
  entry.row.epoch_seconds.clear();
  entry.row.training.clear();
  entry.row.started_at = event.at("at").get<std::string>();
  state.ended_at = absent("the run has not finished");
}

void apply_epoch(JournalState& state, const Json& event) {
  const Json& written = event.at("record");
  EpochRecord epoch;
  epoch.duration = Seconds{number_in(written.at("epoch_seconds"))};
  for (const auto& [name, values] : written.at("training").items()) {
    epoch.training.emplace_back(name, number_in(values));
  }
  add_epoch(case_of(state, event).row, epoch);
}

void apply_finished(JournalState& state, const Json& event) {
  case_of(state, event).result = case_from_json(event.at("record"));
}

void apply_ended(JournalState& state, const Json& event) {
  state.ended_at = event.at("at").get<std::string>();
}

/// The only way in which a state changes, in a run and in reading alike. Throws some exception for an event
/// that makes no sense.
void apply_event(JournalState& state, const Json& event) {
  static const std::map<std::string, void (*)(JournalState&, const Json&)> kEvents = {
      {"planned", apply_planned}, {"added", apply_added},       {"started", apply_started},
      {"epoch", apply_epoch},     {"finished", apply_finished}, {"ended", apply_ended}};
  kEvents.at(event.at("event").get<std::string>())(state, event);
}

Json planned_event(const JournalHeader& header, const std::vector<Case>& cases,
                   const std::vector<CaseRecord>& rows) {
  Json list = Json::array();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    list.push_back(entry_json(cases[i], rows[i]));
  }
  return {{"event", "planned"},
          {"journal_version", kVersion},
          {"tool", to_json(header.tool)},
          {"plan", to_json(header.plan)},
          {"environment", to_json(header.environment)},
          {"cases", list}};
}

Json added_event(const Case& c, const CaseRecord& row) {
  Json event = entry_json(c, row);
  event["event"] = "added";
  return event;
}

Json started_event(std::size_t position) {
  return {{"event", "started"}, {"position", position}, {"at", utc_timestamp_milliseconds()}};
}

Json epoch_event(std::size_t position, const EpochRecord& epoch) {
  return {{"event", "epoch"}, {"position", position}, {"record", epoch_json(epoch)}};
}

Json finished_event(std::size_t position, const CaseRecord& record) {
  return {{"event", "finished"}, {"position", position}, {"record", to_json(record)}};
}

Json ended_event() { return {{"event", "ended"}, {"at", utc_timestamp()}}; }

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
