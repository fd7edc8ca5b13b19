#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "app/ab/sides.h"
#include "app/command.h"
#include "app/command_line.h"
#include "app/commands/common_options.h"
#include "app/files/result_file.h"
#include "app/run/terminal.h"
#include "compare/conclusions.h"
#include "device/host/host.h"
#include "device/host/host_process.h"
#include "gpubench/core/clock.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/report_writer.h"
#include "pages/comparison/comparison_page.h"
#include "pages/format.h"
#include "record/document/record_json.h"

namespace gpubench::ab_plugin {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr int kMostRounds = 100'000;

/// `all` and `side` are only checked while they are parsed: make_sides() reads the words of each side.
struct Options {
  TrainOptions all;
  std::int64_t rounds = 60;                 ///< Maximum; see ratio_of_rounds().
  std::int64_t min_rounds = kFewestRounds;  ///< Minimum.
  std::optional<double> gate;               ///< Threshold.
  std::optional<double> equal_within;       ///< Margin, as compare() takes it.
  bool is_forced = false;                   ///< Compares figures of unlike work too.
  Side side{};
  bool has_next_side = false;

  std::int64_t order_seed() const { return all.plan.points().front().seed; }
};

/// Splits "ab --model mlp --vs --threads 1" into "ab --model mlp" and "ab --threads 1".
std::vector<NamedOptions> list_parts(const Words& arguments) {
  std::vector<Words> parts{{}};
  for (const std::string& word : arguments) {
    if (word == kNextSide) {
      parts.push_back({arguments.front()});
    } else {
      parts.back().push_back(word);
    }
  }
  return mapped(parts, named_options);
}

struct RunEnd {
  std::string why;  ///< "verdict after 9 rounds".
  bool is_interrupted = false;
};

constexpr std::int64_t kMostFailures = 3;  // In a row.

/// "B 1.10 times as fast as A (1.05 to 1.15)".
std::string ratio_text(const BaselineComparison& versus) {
  const std::vector<RowRatio> rows = row_ratios(versus);
  if (rows.empty()) return fmt::format("{} has no ratio yet", pair_name(versus));
  const Estimate ratio = compute_mean(rows);
  const std::string range = interval_text(ratio);
  return fmt::format("{} {} times as fast as {}{}", versus.other->label, figure_text(ratio.value),
                     versus.base->label, range.empty() ? "" : " (" + range + ")");
}

/// Returns when to end the process of a side. gpubench itself ends a case in time, so it gets more for
/// devices, data and the result.
std::optional<Seconds> find_timeout(const Side& side) {
  constexpr Seconds kAroundCase{600};
  const std::string text = value_in(side.training, "--timeout", "");
  if (text.empty()) return std::nullopt;
  const Seconds timeout = parse_duration(text, "--timeout");
  return side.is_peer() ? timeout : timeout + kAroundCase;
}

std::string rounds_text(std::int64_t rounds) {
  return fmt::format("{} round{}", rounds, rounds == 1 ? "" : "s");
}

/// Returns true if a round of `more` trials would end in time if they take as long as those before.
bool fits(const std::optional<Seconds>& budget, Seconds elapsed, std::size_t before, std::size_t more) {
  if (!budget || before == 0) return true;
  return elapsed.value * static_cast<double>(before + more) / static_cast<double>(before) <= budget->value;
}

void report_failure(const SideLog& log) {
  const CaseRecord& row = log.document.cases.back();
  const std::string last = row.stderr_tail.empty() ? "" : ": " + row.stderr_tail.back();
  log_info("round {}, side {}: {}{}", row.repeat, log.side.name, row.status_reason, last);
}

/// Returns the number of rounds after the last one with a row that ended well.
std::int64_t count_failures(const SideLog& log) {
  std::int64_t last_good = 0;
  for (const CaseRecord& row : log.document.cases) {
    if (row.status == RowStatus::kOk) last_good = row.repeat;
  }
  return log.document.cases.back().repeat - last_good;
}

/// Measures sides in turns. Its documents hold its state: written after each trial, and not run again.
class InterleavedRun {
 public:
  /// `files` has one for each log.
  InterleavedRun(std::vector<SideLog> logs, std::vector<ResultFile> files, const Options& options)
      : logs_(std::move(logs)), files_(std::move(files)), options_(options) {}

  /// Runs what is missing and writes the final documents. An interrupt ends it after the present trial.
  RunEnd run(Interrupts& interrupts) {
    RunEnd end = run_trials(interrupts);
    for (SideLog& log : logs_) {
      if (!end.is_interrupted) log.document.tool.finished_at = utc_timestamp();
    }
    save(/*is_final=*/true);
    return end;
  }

  Comparison comparison() const {
    const std::vector<RunRecord> all = make_documents(logs_, /*is_final=*/true);
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < all.size(); ++i)
      append(candidates, make_candidates(all[i], files_[i].path().filename().string()));
    return compare(std::move(candidates), options_.is_forced, options_.equal_within);
  }

  bool has_failures() const {
    const auto is_bad = [](const CaseRecord& row) { return row.status != RowStatus::kOk; };
    return std::ranges::any_of(
        logs_, [&](const SideLog& log) { return std::ranges::any_of(log.document.cases, is_bad); });
  }

 private:
  void save(bool is_final) const {
    const std::vector<RunRecord> all = make_documents(logs_, is_final);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].cases.empty()) continue;
      const std::string document = run_document(all[i]);
      is_final ? files_[i].save(document) : files_[i].save_snapshot(document);
    }
  }

  RunEnd run_trials(Interrupts& interrupts) {
    const SteadyClock clock;
    const Seconds start = clock.now();
    std::size_t runs = 0;
    std::int64_t round = 0;
    for (const auto& order : make_orders(logs_.size(), options_.rounds, options_.order_seed())) {
      ++round;
      if (std::ranges::none_of(logs_, [&](const SideLog& log) { return log.has_run_in(round); })) {
        if (const auto end = reason_to_end(round - 1)) return *end;
        if (!fits(options_.all.budget, clock.now() - start, runs, logs_.size()))
          return {"budget, " + rounds_text(round - 1)};
      }
      for (const std::size_t side : order) {
        if (logs_[side].has_run_in(round)) continue;
        if (const auto end = take(logs_[side], round, interrupts)) return *end;
        ++runs;
      }
    }
    if (const auto end = reason_to_end(options_.rounds)) return *end;
    return {rounds_text(options_.rounds)};
  }

  std::optional<RunEnd> reason_to_end(std::int64_t round) const {
    if (round == 0 || !is_decided(comparison(), options_.gate) || round < options_.min_rounds)
      return std::nullopt;
    return RunEnd{"verdict after " + rounds_text(round)};
  }

  std::optional<RunEnd> take(SideLog& log, std::int64_t round, Interrupts& interrupts) {
    const std::string started_at = utc_timestamp_milliseconds();
    const ProcessEnd end =
        run_command(make_command(log.side, executable_path()), find_timeout(log.side), interrupts);
    if (end.is_interrupted) return RunEnd{"interrupted", true};
    add_run(log, round, started_at, end);
    save(/*is_final=*/false);
    const std::int64_t failures = count_failures(log);
    if (failures > 0 && !options_.all.is_quiet) report_failure(log);
    if (interrupts.count() > 0) return RunEnd{"interrupted", true};
    if (failures >= kMostFailures)
      return RunEnd{fmt::format("side {} failed {} times in a row", log.side.name, failures)};
    const auto has_run = [&](const SideLog& one) { return one.has_run_in(round); };
    if (!options_.all.is_quiet && std::ranges::all_of(logs_, has_run))
      log_info("round {}: {}", round, join(mapped(comparison().versus_baseline, ratio_text), "; "));
    return std::nullopt;
  }

  std::vector<SideLog> logs_;
  std::vector<ResultFile> files_;
  const Options& options_;
};

/// Returns "results/2026-11-22T18-00-00Z-host-ab", to which the letters of sides are added.
std::string make_stem(const std::string& output, const std::string& started_at) {
  require(output != "-", "--output -: each side has a document; give a name or a folder");
  const fs::path file = find_output(output, result_name(started_at, host_name(), {"ab"}));
  return file.extension() == ".json" ? fs::path(file).replace_extension().string() : file.string();
}

/// Removes "-a.json".
std::string stem_of_result(const std::string& file) {
  constexpr std::size_t kEnding = 7;
  const bool is_one = file.size() > kEnding && file.ends_with(".json") && file[file.size() - kEnding] == '-';
  require(is_one, "--resume {}: name the document of a side, such as results/run-a.json", file);
  return file.substr(0, file.size() - kEnding);
}

std::string make_path(const std::string& stem, const Side& side) {
  return fmt::format("{}-{}.json", stem, static_cast<char>(side.name.front() - 'A' + 'a'));
}

/// Returns what the documents of all sides begin with; of a run that is resumed that of its file.
RunRecord begin_documents(const Options& options, const Words& arguments) {
  RunRecord first;
  if (options.all.resume) {
    const RunRecord former = read_run_file(*options.all.resume);
    first.tool = former.tool;
    first.plan = former.plan;
    return first;
  }
  first.tool = tool_record(arguments, utc_timestamp());
  first.plan.order_seed = options.order_seed();
  if (options.all.budget) first.plan.budget = *options.all.budget;
  first.plan.alternation = fmt::format("{} {}", utc_timestamp_milliseconds(), getpid());
  return first;
}

/// Returns logs whose documents begin as `first`; of sides with documents of the same alternation theirs.
std::vector<SideLog> make_logs(const std::vector<Side>& sides, const RunRecord& first,
                               const std::string& stem, bool is_resumed) {
  return mapped(sides, [&](const Side& side) {
    if (const std::string path = make_path(stem, side); is_resumed && fs::exists(path)) {
      RunRecord document = read_run_file(path);
      document.tool.finished_at = missing("the run goes on");
      if (document.plan.alternation == first.plan.alternation) return SideLog{side, std::move(document)};
    }
    SideLog log{side, first};
    log.document.plan.side = side.name;
    return log;
  });
}

ExitCode run_all(std::vector<SideLog> logs, const std::string& stem, const Options& options) {
  const bool overwrites = options.all.overwrites || options.all.resume;
  const Words paths = mapped(logs, [&](const SideLog& log) { return make_path(stem, log.side); });
  InterleavedRun alternation(
      std::move(logs), mapped(paths, [&](const auto& path) { return ResultFile(path, "", overwrites); }),
      options);
  const auto awake = keep_awake();
  InterruptWatch interrupts("run");
  const RunEnd end = alternation.run(interrupts);
  ExitCode code = alternation.has_failures() ? ExitCode::kCaseFailed : ExitCode::kOk;
  const Comparison comparison = alternation.comparison();
  const ReportFormat& format = report_formats().require("txt", "--format");
  if (options.gate) {
    const GateReport report = gate(comparison, *options.gate);
    if (report.answer != GateVerdict::kPass) code = exit_code(report.answer);
    print(format.render(gate_page(comparison, report)));
  } else {
    print(format.render(comparison_page(comparison)));
  }
  flush_output();
  Words written = paths;
  std::erase_if(written, [](const std::string& path) { return !fs::exists(path); });
  if (!options.all.is_quiet) log_info("{}; results in {}", end.why, join(written, " and "));
  return end.is_interrupted ? ExitCode::kInterrupted : code;
}

ExitCode run_dry(const std::vector<Side>& sides, const Options& options) {
  for (const Side& side : sides) print_line(side.name + ": " + shown_command(side, executable_path()));
  std::int64_t round = 0;
  for (const auto& order : make_orders(sides.size(), options.rounds, options.order_seed())) {
    const Words names = mapped(order, [&](std::size_t side) { return sides[side].name; });
    print_line(fmt::format("round {}: {}", ++round, join(names, " ")));
  }
  return ExitCode::kOk;
}

/// Continues with the words of the first start, and those given now for all sides laid over them.
ExitCode resume(const std::string& file, const Words& arguments) {
  const std::vector<NamedOptions> parts = list_parts(arguments);
  require(parts.size() == 1, "--resume {}: the file has the sides; leave {} out", file, kNextSide);
  for (const NamedOption& option : parts.front()) {
    require(is_of_all_sides(option.name),
            "--resume {}: {} is an option of a side, which the file has; leave it out", file, option.name);
  }
  const RunRecord former = read_run_file(file);
  const Words& words = former.tool.arguments;
  require(!words.empty() && words.front() == "ab" && former.plan.alternation.has_value(),
          "--resume {}: 'gpubench ab' did not write it", file);
  return parse_continued(words, arguments)();
}

ExitCode run_ab(const Options& options, const Invocation& words) {
  const std::string file = options.all.resume.value_or("");
  require(!options.all.resume || !file.empty(),
          "--resume: name the document of a side, such as results/run-a.json");
  if (!file.empty() && !words.is_continued) return resume(file, words.arguments);
  const std::vector<Side> sides = make_sides(list_parts(words.arguments));
  for (const Side& side : sides) {
    const TrainOptions training = parse_over({}, format_words(side.training));  // Throws for wrong options.
    require(!training.plan.finds_max_batch(), "--batch max: measures no time; leave it out");
  }
  require(options.rounds >= 1 && options.rounds <= kMostRounds, "--rounds {}: give 1 to {}", options.rounds,
          kMostRounds);
  require_one_threshold(options.gate, options.equal_within);
  if (options.all.is_dry_run) return run_dry(sides, options);
  const RunRecord first = begin_documents(options, words.arguments);
  const bool is_resumed = !file.empty();
  const std::string stem =
      is_resumed ? stem_of_result(file) : make_stem(options.all.output, first.tool.started_at);
  return run_all(make_logs(sides, first, stem, is_resumed), stem, options);
}

void add_own_options(CommandParser& parser, Options& options) {
  parser.flag(kNextSide, "Separates the options of two sides", options.has_next_side);
  parser.option("--rounds", "N", "Maximum number of rounds (default 60)", options.rounds);
  parser.option("--min-rounds", "N", "Minimum number of rounds (default 4)", options.min_rounds);
  add_equal_within(parser, options.equal_within, "Treat smaller differences as equal (default 2%)");
  add_gate(parser, options.gate, "Run until B is or is not slower by more than this");
  parser.flag("--unlike", "Compare figures of different work too", options.is_forced);
  Side& side = options.side;
  parser.option("--program", "FILE", "The gpubench program of this side", side.program);
  parser.option("--torch", "FOLDER", "LibTorch of this side: the folder that contains lib", side.torch);
  parser.option("--wrapper", "WORDS", "Prefix of the command: 'taskset -c 0', nice", side.with);
  parser.option("--command", "WORDS", "Run this program instead; it prints JSON", side.command);
  parser.option("--figure", "POINTER", "JSON pointer to samples per second: /images_per_s", side.figure);
  parser.option("--seconds", "POINTER", "JSON pointer to the epoch time; or wall", side.seconds);
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  add_own_options(parser, *options);
  // Options of no side are left out.
  add_training_options(parser, options->all, [](const std::string& usual) { return usual + " or A's"; });
  parser.hide({"--repeat", "--power-log", "--force"});
  parser.describe("--budget", "Start no round that would end later than this: 20m");
  parser.describe("--timeout", "Maximum time of a case or program");
  parser.describe("--dry-run", "Print the commands and their order; run nothing");
  parser.describe("--resume", "Continue from the result file of a side");
  parser.describe("--output", "NAME of NAME-a.json, NAME-b.json; or a folder");
  parser.footer(
      "Examples:\n  gpubench ab --model cnn --vs --precision amp-bf16\n"
      "  gpubench ab --model mlp --vs --program ../old/gpubench --gate 5%\n"
      "  gpubench ab --model cnn --vs --command \"python3 peer.py --batch 128\"\n"
      "  gpubench ab --resume results/run-a.json --rounds 80\n"
      "B inherits the options of A. Options of the whole comparison, such as --gate,\n"
      "--rounds, --dry-run and -o, may be on either side of --vs.\n"
      "Exit codes with --gate: 0 ok, 6 regression, 7 inconclusive, 8 incomparable");
  parser.on_parsed([options](const Invocation& words) { return run_ab(*options, words); });
}

}  // namespace

CommandEntry entry_ab() { return {"ab", "Compare two configurations in interleaved runs", add_options}; }

}  // namespace gpubench::ab_plugin
