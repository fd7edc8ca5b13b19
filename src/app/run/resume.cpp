#include "app/run/run.h"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "app/command_line.h"
#include "app/files/result_file.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/record/parameter.h"
#include "gpubench/record/workload.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;
using Sentences = std::vector<std::string>;

std::size_t count_ended(const RunRecord& run) {
  const auto has_ended = [](const RowRecord& row) { return row.status != RowStatus::kInterrupted; };
  return static_cast<std::size_t>(std::ranges::count_if(run.cases, has_ended) +
                                  std::ranges::count_if(run.operations, has_ended));
}

/// Returns the stored run with the file's `run_id`. Without a file, returns the latest interrupted run, only
/// one that writes to `output` unless that is empty.
std::optional<FormerRun> find_stored(OptionalStore& store, const std::optional<RunRecord>& in_file,
                                     const std::string& output) {
  std::optional<FormerRun> found;
  store.attempt([&](Store& opened) {
    if (in_file) {
      if (const auto id = opened.find_run(in_file->tool.run_id.value_or("")))
        found = {opened.load_run(*id), output, true};
      return;
    }
    for (const StoredRun& run : opened.unfinished_runs()) {
      if ((!output.empty() && run.output != output) || opened.is_claimed(run.id)) continue;
      found = {opened.load_run(run.id), run.output, true};
      return;
    }
  });
  return found;
}

/// Returns the words without options that refer to files other than the result.
std::vector<std::string> without_places(const std::vector<std::string>& words) {
  constexpr std::array kPlaces{"--data-dir", "--power-log", "--store", "-o", "--output"};
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t sign = words[i].find('=');
    const bool has_value = sign != std::string::npos;
    const std::string name = words[i].substr(0, sign);
    const std::string value = has_value              ? words[i].substr(sign + 1)
                              : i + 1 < words.size() ? words[i + 1]
                                                     : "";
    const bool is_place = std::ranges::find(kPlaces, name) != kPlaces.end() ||
                          (name == "--meter" && value.find("replay:") != std::string::npos) ||
                          (name == "--dataset" && value.find(':') != std::string::npos);
    if (!is_place)
      kept.push_back(name == "--profile" ? name : words[i]);
    else if (!has_value)
      ++i;
  }
  return kept;
}

/// Omits the host name: an equal machine may resume the run.
Json make_identity(const RunRecord& run) {
  Json identity{{"gpubench", run.tool.version},
                {"commit", run.tool.git_commit.value_or("")},
                {"CPU", run.environment.cpu},
                {"threads", run.environment.threads},
                {"allocator", run.environment.allocator},
                {"LibTorch", run.environment.libtorch_version}};
  for (const DeviceRecord& device : run.environment.devices) identity["device " + device.name] = device.model;
  for (const DatasetRecord& dataset : run.environment.datasets) {
    Json& content = identity["dataset " + dataset.name];
    if (dataset.is_synthetic) content.push_back("synthetic");
    for (const DataFileRecord& file : dataset.files) content.push_back(file.sha256);
  }
  return identity;
}

/// Adds a difference and, in brackets, the option that sets the value.
void compare(Sentences& sentences, const std::string& what, const std::string& then, const std::string& now,
             const std::string& option = "") {
  if (then == now) return;
  const std::string set_by = option.empty() ? "" : " (" + option + ")";
  sentences.push_back(fmt::format("{}: was {}, now {}{}", what, then, now, set_by));
}

/// Compares rows that only one of the plans has with the last row of the other, which names what was added.
template <class Record, class Point>
void compare_rows(Sentences& sentences, const std::vector<Record>& former, const std::vector<Result>& planned,
                  const ParameterTable<Point>& parameters) {
  const std::size_t count = former.empty() ? 0 : std::max(former.size(), planned.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Record& then = former[std::min(i, former.size() - 1)];
    const auto* const now = std::get_if<Record>(&planned[std::min(i, planned.size() - 1)]);
    if (now == nullptr) continue;
    const std::string row = fmt::format("row {}, ", i + 1);
    for (const Parameter<Point>& parameter : parameters) {
      if (!parameter.use.is_in_file) continue;
      const std::string now_text = to_text(parameter.get(*now));
      // A finished row has the model's own learning rate instead of 0.
      if (parameter.key == "learning_rate" && now_text == "0") continue;
      compare(sentences, row + parameter.label, to_text(parameter.get(then)), now_text,
              longest_name(parameter.use.option));
    }
    if constexpr (std::is_same_v<Record, CaseRecord>)  // The limit itself is not in the row.
      compare(sentences, row + "samples", std::to_string(then.train_samples),
              std::to_string(now->train_samples), "--max-samples");
  }
}

}  // namespace

FormerRun find_former(const RunOptions& options, OptionalStore& store) {
  const std::string& file = options.resume.value();
  const fs::path path = file.empty() ? fs::path() : fs::absolute(file);
  std::optional<RunRecord> in_file;
  if (fs::exists(path)) {
    in_file = read_document_as(path, any_run_from_json);
    if (in_file->tool.arguments.empty()) {
      throw Error(ErrorKind::kData, "{}: lacks the command line of its run; name a result file of gpubench",
                  path.string());
    }
  }
  std::optional<FormerRun> stored = find_stored(store, in_file, path.string());
  require(!file.empty() || stored, "--resume: the store has no unfinished run; name a result file");
  require(in_file || stored,
          "--resume {}: does not exist, and the store has no unfinished run of this file; name another file",
          file);
  if (!in_file || (stored && count_ended(stored->document) >= count_ended(*in_file)))
    return std::move(*stored);
  // The file may have been edited: uses the command line in the store.
  if (stored) in_file->tool.arguments = stored->document.tool.arguments;
  return {std::move(*in_file), path.string(), stored.has_value()};
}

Command continued_command(const RunOptions& options) {
  OptionalStore store = open_store(options);
  const FormerRun former = find_former(options, store);
  std::vector<std::string> words = former.document.tool.arguments;
  constexpr std::array kCommands{"suite", "ops", "net"};
  const bool is_run = words.front().starts_with("-") || workloads().find(words.front()) != nullptr ||
                      std::ranges::find(kCommands, words.front()) != kCommands.end();
  // `gpubench ab` may run any program, which an untrusted file must not choose.
  require(is_run, "--resume {0}: is a result of 'gpubench {1}'; run 'gpubench ab --resume {0}'",
          former.output, words.front());
  if (!former.is_stored) words = without_places(words);
  std::vector<std::string> now = options.arguments;
  now.push_back("--resume=" + former.output);
  return parse_continued(words, now);
}

void require_unused(const fs::path& result, OptionalStore& store) {
  const std::string output = fs::absolute(result).string();
  std::vector<std::pair<StoredRun, bool>> runs;  // With true if another process is running it.
  store.attempt([&](Store& opened) {
    for (const StoredRun& run : opened.unfinished_runs())
      if (run.output == output) runs.emplace_back(run, opened.is_claimed(run.id));
  });
  for (const auto& [run, is_in_progress] : runs) {
    require(!is_in_progress, "--output {}: another gpubench is writing to it; give another name",
            result.string());
    require(!has_content(result),
            "--output {0}: has an interrupted run with {1} of {2} rows; resume it with 'gpubench --resume "
            "{0}', or "
            "replace it with --force",
            result.string(), run.finished_rows, run.rows);
  }
  require_free(result);
}

void add_repeats(const RunRecord& document, std::vector<Work>& planned) {
  const std::vector<RowIdentity> rows = make_identities(document.cases);
  const std::size_t count = planned.size();
  for (std::size_t i = count; i < rows.size(); ++i) {
    const auto base = static_cast<std::size_t>(std::ranges::find(rows, rows[i]) - rows.begin());
    if (base >= count) continue;
    auto again = std::get<Case>(planned[base]);
    again.asked.repeat = document.cases[i].repeat;
    planned.emplace_back(std::move(again));
  }
}

std::vector<std::string> differences(const RunRecord& former, const RunRecord& now,
                                     const std::vector<Result>& planned) {
  constexpr std::size_t kMostDifferences = 5;  // More differences of rows would hide the others.
  Sentences sentences;
  const Json then = make_identity(former);
  const Json identity = make_identity(now);
  for (const auto& [key, value] : identity.items())
    compare(sentences, key, json_text(then.value(key, Json())), json_text(value));
  compare(sentences, "rows", std::to_string(former.cases.size() + former.operations.size()),
          std::to_string(planned.size()));
  const auto is_operation = [](const Result& row) { return std::holds_alternative<OpRecord>(row); };
  compare(sentences, "operations", std::to_string(former.operations.size()),
          std::to_string(std::ranges::count_if(planned, is_operation)));
  Sentences found;
  compare_rows(found, former.cases, planned, train_parameters());
  compare_rows(found, former.operations, planned,
               former.plan.kind == "net" ? collective_parameters() : op_parameters());
  const std::size_t shown = std::min(found.size(), kMostDifferences);
  append(sentences, std::span(found).first(shown));
  if (shown < found.size()) sentences.push_back(fmt::format("and {} more", found.size() - shown));
  return sentences;
}

}  // namespace gpubench
