#include "attack.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <optional>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "support/catch.h"
#include "support/fair_time.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/temp_dir.h"

namespace gpubench::test {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kTimeout(30);

// --- Folders.

/// Folders of an attack. The state of the program is outside of the work folder, whose changes are checked.
class Place {
 public:
  Place() {
    for (const char* name : {"work", "home", "cache", "tmp"}) fs::create_directory(dir_.path() / name);
  }
  std::string work() const { return dir_.path() / "work"; }
  void write(const std::map<std::string, std::string>& files) const {
    for (const auto& [name, bytes] : files) dir_.file("work/" + name, bytes);
  }
  std::map<std::string, std::string> environment() const { return attack_environment(dir_.path()); }

 private:
  TempDir dir_;
};

/// Kind, size and modification time of files by name, to detect changes.
using Listing = std::map<std::string, std::string>;

Listing list(const fs::path& folder) {
  Listing listing;
  std::error_code error;
  const auto end = fs::recursive_directory_iterator();
  for (fs::recursive_directory_iterator entry(folder, error); entry != end; entry.increment(error)) {
    struct stat facts {};
    if (error || lstat(entry->path().c_str(), &facts) != 0) break;
    const bool is_file = S_ISREG(facts.st_mode);
    listing[entry->path().lexically_relative(folder)] =
        fmt::format("mode {:o}, {} bytes, node {}, changed {}", facts.st_mode, is_file ? facts.st_size : 0,
                    facts.st_ino, is_file ? facts.st_mtime : 0);
  }
  return listing;
}

bool is_named(const std::string& name, const std::string& names) {
  return (" " + names + " ").find(" " + name + " ") != std::string::npos;
}

/// Returns the files that were created, changed or removed, except the allowed ones.
std::string unexpected(const Listing& before, const Listing& after, const std::string& allowed) {
  std::string found;
  for (const auto& [name, facts] : after) {
    const auto old = before.find(name);
    if (is_named(name, allowed) || (old != before.end() && old->second == facts)) continue;
    found += (old == before.end() ? "made " : "changed ") + name + "; ";
  }
  for (const auto& [name, facts] : before) {
    if (!after.contains(name) && !is_named(name, allowed)) found += "lost " + name + "; ";
  }
  return found;
}

// --- Execution.

struct Answer {
  ProcessResult result;
  bool is_late = false;
};

/// Returns true after the timeout, which excludes CPU time of other processes up to a limit.
bool is_too_long(const FairTime& time) {
  constexpr int kBusiest = 10;
  if (time.clock_time() < kTimeout) return false;
  return time.elapsed() > kTimeout || time.clock_time() > kBusiest * kTimeout;
}

/// Runs a shell until it ends or times out, then kills its process group.
Answer run(const Place& place, const std::string& script) {
  const FairTime time;
  StartedProcess shell("/bin/sh", {"-c", shell_functions() + script}, place.work(), place.environment(),
                       StartedProcess::Group::kOwn);
  while (shell.is_running() && !is_too_long(time)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  Answer answer;
  answer.is_late = shell.is_running();
  shell.kill_group();
  answer.result = shell.wait();
  return answer;
}

// --- Checks.

/// Returns the position of a character that controls a terminal: a C0 control except line feed and tab, DEL,
/// a C1 control, or a direction mark. In data for programs, only C0 controls count.
std::optional<std::size_t> terminal_control(const std::string& text, bool is_data) {
  const auto byte = [&](std::size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_c0 = byte(i) < 0x20 && byte(i) != '\n' && byte(i) != '\t';
    const bool is_del = byte(i) == 0x7f;
    const bool is_c1 = byte(i) == 0xc2 && byte(i + 1) >= 0x80 && byte(i + 1) < 0xa0;
    const bool is_mark =
        byte(i) == 0xe2 && byte(i + 1) == 0x80 &&
        (byte(i + 2) == 0x8e || byte(i + 2) == 0x8f || (byte(i + 2) >= 0xaa && byte(i + 2) <= 0xae));
    const bool is_isolate =
        byte(i) == 0xe2 && byte(i + 1) == 0x81 && byte(i + 2) >= 0xa6 && byte(i + 2) <= 0xa9;
    if (is_c0 || (!is_data && (is_del || is_c1 || is_mark || is_isolate))) return i;
  }
  return std::nullopt;
}

std::string control_fault(const char* where, const std::string& text, bool is_data) {
  const auto at = terminal_control(text, is_data);
  if (!at) return "";
  return fmt::format("{} has byte {:#04x} at {}; ", where, static_cast<unsigned char>(text[*at]), *at);
}

/// Returns lines of stderr that are neither messages of the program nor lines of finished cases.
std::string stray_lines(const std::string& err) {
  std::istringstream lines(err);
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    const bool is_progress = line.starts_with("[") && line.find("] ") != std::string::npos;
    if (!line.empty() && !is_progress && !line.starts_with("gpubench: "))
      found += "line '" + line.substr(0, 80) + "' on stderr; ";
    if (found.size() > 400) break;
  }
  return found;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool is_data(const std::string& command, const std::string& out) {
  return has(command, "--format csv") || has(command, "--format tsv") || out.starts_with("{");
}

/// Removes fenced code blocks, in which Markdown shows markup unchanged.
std::string without_fenced(const std::string& markdown) {
  std::istringstream lines(markdown);
  std::string rest;
  bool is_fenced = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("```") <= 3) is_fenced = !is_fenced;  // Up to three spaces may precede a fence.
    if (!is_fenced) rest += line + "\n";
  }
  return rest;
}

/// Returns scripts that a browser would run and formulas that a spreadsheet would evaluate.
std::string find_injections(const std::string& command, const std::string& answer) {
  std::string found;
  const bool is_markdown = has(command, "--format md");
  const bool is_page = has(command, "html") || has(command, "svg") || is_markdown;
  const std::string out = is_markdown ? without_fenced(answer) : answer;
  for (const std::string markup : {"<script>alert", "<img src=x"}) {
    const std::size_t at = out.find(markup);
    const bool is_escaped = at != std::string::npos && at > 0 && out[at - 1] == '\\';  // In Markdown.
    if (is_page && at != std::string::npos && !is_escaped) found += fmt::format("'{}' in a page; ", markup);
  }
  if (!has(command, "--format csv") && !has(command, "--format tsv")) return found;
  for (const char* cell : {"\n=", "\n\"=", ",=", ",\"=", "\t=", "\t\"=", "\n@", ",@", "\t@"}) {
    if (has(out, cell)) found += fmt::format("'{}' begins a cell; ", cell);
  }
  return found;
}

std::string missing_words(const Attack& attack, const ProcessResult& result) {
  static const std::string kBetween = " .. ";
  std::string missing;
  for (std::size_t begin = 0; begin <= attack.words.size();) {
    const std::size_t end = std::min(attack.words.find(kBetween, begin), attack.words.size());
    const std::string part = attack.words.substr(begin, end - begin);
    const bool is_there =
        result.out.find(part) != std::string::npos || result.err.find(part) != std::string::npos;
    if (!is_there) missing += "no '" + part + "' in the answer; ";
    begin = end + kBetween.size();
  }
  return missing;
}

/// Returns the errors of the answer; empty if it is right.
std::string faults(const Attack& attack, const Answer& answer) {
  if (answer.is_late) return "hung; ";
  const ProcessResult& result = answer.result;
  std::string found;
  if (result.exit_code < 0 || (result.exit_code > 128 && result.exit_code != 130))
    found += fmt::format("ended by a signal ({}); ", result.exit_code);
  if (result.exit_code == 1) found += "exit code 1, a fault of gpubench; ";
  const bool is_right = attack.code == kSoundOrRefused
                            ? result.exit_code == 0 || result.exit_code == 2 || result.exit_code == 3
                            : result.exit_code == attack.code;
  if (!is_right) found += fmt::format("exit code {}, not {}; ", result.exit_code, attack.code);
  return found + missing_words(attack, result) + stray_lines(result.err) +
         control_fault("stderr", result.err, false) +
         control_fault("stdout", result.out, is_data(attack.command, result.out)) +
         find_injections(attack.command, result.out);
}

// --- All attacks.

struct Outcome {
  Answer answer;
  std::string fault;  ///< Errors; empty if the program withstood the attack.
};

Outcome decide_outcome(const Attack& attack) {
  const Place place;
  place.write(attack.files);
  if (!attack.prepare.empty()) run(place, attack.prepare);
  const Listing before = list(place.work());
  Outcome outcome{run(place, attack.command), ""};
  outcome.fault = faults(attack, outcome.answer);
  if (const std::string other = unexpected(before, list(place.work()), attack.makes); !other.empty())
    outcome.fault += "files: " + other;
  return outcome;
}

/// Runs two attacks at a time, each in its own folders.
std::vector<Outcome> list_outcomes(const std::vector<Attack>& attacks) {
  std::vector<Outcome> outcomes(attacks.size());
  std::atomic<std::size_t> next = 0;
  const auto loop = [&] {
    for (std::size_t i = next++; i < attacks.size(); i = next++) outcomes[i] = decide_outcome(attacks[i]);
  };
  const std::future<void> other = std::async(std::launch::async, loop);
  loop();
  other.wait();
  return outcomes;
}

/// Returns the attacks to run from a generated table: as many as take some seconds, or all if requested.
std::vector<Attack> chosen(const std::vector<Attack>& attacks) {
  constexpr std::size_t kMost = 120;
  if (attacks.size() <= kMost || std::getenv("GPUBENCH_HOSTILE") != nullptr) return attacks;
  std::vector<Attack> some;
  for (std::size_t i = 0; i < kMost; ++i) some.push_back(attacks[i * attacks.size() / kMost]);
  return some;
}

void judge(const std::string& group, const Attack& attack, const Outcome& outcome) {
  const auto& [answer, fault] = outcome;
  INFO(group << ", " << attack.what << "\n" << attack.prepare << "\n" << attack.command);
  INFO("stdout: " << answer.result.out.substr(0, 600));
  INFO("stderr: " << answer.result.err.substr(0, 600));
  CHECK(fault == "");
}

}  // namespace

std::map<std::string, std::string> attack_environment(const std::string& folder) {
  return {{"HOME", folder + "/home"},
          {"TMPDIR", folder + "/tmp"},
          {"XDG_CACHE_HOME", folder + "/cache"},
          {"XDG_CONFIG_HOME", folder + "/home"},
          {"XDG_DATA_HOME", folder + "/home"},
          {"XDG_STATE_HOME", folder + "/state"},
          {"GPUBENCH_STORE", folder + "/state/store.sqlite"},
          {"GPUBENCH", gpubench_binary()},
          {"GPUBENCH_DATA_DIR", fixtures_dir()},
          {"GPUBENCH_BASE_URL", "http://127.0.0.1:1"},
          {"http_proxy", "http://127.0.0.1:1"},  // Blocks requests to other machines.
          {"https_proxy", "http://127.0.0.1:1"},
          {"no_proxy", "127.0.0.1"},
          {"RESULTS", fixtures_dir() + "/results"},
          {"POWER", fixtures_dir() + "/power"},
          {"STAND_IN", stand_in_worker()},
          {"AWAIT_STORED", await_stored()}};
}

std::string shell_functions() {
  return R"(
gpubench() { "$GPUBENCH" "$@"; }
# Trains a few samples, without LibTorch.
train() {
  GPUBENCH_WORKER_PREFIX="${PREFIX-$STAND_IN}" gpubench --model mlp --dataset synthetic --max-samples 4 \
    --epochs 2 --device cpu -q "$@"
}
# Prints the plan of a run.
plan() { GPUBENCH_WORKER_PREFIX="$STAND_IN" gpubench "$@" -q --dry-run; }
operate() { GPUBENCH_WORKER_PREFIX="$STAND_IN" gpubench ops -q --device cpu "$@"; }
# Prints the text N times without line feeds.
many() { yes "$2" | head -n "$1" | tr -d '\n'; }
# Makes a sparse file, by default of a terabyte.
sparse() { dd if=/dev/zero of="$1" bs=1 count=0 seek="${2-1000000000000}" 2>/dev/null; }
)";
}

void withstand(const std::string& group, const std::vector<Attack>& attacks) {
  const std::vector<Outcome> outcomes = list_outcomes(attacks);
  for (std::size_t i = 0; i < attacks.size(); ++i) judge(group, attacks[i], outcomes[i]);
}

void withstand_some(const std::string& group, const std::vector<Attack>& attacks) {
  withstand(group, chosen(attacks));
}

}  // namespace gpubench::test
