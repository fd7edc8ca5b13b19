#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "app/ab/variants.h"
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

/// Returns the whole output if it is a JSON object, else its last line that is one.
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
  throw Error(ErrorKind::kData, "the command printed no JSON object{}",
              shown.empty() ? "" : "; output began: " + shown);
}

/// Returns the numbers above 0 at a pointer, one or a list; none if the object lacks it.
std::vector<double> numbers_at(const Json& object, const std::string& pointer) {
  std::vector<double> numbers;
  try {
    const Json::json_pointer place(pointer);
    if (!object.contains(place)) return numbers;
    const Json& found = object.at(place);
    for (const Json& value : found.is_array() ? found : Json::array({found})) {
      numbers.push_back(value.is_number() ? value.get<double>() : 0);
      if (!std::isfinite(numbers.back()) || numbers.back() <= 0)
        throw Error(ErrorKind::kData, "{} in its output is not a number above 0", pointer);
    }
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kUsage, "{}: is not a JSON pointer ({})", pointer, error.what());
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

/// Returns the row of a failed process, whose output is ignored; nullopt if it did not fail.
std::optional<CaseRecord> find_failure(const Variant& variant, const ProcessEnd& process) {
  const ChildEnd& end = process.end;
  const bool is_row_failed =
      end.exit_code == static_cast<int>(ExitCode::kCaseFailed) && !variant.is_external();
  if (process.is_timeout)
    return make_failed(RowStatus::kTimeout, "took longer than " + duration_text(end.duration));
  if (end.signal != 0)
    return make_failed(RowStatus::kCrashed,
                       fmt::format("was ended by signal {} ({})", end.signal, strsignal(end.signal)));
  if (end.exit_code != 0 && !is_row_failed)
    return make_failed(RowStatus::kError, fmt::format("ended with exit code {}", end.exit_code));
  return std::nullopt;
}

std::vector<CaseRecord> read_rows(VariantLog& log, const ProcessEnd& process) {
  const Variant& variant = log.variant;
  if (const auto failure = find_failure(variant, process)) return {*failure};
  const bool has_pointer = !variant.figure.empty() || !variant.seconds.empty();
  const bool is_document = !has_pointer && (!variant.is_external() ||
                                            process.printed.find("\"schema_version\"") != std::string::npos);
  try {
    if (!is_document) return {read_external_row(process.printed, variant, process.end.duration)};
    RunRecord document = run_from_json(parse_document(process.printed));
    if (document.cases.empty()) throw Error(ErrorKind::kData, "its document has no rows");
    log.document.environment = std::move(document.environment);
    log.document.tool.version = document.tool.version;
    log.document.tool.git_commit = document.tool.git_commit;
    return std::move(document.cases);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kUsage) throw;
    return {make_failed(RowStatus::kError, fmt::format("printed no figure: {}", error.what()))};
  }
}

/// Returns a row with only the parameters of `row`.
CaseRecord keep_parameters(const CaseRecord& row) {
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

/// Returns `row`, which has parameters only, with the outcome of another program or of a failed run.
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

/// Returns the parameters of gpubench's rows in the first round that has any.
std::vector<CaseRecord> own_rows(const VariantLog& log) {
  std::vector<CaseRecord> rows;
  for (const CaseRecord& row : log.document.cases) {
    const bool is_of_first = rows.empty() || row.repeat == rows.front().repeat;
    if (!row.model.empty() && is_of_first) rows.push_back(keep_parameters(row));
  }
  return rows;
}

/// Returns true if a run of gpubench described the machine.
bool is_described(const VariantLog& log) { return !log.document.environment.devices.empty(); }

/// Copies the machine from another variant into a document that lacks it. Libraries stay unknown.
void describe(const VariantLog& log, const std::vector<VariantLog>& all, const CaseRecord& row,
              RunRecord& document) {
  const auto described = std::ranges::find_if(all, is_described);
  if (described != all.end()) {
    document.environment = described->document.environment;
  } else {  // Only other programs run.
    document.environment = read_host();
    document.environment.logical_cores = std::thread::hardware_concurrency();
    document.environment.threads = std::max<std::int64_t>(1, document.environment.logical_cores);
    document.environment.devices.emplace_back().name = row.device;
  }
  if (!log.variant.is_external()) return;
  document.environment.libtorch_version = document.environment.libtorch_build = "";
  document.tool.version = kAnotherProgram;
  document.tool.git_commit = missing("another program measured");
}

std::int64_t number_in(const NamedOptions& options, const std::string& name, std::int64_t otherwise) {
  const std::string text = value_in(options, name, "");
  std::from_chars(text.data(), text.data() + text.size(), otherwise);
  return std::max<std::int64_t>(1, otherwise);
}

/// Returns the row that the options describe, for comparisons without gpubench.
CaseRecord named_row(const NamedOptions& options) {
  CaseRecord row;
  row.model = value_in(options, "--model", "command");
  row.dataset = value_in(options, "--dataset", "auto");
  row.dataset.resize(std::min(row.dataset.find(':'), row.dataset.size()));  // Without the folder.
  row.device = value_in(options, "--device", "cpu");
  row.batch_size = number_in(options, "--batch", 128);
  row.item = "sample";
  row.epochs = row.min_epochs = 1;
  row.train_samples = number_in(options, "--max-samples", row.batch_size);
  row.steps_per_epoch = (row.train_samples + row.batch_size - 1) / row.batch_size;
  return row;
}

/// Returns the parameters for rows of another program; see make_documents().
std::vector<CaseRecord> requested_rows(const VariantLog& log, const std::vector<VariantLog>& all,
                                       bool is_final) {
  std::vector<CaseRecord> rows = own_rows(log);
  for (const VariantLog& other : all) {
    if (rows.empty()) rows = own_rows(other);
  }
  const bool are_all_external =
      std::ranges::all_of(all, [](const VariantLog& one) { return one.variant.is_external(); });
  if (rows.empty() && (are_all_external || is_final)) rows.push_back(named_row(log.variant.training));
  return rows;
}

}  // namespace

CaseRecord read_external_row(std::string_view printed, const Variant& variant, Seconds wall) {
  CaseRecord row;
  row.status = RowStatus::kOk;
  row.epoch_seconds = {wall.value};
  if (variant.seconds == "wall") return row;
  // JSON pointers, with true if they point to a rate.
  std::vector<std::pair<std::string, bool>> places{
      {"/samples_per_second", true}, {"/images_per_s", true}, {"/epoch_seconds", false}};
  if (!variant.figure.empty()) places = {{variant.figure, true}};
  if (!variant.seconds.empty()) places = {{variant.seconds, false}};
  const Json object = last_object(printed);
  for (const auto& [pointer, is_rate] : places) {
    row.epoch_seconds = numbers_at(object, pointer);
    if (row.epoch_seconds.empty()) continue;
    if (!is_rate) return row;
    row.epoch_seconds = {1 / row.epoch_seconds.front()};
    row.train_samples = 1;
    return row;
  }
  throw Error(ErrorKind::kData, "its output has no {}",
              join(mapped(places, [](const auto& place) { return place.first; }), " or "));
}

bool VariantLog::has_run_in(std::int64_t round) const {
  return std::ranges::find(document.cases, round, &CaseRecord::repeat) != document.cases.end();
}

void add_run(VariantLog& log, std::int64_t round, const std::string& started_at, const ProcessEnd& process) {
  const std::vector<std::string>& lines = process.end.stderr_tail;
  require(process.end.exit_code != static_cast<int>(ExitCode::kUsage) || log.variant.is_external(),
          "variant {}: {}", log.variant.name,
          lines.empty() ? "its program refuses the command line" : lines.back());
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

std::vector<RunRecord> make_documents(const std::vector<VariantLog>& all, bool is_final) {
  return mapped(all, [&](const VariantLog& log) {
    const std::vector<CaseRecord> asked = requested_rows(log, all, is_final);
    RunRecord document = log.document;
    if (!is_described(log) && !asked.empty()) describe(log, all, asked.front(), document);
    document.cases.clear();
    for (const CaseRecord& run : log.document.cases) {
      if (!run.model.empty()) {
        document.cases.push_back(run);
        continue;
      }
      require(!is_ok(run) || asked.size() < 2,
              "variant {}: has one figure, but gpubench trains {} cases; name one model, one batch size and "
              "so on",
              log.variant.name, asked.size());
      for (const CaseRecord& row : asked) document.cases.push_back(make_row(run, row));
    }
    return document;
  });
}

bool is_decided(const Comparison& comparison, const std::vector<GateLimit>& limits) {
  bool is_open = false;
  bool has_ratio = false;
  bool has_hope = false;
  std::string why;
  for (const CandidatePair& versus : comparison.versus_baseline) {
    for (const Pair& pair : versus.pairs) {
      const Measured<Estimate> ratio = speed_ratio(pair);
      if (!ratio.has_value()) {
        why = ratio.reason();
        // A failed row may have a time in the next round.
        has_hope = has_hope || (pair.is_common() && !(pair.base->is_ok && pair.other->is_ok));
        continue;
      }
      has_ratio = true;
      const Outcome outcome = decide_outcome(ratio.value(), pair.owner->margin());
      is_open = is_open || outcome == Outcome::kInconclusive || outcome == Outcome::kUnknown;
    }
  }
  require(has_ratio || has_hope,
          "ab: the variants do not compare ({}); to compare different workloads, add --unlike", why);
  if (!limits.empty() && has_ratio) is_open = gate(comparison, limits).answer == GateVerdict::kInconclusive;
  return has_ratio && !is_open;
}

std::vector<std::vector<std::size_t>> make_orders(std::size_t variants, std::int64_t rounds,
                                                  std::int64_t seed) {
  std::vector<std::int64_t> repeats;
  for (std::int64_t round = 1; round <= rounds; ++round) repeats.insert(repeats.end(), variants, round);
  // execution_order() shuffles only if there are several repeats, so a single round needs one more.
  repeats.push_back(rounds + 1);
  const std::vector<std::size_t> order = execution_order(repeats, seed);
  std::vector<std::vector<std::size_t>> orders(static_cast<std::size_t>(rounds));
  for (std::size_t i = 0; i + 1 < order.size(); ++i) orders[i / variants].push_back(order[i] % variants);
  return orders;
}

}  // namespace gpubench
