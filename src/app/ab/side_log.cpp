#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "app/ab/sides.h"
#include "compare/conclusions.h"
#include "device/host/host.h"
#include "engine/plan/plan.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/core/text/utf8.h"
#include "gpubench/record/field_table.h"
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

/// Returns the numbers above 0 at a place, one or a list of them; none if the object has no such place.
std::vector<double> numbers_at(const Json& object, const std::string& pointer) {
  std::vector<double> numbers;
  try {
    const Json::json_pointer place(pointer);
    if (!object.contains(place)) return numbers;
    const Json& found = object.at(place);
    for (const Json& value : found.is_array() ? found : Json::array({found})) {
      numbers.push_back(value.is_number() ? value.get<double>() : 0);
      if (!std::isfinite(numbers.back()) || numbers.back() <= 0)
        throw Error(ErrorKind::kData, "{} in its output is no number above 0", pointer);
    }
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kUsage, "{}: is no JSON pointer ({})", pointer, error.what());
  }
  return numbers;
}

bool is_ok(const CaseRecord& row) { return row.status == RowStatus::kOk; }

CaseRecord make_failed(RowStatus status, const std::string& why) {
  CaseRecord row;
  row.status = status;
  row.status_reason = "the run " + why;
  return row;
}

/// Returns the row of a process whose output need not be read, since it failed.
std::optional<CaseRecord> find_failure(const Side& side, const ProcessEnd& process) {
  const ChildEnd& end = process.end;
  const bool is_row_failed = end.exit_code == static_cast<int>(ExitCode::kCaseFailed) && !side.is_peer();
  if (process.is_timeout)
    return make_failed(RowStatus::kTimeout, "took longer than " + duration_text(end.duration));
  if (end.signal != 0)
    return make_failed(RowStatus::kCrashed,
                       fmt::format("was ended by signal {} ({})", end.signal, strsignal(end.signal)));
  if (end.exit_code != 0 && !is_row_failed)
    return make_failed(RowStatus::kError, fmt::format("ended with exit code {}", end.exit_code));
  return std::nullopt;
}

std::vector<CaseRecord> take_document(SideLog& log, RunRecord document) {
  if (document.cases.empty()) throw Error(ErrorKind::kData, "its document has no rows");
  log.document.environment = std::move(document.environment);
  log.document.tool.version = document.tool.version;
  log.document.tool.git_commit = document.tool.git_commit;
  return std::move(document.cases);
}

std::vector<CaseRecord> read_rows(SideLog& log, const ProcessEnd& process) {
  const Side& side = log.side;
  if (const auto failure = find_failure(side, process)) return {*failure};
  const bool has_pointer = !side.figure.empty() || !side.seconds.empty();
  const bool is_document =
      !has_pointer && (!side.is_peer() || process.printed.find("\"schema_version\"") != std::string::npos);
  try {
    if (is_document) return take_document(log, run_from_json(parse_document(process.printed)));
    return {peer_row(process.printed, side, process.end.duration)};
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kUsage) throw;
    return {make_failed(RowStatus::kError, fmt::format("gave no figure: {}", error.what()))};
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

/// Returns the row that was asked for, with the outcome of a run of another program or of a failure.
CaseRecord make_row(const CaseRecord& run, CaseRecord row) {
  row.repeat = run.repeat;
  row.started_at = run.started_at;
  row.process = run.process;
  row.status = run.status;
  row.status_reason = run.status_reason;
  row.stderr_tail = run.stderr_tail;
  if (!is_ok(run)) return row;
  row.epoch_seconds = run.epoch_seconds;
  // A rate is an epoch of one sample.
  const std::int64_t scale = run.train_samples == 1 ? row.train_samples : 1;
  for (double& seconds : row.epoch_seconds) seconds *= static_cast<double>(scale);
  row.epochs = row.min_epochs = std::ssize(row.epoch_seconds);
  row.warmup_epochs = 0;
  row.min_timed = Seconds{};
  row.target_rel_ci95 = missing("another program chose the number of epochs");
  return row;
}

/// Returns what gpubench was asked for on the side, in its first round with rows; empty without such rows.
std::vector<CaseRecord> own_rows(const SideLog& log) {
  std::vector<CaseRecord> rows;
  for (const CaseRecord& row : log.document.cases) {
    const bool is_of_first = rows.empty() || row.repeat == rows.front().repeat;
    if (!row.model.empty() && is_of_first) rows.push_back(make_asked(row));
  }
  return rows;
}

/// Returns whether a run of gpubench described the machine.
bool is_described(const SideLog& log) { return !log.document.environment.devices.empty(); }

/// Describes the machine of a side without a document by that of another side. Its libraries are unknown.
void describe(const SideLog& log, const std::vector<SideLog>& all, const CaseRecord& row,
              RunRecord& document) {
  const auto told = std::ranges::find_if(all, is_described);
  if (told != all.end()) {
    document.environment = told->document.environment;
  } else {  // Only other programs run.
    document.environment = read_host();
    document.environment.logical_cores = std::thread::hardware_concurrency();
    document.environment.threads = std::max<std::int64_t>(1, document.environment.logical_cores);
    document.environment.devices.emplace_back().name = row.device;
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

/// Returns what the options say, for comparisons without gpubench.
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

/// Returns what the rows of another program are about; see make_documents().
std::vector<CaseRecord> asked_rows(const SideLog& log, const std::vector<SideLog>& all, bool is_final) {
  std::vector<CaseRecord> rows = own_rows(log);
  for (const SideLog& other : all) {
    if (rows.empty()) rows = own_rows(other);
  }
  const bool is_of_peers = std::ranges::all_of(all, [](const SideLog& one) { return one.side.is_peer(); });
  if (rows.empty() && (is_of_peers || is_final)) rows.push_back(named_row(log.side.training));
  return rows;
}

}  // namespace

CaseRecord peer_row(std::string_view printed, const Side& side, Seconds wall) {
  struct Place {
    std::string pointer;
    bool is_rate;
  };
  CaseRecord row;
  row.status = RowStatus::kOk;
  row.epoch_seconds = {wall.value};
  if (side.seconds == "wall") return row;
  std::vector<Place> places{
      {"/samples_per_second", true}, {"/images_per_s", true}, {"/epoch_seconds", false}};
  if (!side.figure.empty()) places = {{side.figure, true}};
  if (!side.seconds.empty()) places = {{side.seconds, false}};
  const Json object = last_object(printed);
  for (const auto& [pointer, is_rate] : places) {
    row.epoch_seconds = numbers_at(object, pointer);
    if (row.epoch_seconds.empty()) continue;
    if (!is_rate) return row;
    row.epoch_seconds = {1 / row.epoch_seconds.front()};
    row.train_samples = 1;
    return row;
  }
  throw Error(ErrorKind::kData, "its output has no {}", join(mapped(places, &Place::pointer), " or "));
}

bool SideLog::has_run_in(std::int64_t round) const {
  return std::ranges::find(document.cases, round, &CaseRecord::repeat) != document.cases.end();
}

void add_run(SideLog& log, std::int64_t round, const std::string& started_at, const ProcessEnd& process) {
  const std::vector<std::string>& lines = process.end.stderr_tail;
  require(process.end.exit_code != static_cast<int>(ExitCode::kUsage) || log.side.is_peer(), "side {}: {}",
          log.side.name, lines.empty() ? "its program refuses its command line" : lines.back());
  for (CaseRecord& row : read_rows(log, process)) {
    row.repeat = round;
    if (row.model.empty()) {
      row.started_at = started_at;
      row.process = process.end.duration;
      if (!is_ok(row)) row.stderr_tail = lines;
    }
    log.document.cases.push_back(std::move(row));
  }
}

std::vector<RunRecord> make_documents(const std::vector<SideLog>& all, bool is_final) {
  return mapped(all, [&](const SideLog& log) {
    const std::vector<CaseRecord> asked = asked_rows(log, all, is_final);
    RunRecord document = log.document;
    if (!is_described(log) && !asked.empty()) describe(log, all, asked.front(), document);
    document.cases.clear();
    for (const CaseRecord& run : log.document.cases) {
      if (!run.model.empty()) {
        document.cases.push_back(run);
        continue;
      }
      require(
          !is_ok(run) || asked.size() < 2,
          "side {}: it has one figure, but gpubench trains {} cases; name one model, batch size and so on",
          log.side.name, asked.size());
      for (const CaseRecord& row : asked) document.cases.push_back(make_row(run, row));
    }
    return document;
  });
}

bool is_decided(const Comparison& comparison, const std::optional<double>& threshold) {
  bool is_open = false;
  bool has_ratio = false;
  bool has_hope = false;
  std::string why;
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    for (const Pair& pair : versus.pairs) {
      const Measured<Estimate> ratio = speed_ratio(pair);
      if (!ratio.has_value()) {
        why = ratio.reason();
        // A row that failed has no time yet, and may have one in the next round.
        has_hope = has_hope ||
                   (pair.is_common() && !(pair.base->seconds.has_value() && pair.other->seconds.has_value()));
        continue;
      }
      has_ratio = true;
      const Outcome outcome = decide_outcome(ratio.value(), compute_margin(pair));
      is_open = is_open || outcome == Outcome::kUndecided || outcome == Outcome::kUnknown;
    }
  }
  require(has_ratio || has_hope,
          "ab: the sides do not compare ({}); --unlike shows figures of different work too", why);
  if (threshold && has_ratio) is_open = gate(comparison, *threshold).answer == GateVerdict::kInconclusive;
  return has_ratio && !is_open;
}

std::vector<std::vector<std::size_t>> make_orders(std::size_t sides, std::int64_t rounds, std::int64_t seed) {
  std::vector<std::int64_t> repeats;
  for (std::int64_t round = 1; round <= rounds; ++round) repeats.insert(repeats.end(), sides, round);
  // execution_order() shuffles only if there are repetitions, so that one round alone needs one more.
  repeats.push_back(rounds + 1);
  const std::vector<std::size_t> order = execution_order(repeats, seed);
  std::vector<std::vector<std::size_t>> orders(static_cast<std::size_t>(rounds));
  for (std::size_t i = 0; i + 1 < order.size(); ++i) orders[i / sides].push_back(order[i] % sides);
  return orders;
}

}  // namespace gpubench
