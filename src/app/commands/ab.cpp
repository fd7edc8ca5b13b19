#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "app/ab/variants.h"
#include "app/command.h"
#include "app/command_line.h"
#include "app/commands/common_options.h"
#include "app/files/result_file.h"
#include "app/run/terminal.h"
#include "compare/gate.h"
#include "compare/rows.h"
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

/// Parsing only checks `all` and `variant`: make_variants() reads the words of each variant.
struct Options {
  TrainOptions all;
  std::int64_t rounds = 60;                 ///< Maximum number of rounds; see ratio_of_rounds().
  std::int64_t min_rounds = kFewestRounds;  ///< Minimum number of rounds.
  GateOptions gate;
  std::optional<double> equal_within;  ///< Equivalence margin, for compare().
  bool is_forced = false;              ///< Compare different workloads too.
  Variant variant{};
  bool has_next_variant = false;

  std::int64_t order_seed() const { return all.plan.points().front().seed; }
};

/// Splits "ab --model mlp --vs --threads 1" into "ab --model mlp" and "ab --threads 1".
std::vector<NamedOptions> list_parts(const Words& arguments) {
  std::vector<Words> parts{{}};
  for (const std::string& word : arguments) {
    if (word == kNextVariant) {
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

constexpr std::int64_t kMostFailures = 3;  // Consecutive.

/// "B 1.10 times as fast as A (1.05 to 1.15)".
std::string ratio_text(const CandidatePair& versus) {
  const std::vector<RowRatio> rows = row_ratios(versus);
  if (rows.empty()) return fmt::format("{} has no ratio yet", pair_name(versus));
  const Estimate ratio = compute_mean(rows);
  const std::string range = interval_text(ratio);
  return fmt::format("{} {} times as fast as {}{}", versus.other->name, figure_text(ratio.value),
                     versus.base->name, range.empty() ? "" : " (" + range + ")");
}

/// Returns when to kill the process of a variant. gpubench enforces --timeout itself, so it gets extra time
/// for devices, data and the result.
std::optional<Seconds> find_timeout(const Variant& variant) {
  constexpr Seconds kAroundCase{600};
  const std::string text = value_in(variant.training, "--timeout", "");
  if (text.empty()) return std::nullopt;
  const Seconds timeout = parse_duration(text, "--timeout");
  return variant.is_external() ? timeout : timeout + kAroundCase;
}

/// Returns true if `more` trials end within the budget, given the mean time of the trials `before`.
bool fits(const std::optional<Seconds>& budget, Seconds elapsed, std::size_t before, std::size_t more) {
  if (!budget || before == 0) return true;
  return elapsed.value * static_cast<double>(before + more) / static_cast<double>(before) <= budget->value;
}

/// Returns the number of rounds since the last one with an ok row.
std::int64_t count_failures(const VariantLog& log) {
  std::int64_t last_good = 0;
  for (const CaseRecord& row : log.document.cases) {
    if (row.status == RowStatus::kOk) last_good = row.repeat;
  }
  return log.document.cases.back().repeat - last_good;
}

/// Measures the variants in interleaved rounds. The documents, written after each trial, are its state: a
/// resumed run does not repeat their trials.
class InterleavedRun {
 public:
  /// `files` are the result files of `logs`.
  InterleavedRun(std::vector<VariantLog> logs, std::vector<ResultFile> files, const Options& options)
      : logs_(std::move(logs)), files_(std::move(files)), options_(options) {}

  /// Runs the missing trials and writes the final documents. An interrupt ends it after the current trial.
  RunEnd run(Interrupts& interrupts) {
    RunEnd end = run_trials(interrupts);
    if (!end.is_interrupted) {
      for (VariantLog& log : logs_) log.document.tool.finished_at = utc_timestamp();
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
        logs_, [&](const VariantLog& log) { return std::ranges::any_of(log.document.cases, is_bad); });
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
      if (std::ranges::none_of(logs_, [&](const VariantLog& log) { return log.has_run_in(round); })) {
        if (const auto end = reason_to_end(round - 1)) return *end;
        if (!fits(options_.all.budget, clock.now() - start, runs, logs_.size()))
          return {"budget, " + counted(round - 1, "round")};
      }
      for (const std::size_t variant : order) {
        if (logs_[variant].has_run_in(round)) continue;
        if (const auto end = take(logs_[variant], round, interrupts)) return *end;
        ++runs;
      }
    }
    if (const auto end = reason_to_end(options_.rounds)) return *end;
    return {counted(options_.rounds, "round")};
  }

  std::optional<RunEnd> reason_to_end(std::int64_t round) const {
    if (round == 0 || !is_decided(comparison(), options_.gate.limits) || round < options_.min_rounds)
      return std::nullopt;
    return RunEnd{"verdict after " + counted(round, "round")};
  }

  std::optional<RunEnd> take(VariantLog& log, std::int64_t round, Interrupts& interrupts) {
    const std::string started_at = utc_timestamp_milliseconds();
    const ProcessEnd end =
        run_command(make_command(log.variant, executable_path()), find_timeout(log.variant), interrupts);
    if (end.is_interrupted) return RunEnd{"interrupted", true};
    add_run(log, round, started_at, end);
    save(/*is_final=*/false);
    const std::int64_t failures = count_failures(log);
    if (failures > 0 && !options_.all.is_quiet) {
      const CaseRecord& row = log.document.cases.back();
      const std::string last = row.stderr_tail.empty() ? "" : ": " + row.stderr_tail.back();
      log_info("round {}, variant {}: {}{}", row.repeat, log.variant.name, row.status_reason, last);
    }
    if (interrupts.count() > 0) return RunEnd{"interrupted", true};
    if (failures >= kMostFailures)
      return RunEnd{fmt::format("variant {} failed {} times in a row", log.variant.name, failures)};
    const auto has_run = [&](const VariantLog& one) { return one.has_run_in(round); };
    if (!options_.all.is_quiet && std::ranges::all_of(logs_, has_run))
      log_info("round {}: {}", round, join(mapped(comparison().versus_baseline, ratio_text), "; "));
    return std::nullopt;
  }

  std::vector<VariantLog> logs_;
  std::vector<ResultFile> files_;
  const Options& options_;
};

/// Returns "results/2026-11-22T18-00-00Z-host-ab", to which the letters of the variants are appended.
std::string make_stem(const std::string& output, const std::string& started_at) {
  require(output != "-", "--output -: each variant has a result file; give a name or a folder");
  const fs::path file = find_output(output, result_name(started_at, host_name(), {"ab"}));
  return file.extension() == ".json" ? fs::path(file).replace_extension().string() : file.string();
}

/// Removes "-a.json".
std::string stem_of_result(const std::string& file) {
  constexpr std::size_t kEnding = 7;
  const bool is_one = file.size() > kEnding && file.ends_with(".json") && file[file.size() - kEnding] == '-';
  require(is_one, "--resume {}: is not a result file of ab; name one, such as results/run-a.json", file);
  return file.substr(0, file.size() - kEnding);
}

std::string make_path(const std::string& stem, const Variant& variant) {
  return fmt::format("{}-{}.json", stem, static_cast<char>(variant.name.front() - 'A' + 'a'));
}

/// Returns the header of all documents; in a resumed run that of its result file.
RunRecord begin_documents(const Options& options) {
  RunRecord first;
  if (options.all.resume) {
    const RunRecord former = read_run_file(*options.all.resume);
    first.tool = former.tool;
    first.plan = former.plan;
    return first;
  }
  first.tool = tool_record(options.all.arguments, utc_timestamp());
  first.plan.order_seed = options.order_seed();
  if (options.all.budget) first.plan.budget = *options.all.budget;
  first.plan.interleaved_run = fmt::format("{} {}", utc_timestamp_milliseconds(), getpid());
  return first;
}

/// Returns the logs of the variants: documents of the same run where they exist, else new ones with header
/// `first`.
std::vector<VariantLog> make_logs(const std::vector<Variant>& variants, const RunRecord& first,
                                  const std::string& stem, bool is_resumed) {
  return mapped(variants, [&](const Variant& variant) {
    if (const std::string path = make_path(stem, variant); is_resumed && fs::exists(path)) {
      RunRecord document = read_run_file(path);
      document.tool.finished_at = missing("the run continues");
      if (document.plan.interleaved_run == first.plan.interleaved_run)
        return VariantLog{variant, std::move(document)};
    }
    VariantLog log{variant, first};
    log.document.plan.variant = variant.name;
    return log;
  });
}

ExitCode run_all(std::vector<VariantLog> logs, const std::string& stem, const Options& options) {
  const bool overwrites = options.all.overwrites || options.all.resume;
  const Words paths = mapped(logs, [&](const VariantLog& log) { return make_path(stem, log.variant); });
  InterleavedRun interleaved(
      std::move(logs), mapped(paths, [&](const auto& path) { return ResultFile(path, "", overwrites); }),
      options);
  const auto awake = keep_awake();
  const auto interrupts = watch_interrupts("run");
  const RunEnd end = interleaved.run(*interrupts);
  ExitCode code = interleaved.has_failures() ? ExitCode::kCaseFailed : ExitCode::kOk;
  const Comparison comparison = interleaved.comparison();
  const ReportFormat& format = report_formats().require("txt", "--format");
  if (!options.gate.limits.empty()) {
    const GateReport report = gate(comparison, options.gate.limits, options.gate.allowed);
    if (report.answer != GateVerdict::kPass) code = exit_code(report.answer);
    print(render_for_stdout(gate_page(comparison, report), format, options.all.is_quiet));
  } else {
    print(render_for_stdout(comparison_page(comparison), format, options.all.is_quiet));
  }
  flush_output();
  Words written = paths;
  std::erase_if(written, [](const std::string& path) { return !fs::exists(path); });
  if (!options.all.is_quiet) log_info("{}; results in {}", end.why, join(written, " and "));
  return end.is_interrupted ? ExitCode::kInterrupted : code;
}

ExitCode run_dry(const std::vector<Variant>& variants, const Options& options) {
  for (const Variant& variant : variants)
    print_line(variant.name + ": " + shown_command(variant, executable_path()));
  std::int64_t round = 0;
  for (const auto& order : make_orders(variants.size(), options.rounds, options.order_seed())) {
    const Words names = mapped(order, [&](std::size_t variant) { return variants[variant].name; });
    print_line(fmt::format("round {}: {}", ++round, join(names, " ")));
  }
  return ExitCode::kOk;
}

/// Resumes a run with its own command line, overridden by `arguments`. Throws a usage Error for options of a
/// variant.
ExitCode resume(const std::string& file, const Words& arguments) {
  const std::vector<NamedOptions> parts = list_parts(arguments);
  require(parts.size() == 1, "--resume {}: has its variants already; leave {} out", file, kNextVariant);
  for (const NamedOption& option : parts.front()) {
    require(applies_to_all_variants(option.name), "--resume {}: cannot change variants; leave {} out", file,
            option.name);
  }
  const RunRecord former = read_run_file(file);
  const Words& words = former.tool.arguments;
  require(!words.empty() && words.front() == "ab" && former.plan.interleaved_run.has_value(),
          "--resume {}: is not a result file of 'gpubench ab'; name one, such as results/run-a.json", file);
  return parse_continued(words, arguments)();
}

ExitCode run_ab(const Options& options) {
  const std::string file = options.all.resume.value_or("");
  require(!options.all.resume || !file.empty(),
          "--resume: no file; name a result file of the run, such as results/run-a.json");
  if (!file.empty() && !options.all.is_continued) return resume(file, options.all.arguments);
  const std::vector<Variant> variants = make_variants(list_parts(options.all.arguments));
  for (const Variant& variant : variants) {
    const bool finds_max_batch = value_in(variant.training, "--batch", "").find("max") != std::string::npos;
    require(!finds_max_batch, "--batch max: measures no time; give a batch size");
  }
  require(options.rounds >= 1 && options.rounds <= kMostRounds, "--rounds {}: is out of range; give 1 to {}",
          options.rounds, kMostRounds);
  check_gate(options.gate, options.equal_within);
  if (options.all.is_dry_run) return run_dry(variants, options);
  const RunRecord first = begin_documents(options);
  const bool is_resumed = !file.empty();
  const std::string stem =
      is_resumed ? stem_of_result(file) : make_stem(options.all.output, first.tool.started_at);
  return run_all(make_logs(variants, first, stem, is_resumed), stem, options);
}

void add_own_options(CommandParser& parser, Options& options) {
  parser.flag(kNextVariant, "Begin the options of the next variant (B, C, ...)", options.has_next_variant);
  parser.option("--rounds", "N", "Maximum number of rounds (default 60)", options.rounds);
  parser.option("--min-rounds", "N", "Minimum number of rounds (default 4)", options.min_rounds);
  add_equal_within(parser, options.equal_within, "Treat smaller differences as equal (default 2%)");
  add_gate(parser, options.gate, "Fail if B is worse by more than this (CI)");
  parser.flag("--unlike", "Also compare different models or settings", options.is_forced);
  Variant& variant = options.variant;
  parser.option("--program", "FILE", "gpubench program of this variant (default: this one)", variant.program);
  parser.option("--torch", "DIR", "LibTorch of this variant: a folder with lib/", variant.torch);
  parser.option("--wrapper", "WORDS", "Prefix of the command, such as 'taskset -c 0'", variant.wrapper);
  parser.option("--command", "COMMAND", "Shell command to run instead of gpubench; prints JSON",
                variant.command);
  parser.option("--figure", "POINTER", "JSON pointer to samples/s in the output of --command",
                variant.figure);
  parser.option("--seconds", "POINTER", "JSON pointer to epoch time [s]; wall: process time",
                variant.seconds);
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  add_own_options(parser, *options);
  add_training_options(parser, options->all, [](const std::string& usual) { return usual + " or A's"; });
  parser.hide({"--repeat", "--power-log", "--force"});
  parser.describe("--budget", "Maximum total time, such as 20m (default: none)");
  parser.describe("--timeout", "Maximum time per case or command (default: none)");
  parser.describe("--dry-run", "Print the commands and their order; run nothing");
  parser.describe("--resume", "Resume the run of FILE, a result file of any variant");
  parser.describe("--output", "Folder, or prefix NAME of NAME-a.json, NAME-b.json");
  parser.footer(
      "Examples:\n  gpubench ab --model cnn --vs --precision amp-bf16\n"
      "  gpubench ab --model mlp --vs --program ../old/gpubench --gate 5%\n"
      "  gpubench ab --model cnn --vs --command \"python3 peer.py --batch 128\"\n"
      "  gpubench ab --resume results/run-a.json --rounds 80\n"
      "A is before --vs, B after it. B inherits the options of A. Options of the whole\n"
      "comparison, such as --gate, may be on either side of --vs.\n"
      "Exit codes with --gate: 0 ok, 6 regression, 7 inconclusive, 8 incomparable");
  parser.on_parsed([options] { return run_ab(*options); });
}

}  // namespace

CommandEntry entry_ab() { return {"ab", "Compare two configurations in interleaved runs", add_options}; }

}  // namespace gpubench::ab_plugin
