#include "scenario.h"

#include <signal.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <nlohmann/json.hpp>

#include "gpubench/record/environment.h"
#include "store/store.h"
#include "support/paths.h"
#include "support/schema.h"

namespace gpubench::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Failures = std::vector<std::string>;

constexpr std::chrono::seconds kLongest{120};
constexpr std::size_t kCases = 2;
constexpr const char* kStore = "host.sqlite";

Words training(const std::string& output, const Words& more = {}) {
  Words words{"--model",       "mlp", "--batch",   "16,32",     "--epochs", "2",    "--device", "cpu",
              "--max-samples", "4",   "--dataset", "synthetic", "--output", output, "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string to_text(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// A copy of a folder for one run.
struct Place {
  explicit Place(const fs::path& start) { fs::copy(start, dir.path(), fs::copy_options::recursive); }

  Ending run(const Words& words, Environment environment) const {
    environment.insert({{"GPUBENCH_WORKER_PREFIX", stand_in_worker()},
                        {"XDG_CACHE_HOME", dir.path() / "cache"},
                        {"GPUBENCH_STORE", dir.path() / kStore},
                        {"GPUBENCH_DATA_DIR", dir.path() / "cache"},  // Without data.
                        {"GPUBENCH_BASE_URL", "http://127.0.0.1:1"}});
    StartedProcess process(gpubench_binary(), words, dir.path(), environment);
    const auto end = std::chrono::steady_clock::now() + kLongest;
    while (process.is_running() && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const bool is_hung = process.is_running();
    process.send(SIGKILL);
    Ending ending{process.wait(), is_hung};
    ending.result.out = without_place(ending.result.out);
    return ending;
  }

  /// Removes the path of the folder, so that the output is equal in all copies.
  std::string without_place(std::string text) const {
    const std::string path = dir.path().string();
    for (std::size_t at = 0; (at = text.find(path, at)) != std::string::npos;)
      text.replace(at, path.size(), ".");
    return text;
  }

  TempDir dir;
};

// --- Checks.

bool is_documented(int code) {
  constexpr std::array kCodes = {0, 2, 3, 4, 5, 6, 7, 8, 130};
  return std::ranges::find(kCodes, code) != kCodes.end();
}

/// Returns internal terms of libraries in a message, which do not help users.
std::string find_raw_text(const std::string& text) {
  for (const char* const raw :
       {"std::", "terminate", "basic_string", "what()", "json.exception", "vector::"}) {
    if (text.find(raw) != std::string::npos) return raw;
  }
  return "";
}

std::string last_line(const std::string& text) {
  const std::string whole = text.substr(0, text.find_last_not_of('\n') + 1);
  return whole.substr(whole.rfind('\n') + 1);
}

void check_ending(const Ending& ending, const std::string& printed, const Environment& fault,
                  Failures& failures) {
  const bool is_in_worker = fault.at("GPUBENCH_FAULT_IN") == "worker";
  // All writes fail from some call on, including messages.
  const bool is_mute = fault.at("GPUBENCH_FAULT").starts_with("write:") &&
                       fault.at("GPUBENCH_FAULT").find('+') != std::string::npos;
  const ProcessResult& result = ending.result;
  const std::string code = std::to_string(result.exit_code);
  if (ending.is_hung) return failures.push_back("the process hung");
  if (result.exit_code < 0) failures.push_back("signal " + code.substr(1) + ": " + result.err);
  const bool is_valid_code = is_documented(result.exit_code) || (result.exit_code == 1 && is_mute);
  if (result.exit_code >= 0 && !is_valid_code) failures.push_back("exit code " + code + ": " + result.err);
  const bool has_failed = result.exit_code != 0 && result.exit_code != 5;
  // `file validate` reports faults on stdout.
  const std::string message = result.err.empty() ? result.out : result.err;
  if (has_failed && message.empty() && !is_mute)
    failures.push_back("exit code " + code + " without a message");
  // Messages quote the stderr of workers.
  if (const std::string raw = find_raw_text(result.err + result.out); !raw.empty() && !is_in_worker)
    failures.push_back("the message contains '" + raw + "': " + last_line(message));
  if (result.exit_code == 0 && !printed.empty() && result.out != printed)
    failures.push_back("exit code 0 with different output: " + result.out.substr(0, 200));
}

void check_document(const fs::path& path, Failures& failures) {
  if (!fs::exists(path)) return;
  const std::string text = to_text(path);
  if (!Json::accept(text)) return failures.push_back("the result is not JSON");
  for (const std::string& error : schema_errors(Json::parse(text))) failures.push_back("result: " + error);
}

/// State of an interrupted run.
struct Remains {
  bool is_known = false;                        ///< The run can be resumed.
  std::map<std::size_t, std::string> finished;  ///< Start times of finished rows, by position.
};

void add_rows_of_store(const Store& store, const std::string& result, Remains& remains) {
  for (const StoredRun& run : store.runs()) {
    if (fs::path(run.output).filename() != result) continue;
    remains.is_known = true;
    const std::vector<StoredRow> rows = store.load_rows(run.id);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto& row = std::get<CaseRecord>(rows[i].record);
      if (rows[i].has_ended && row.status == RowStatus::kOk)
        remains.finished[i] = row.started_at.value_or("");
    }
  }
}

void add_rows_of_file(const fs::path& path, Remains& remains) {
  const std::string text = to_text(path);
  if (!Json::accept(text)) return;
  remains.is_known = true;
  const Json rows = Json::parse(text).at("results");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].at("status") == "ok") remains.finished[i] = rows[i].at("facts").at("started_at");
  }
}

/// Reads the state of a run from its store and file. Reports a damaged store.
Remains find_remains(const fs::path& folder, const std::string& result, Failures& failures) {
  Remains remains;
  try {
    const Store store(folder / kStore);
    for (const std::string& fault : store.check()) failures.push_back("store: " + fault);
    add_rows_of_store(store, result, remains);
  } catch (const Error& error) {
    failures.push_back(std::string("store: ") + error.what());
  }
  add_rows_of_file(folder / result, remains);
  return remains;
}

/// Reports temporary files that were left behind.
void check_folder(const fs::path& folder, Failures& failures) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".part") failures.push_back("left behind: " + entry.path().string());
  }
}

/// Checks that each case has one row, and that finished rows were not repeated.
void check_rows(const Json& document, const Remains& remains, Failures& failures) {
  const Json& rows = document.at("results");
  if (rows.size() != kCases)
    return failures.push_back("after --resume: " + std::to_string(rows.size()) + " rows");
  for (const Json& row : rows) {
    if (row.at("status") != "ok") failures.push_back("after --resume: " + row.at("status").dump());
  }
  for (const auto& [position, started_at] : remains.finished) {
    if (rows.at(position).at("facts").at("started_at") != started_at)
      failures.push_back("a finished row was repeated");
  }
}

/// Resumes the run, or restarts it if neither store nor file contains it, as a user would.
void check_resumption(const Place& place, const Scenario& scenario, Failures& failures) {
  const fs::path path = place.dir.path() / scenario.result;
  const Remains remains = find_remains(place.dir.path(), scenario.result, failures);
  const Words words = remains.is_known ? Words{"--resume", scenario.result, "--quiet"} : scenario.words;
  const ProcessResult next = place.run(words, scenario.environment).result;
  // A worker that could not read its machine's properties gives an unknown machine, which --resume rejects.
  if (next.exit_code == 2 && next.err.find("\"unknown\" then") != std::string::npos) return;
  if (next.exit_code != 0)
    return failures.push_back("then --resume: exit code " + std::to_string(next.exit_code) + ": " + next.err);
  check_document(path, failures);
  check_rows(Json::parse(to_text(path)), remains, failures);
}

Environment with(const Environment& more, Environment environment) {
  environment.insert(more.begin(), more.end());
  return environment;
}

/// Kills a run after the first of its rows.
void make_half(const fs::path& folder, Environment environment) {
  environment["GPUBENCH_WORKER_PREFIX"] = stand_in_worker() + " --fault hang --only mlp:32";
  StartedProcess run(gpubench_binary(), training("half.json"), folder, environment,
                     StartedProcess::Group::kOwn);
  while (run.is_running() && !fs::exists(folder / "half.json"))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  run.kill_group();
  if (run.wait().exit_code != -SIGKILL) throw std::runtime_error("a run that should hang has ended");
}

}  // namespace

std::vector<Scenario> scenarios_named(const std::string& name) {
  std::vector<Scenario> all = {
      {"run", training("run.json"), "run.json", true},
      {"resume", {"--resume", "half.json", "--quiet"}, "half.json", true},
      {"ranks", training("run.json", {"--world-size", "2"}), "run.json", true},
      {"show", {"show", "whole.json"}},
      {"compare", {"compare", "whole.json", "other.json"}},
      {"report", {"report", "whole.json"}},
      {"validate", {"file", "validate", "whole.json"}},
      {"anonymize", {"file", "anonymize", "whole.json", "--output", "made.json"}, "made.json"},
      {"verify", {"data", "verify", "fashion-mnist", "--data-dir", fixtures_dir()}},
      {"list", {"list", "datasets"}},
      {.name = "engine",
       .words = training("run.json"),
       .result = "run.json",
       .is_run = true,
       .is_long = true,
       .environment = {{"GPUBENCH_WORKER_PREFIX", ""}}}};
  std::erase_if(all, [&](const Scenario& one) { return name.empty() ? one.is_long : one.name != name; });
  return all;
}

Workshop::Workshop(const std::vector<Scenario>& scenarios) {
  const fs::path& folder = start_.path();
  const Environment quiet{{"GPUBENCH_WORKER_PREFIX", stand_in_worker()},
                          {"XDG_CACHE_HOME", folder / "cache"},
                          {"GPUBENCH_STORE", folder / kStore}};
  for (const std::string name : {"whole", "other"}) {
    const auto made = run_process(gpubench_binary(), training(name + ".json"), folder, quiet);
    if (made.exit_code != 0) throw std::runtime_error("a run fails without a fault: " + made.err);
  }
  make_half(folder, quiet);
  for (const Scenario& scenario : scenarios) {
    const ProcessResult result = undisturbed(scenario, {});
    if (result.exit_code != 0)
      throw std::runtime_error(scenario.name + " fails without a fault: " + result.err);
    if (!scenario.is_run) printed_[scenario.name] = result.out;
  }
}

ProcessResult Workshop::undisturbed(const Scenario& scenario, const Environment& more) const {
  return Place(start_.path()).run(scenario.words, with(more, scenario.environment)).result;
}

std::vector<std::string> Workshop::check(const Scenario& scenario, const Environment& more) const {
  const Place place(start_.path());
  const Ending ending = place.run(scenario.words, with(more, scenario.environment));
  Failures failures;
  const auto printed = printed_.find(scenario.name);
  check_ending(ending, printed == printed_.end() ? "" : printed->second, more, failures);
  if (!more.at("GPUBENCH_FAULT").starts_with("unlink")) check_folder(place.dir.path(), failures);
  if (!scenario.result.empty()) check_document(place.dir.path() / scenario.result, failures);
  if (scenario.is_run) check_resumption(place, scenario, failures);
  return failures;
}

}  // namespace gpubench::test
