#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "app/ab/sides.h"
#include "compare/comparability.h"
#include "device/host/host.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/core/text/utf8.h"
#include "gpubench/record/field_table.h"
#include "record/document/json.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

/// Returns all that was printed if it is one JSON object, else the last line that is one.
Json last_object(std::string_view printed) {
  Json last;
  if (Json::accept(printed)) last = parse_document(printed);
  if (last.is_object()) return last;
  std::istringstream lines{std::string(printed)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t start = line.find_first_not_of(" \t");
    if (start != std::string::npos && line[start] == '{' && Json::accept(line)) last = parse_document(line);
  }
  if (last.is_object()) return last;
  constexpr std::size_t kShown = 60;
  const std::string shown = plain_text(printed.substr(0, std::min(kShown, printed.find('\n'))));
  throw Error(ErrorKind::kData, "the command printed no JSON{}",
              shown.empty() ? "" : "; output began: " + shown);
}

double checked(const Json& value, const std::string& place) {
  const double number = value.is_number() ? value.get<double>() : 0;
  if (std::isfinite(number) && number > 0) return number;
  throw Error(ErrorKind::kData, "{} in its output is no number above 0", place);
}

double number_at(const Json& object, const std::string& pointer) {
  try {
    const Json::json_pointer place(pointer);
    if (object.contains(place)) return checked(object.at(place), pointer);
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kUsage, "{}: is no JSON pointer ({})", pointer, error.what());
  }
  throw Error(ErrorKind::kData, "its output has no {}", pointer);
}

bool is_ok(const CaseRecord& row) { return row.status == RowStatus::kOk; }

void fail(SideRun& run, RowStatus status, const std::string& why) {
  run.status = status;
  run.failure = "the run " + why;
}

/// Sets the failure of a process whose output need not be read.
void note_end(const SideLog& log, const ProcessEnd& process, SideRun& run) {
  const ChildEnd& end = process.end;
  const bool is_row_failed = end.exit_code == static_cast<int>(ExitCode::kCaseFailed) && !log.side.is_peer();
  if (process.is_timeout) {
    fail(run, RowStatus::kTimeout, fmt::format("took longer than {}", duration_text(end.duration)));
  } else if (end.signal != 0) {
    fail(run, RowStatus::kCrashed,
         fmt::format("was ended by signal {} ({})", end.signal, strsignal(end.signal)));
  } else if (end.exit_code != 0 && !is_row_failed) {
    fail(run, RowStatus::kError, fmt::format("ended with exit code {}", end.exit_code));
  }
}

void take_document(SideLog& log, RunRecord document, SideRun& run) {
  if (document.cases.empty()) throw Error(ErrorKind::kData, "its document has no rows");
  run.rows = std::move(document.cases);
  for (CaseRecord& row : run.rows) row.repeat = run.round;
  if (std::exchange(log.is_described, true)) return;
  log.document.environment = std::move(document.environment);
  log.document.tool.version = document.tool.version;
  log.document.tool.git_commit = document.tool.git_commit;
}

void read_output(SideLog& log, const ProcessEnd& process, SideRun& run) {
  const Side& side = log.side;
  const bool has_pointer = !side.figure.empty() || !side.seconds.empty();
  const bool is_document =
      !has_pointer && (!side.is_peer() || process.printed.find("\"schema_version\"") != std::string::npos);
  try {
    if (is_document)
      take_document(log, run_from_json(parse_document(process.printed)), run);
    else
      run.figure = peer_figure(process.printed, side, process.end.duration);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kUsage) throw;
    fail(run, RowStatus::kError, fmt::format("gave no figure: {}", error.what()));
  }
}

CaseRecord make_asked(const CaseRecord& row) {
  CaseRecord asked;
  for (const Field<CaseRecord>& field : case_fields()) {
    if (field.section == FieldSection::kAsked) field.set(asked, field.get(row));
  }
  asked.is_synthetic = row.is_synthetic;
  asked.item = row.item;
  asked.tokens_per_sample = row.tokens_per_sample;
  asked.train_samples = row.train_samples;
  asked.steps_per_epoch = row.steps_per_epoch;
  asked.is_last_batch_dropped = row.is_last_batch_dropped;
  return asked;
}

/// Returns the row with `reason` for all that is missing without a reason of its own.
CaseRecord explained(const CaseRecord& row, const std::string& reason) {
  const std::string usual = Measured<double>().reason();
  Json object = to_json(row);
  for (auto& [key, why] : object[kMissingKey].items()) {
    if (why == usual) why = reason;
  }
  return object.get<CaseRecord>();
}

CaseRecord failed_row(const SideRun& run, CaseRecord row) {
  row.status = run.status;
  row.status_reason = run.failure;
  row.stderr_tail = run.stderr_tail;
  return explained(row, run.failure);
}

CaseRecord peer_row(const SideRun& run, CaseRecord row) {
  row.status = RowStatus::kOk;
  row.epoch_seconds = run.figure.epoch_seconds;
  if (row.epoch_seconds.empty())
    row.epoch_seconds = {static_cast<double>(row.train_samples) / run.figure.samples_per_second};
  row.epochs = row.min_epochs = std::ssize(row.epoch_seconds);
  row.warmup_epochs = 0;
  row.min_timed = Seconds{};
  row.target_rel_ci95 = missing("another program chose the number of epochs");
  return explained(row, "another program measured, and did not tell");
}

std::vector<CaseRecord> make_rows(const SideRun& run, const std::vector<CaseRecord>& asked) {
  if (!run.rows.empty()) return run.rows;
  return mapped(asked, [&](CaseRecord row) {
    row.repeat = run.round;
    row.started_at = run.started_at;
    row.process = run.duration;
    return run.failure.empty() ? peer_row(run, row) : failed_row(run, row);
  });
}

/// Returns what gpubench was asked for on the side; empty if it has no row.
std::vector<CaseRecord> own_rows(const SideLog& log) {
  const auto has_rows = [](const SideRun& run) { return !run.rows.empty(); };
  const auto run = std::ranges::find_if(log.runs, has_rows);
  return run == log.runs.end() ? std::vector<CaseRecord>() : mapped(run->rows, make_asked);
}

/// Describes the machine of a side without a document by that of another side. Its libraries are unknown.
void describe(const SideLog& log, const std::vector<SideLog>& all, const CaseRecord& row,
              RunRecord& document) {
  const auto told = std::ranges::find(all, true, &SideLog::is_described);
  if (told != all.end()) {
    document.environment = told->document.environment;
  } else {  // Only other programs run.
    Environment& environment = document.environment = read_host();
    environment.logical_cores = std::thread::hardware_concurrency();
    environment.available_cores = core_limits().available;
    environment.threads = std::max<std::int64_t>(1, static_cast<std::int64_t>(environment.available_cores));
    environment.devices.emplace_back().name = row.device;
  }
  if (!log.side.is_peer()) return;
  document.environment.libtorch_version = document.environment.libtorch_build = "";
  document.tool.version = kAnotherProgram;
  document.tool.git_commit = missing("another program measured");
}

std::int64_t number_in(const NamedOptions& options, const std::string& name, std::int64_t otherwise) {
  const std::string text = value_in(options, name, "");
  std::from_chars(text.data(), text.data() + text.size(), otherwise);
  return std::max<std::int64_t>(1, otherwise);
}

}  // namespace

PeerFigure peer_figure(std::string_view printed, const Side& side, Seconds wall) {
  if (side.seconds == "wall") return {0, {wall.value}};
  const Json object = last_object(printed);
  if (!side.seconds.empty()) return {0, {number_at(object, side.seconds)}};
  if (!side.figure.empty()) return {number_at(object, side.figure)};
  for (const std::string key : {"samples_per_second", "images_per_s"}) {
    if (object.contains(key)) return {checked(object.at(key), key)};
  }
  const std::string key = "epoch_seconds";
  PeerFigure figure;
  for (const Json& epoch : object.value(key, Json::array()))
    figure.epoch_seconds.push_back(checked(epoch, key));
  if (!figure.epoch_seconds.empty()) return figure;
  throw Error(ErrorKind::kData, "its output has neither samples_per_second, images_per_s nor {}", key);
}

bool SideRun::is_fine() const {
  return failure.empty() && (rows.empty() || std::ranges::any_of(rows, is_ok));
}

bool SideLog::has_run_in(std::int64_t round) const {
  return std::ranges::find(runs, round, &SideRun::round) != runs.end();
}

void add_run(SideLog& log, std::int64_t round, const std::string& started_at, const ProcessEnd& process) {
  const std::vector<std::string>& lines = process.end.stderr_tail;
  require(process.end.exit_code != static_cast<int>(ExitCode::kUsage) || log.side.is_peer(), "side {}: {}",
          log.side.name, lines.empty() ? "its program refuses its command line" : lines.back());
  SideRun run{round, started_at, process.end.duration};
  note_end(log, process, run);
  if (run.failure.empty()) read_output(log, process, run);
  if (!run.is_fine()) run.stderr_tail = lines;
  log.runs.push_back(std::move(run));
}

SideLog make_log(const Side& side, RunRecord document) {
  SideLog log{side};
  log.is_described = document.tool.version != kAnotherProgram && std::ranges::any_of(document.cases, is_ok);
  for (CaseRecord& row : std::exchange(document.cases, {})) {
    if (log.runs.empty() || log.runs.back().round != row.repeat) log.runs.push_back({row.repeat, {}});
    log.runs.back().rows.push_back(std::move(row));
  }
  log.document = std::move(document);
  log.document.tool.finished_at = missing("the run goes on");
  return log;
}

CaseRecord named_row(const NamedOptions& options) {
  CaseRecord row;
  row.model = value_in(options, "--model", "command");
  row.dataset = value_in(options, "--dataset", "auto");
  row.device = value_in(options, "--device", "cpu");
  row.batch_size = number_in(options, "--batch", 128);
  row.item = "sample";
  row.epochs = row.min_epochs = 1;
  row.train_samples = number_in(options, "--max-samples", row.batch_size);
  row.steps_per_epoch = (row.train_samples + row.batch_size - 1) / row.batch_size;
  return row;
}

std::vector<CaseRecord> asked_rows(const SideLog& log, const std::vector<SideLog>& all) {
  std::vector<CaseRecord> rows = own_rows(log);
  for (const SideLog& other : all) {
    if (rows.empty()) rows = own_rows(other);
  }
  const bool is_gpubench_asked =
      std::ranges::any_of(all, [](const SideLog& one) { return !one.side.is_peer(); });
  if (rows.empty() && !is_gpubench_asked) rows.push_back(named_row(log.side.training));
  return rows;
}

RunRecord make_document(const SideLog& log, const std::vector<SideLog>& all,
                        const std::vector<CaseRecord>& asked) {
  const bool has_figure = std::ranges::any_of(
      log.runs, [](const SideRun& run) { return run.rows.empty() && run.failure.empty(); });
  require(!has_figure || asked.size() == 1,
          "side {}: its figure is one, but gpubench trains {} cases; name one model, batch size and so on",
          log.side.name, asked.size());
  RunRecord document = log.document;
  if (!log.is_described) describe(log, all, asked.front(), document);
  for (const SideRun& run : log.runs) append(document.cases, make_rows(run, asked));
  return document;
}

}  // namespace gpubench
