#include <unistd.h>

#include <filesystem>
#include <span>

#include "app/ab/sides.h"
#include "app/command.h"
#include "app/command_line.h"
#include "app/commands/common_options.h"
#include "app/files/result_file.h"
#include "app/run/terminal.h"
#include "compare/gate.h"
#include "device/host/host.h"
#include "device/host/host_process.h"
#include "gpubench/core/clock.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/digest.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/report_writer.h"
#include "pages/comparison/comparison_page.h"
#include "record/document/record_json.h"

namespace gpubench::ab_plugin {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr int kMostRounds = 100'000;

/// `all` and `side` are only checked while they are parsed: make_sides() reads the words of each side.
struct Options {
  TrainOptions all;
  InterleavedRunSettings settings;
  std::string gate;          ///< A threshold as parse_percent() takes it; empty: no gate.
  std::string equal_within;  ///< As parse_equality_margin() takes it.
  Side side{};
  bool has_next_side = false;
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

std::int64_t order_seed(const Options& options) { return options.all.plan.points().front().seed; }

InterleavedRunSettings checked_settings(const Options& options) {
  InterleavedRunSettings settings = options.settings;
  require(settings.rounds >= 1 && settings.rounds <= kMostRounds, "--rounds {}: give 1 to {}",
          settings.rounds, kMostRounds);
  settings.order_seed = order_seed(options);
  settings.is_quiet = options.all.is_quiet;
  settings.budget = options.all.budget;
  if (!options.gate.empty()) settings.gate = parse_percent(options.gate, "--gate");
  settings.equality_margin = parse_equality_margin(options.equal_within, options.gate);
  return settings;
}

/// Returns "results/2026-11-22T18-00-00Z-host-ab", to which the letters of sides are added.
std::string make_stem(const std::string& output, const std::string& started_at) {
  require(output != "-", "--output -: each side has a document; give a name or a folder");
  const std::string name = fs::path(result_name(started_at, host_name(), {"ab"})).stem().string();
  if (output.empty()) return (fs::path("results") / name).string();
  if (output.ends_with('/') || fs::is_directory(output)) return (fs::path(output) / name).string();
  return output.ends_with(".json") ? output.substr(0, output.size() - 5) : output;
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

/// Returns the logs of new sides, or of those whose documents with the same alternation are there.
std::vector<SideLog> make_logs(const std::vector<Side>& sides, const Options& options, const ToolRecord& tool,
                               const std::string& alternation, const std::string& stem) {
  return mapped(sides, [&](const Side& side) {
    if (const std::string path = make_path(stem, side); !options.all.resume.empty() && fs::exists(path)) {
      RunRecord document = read_run_file(path);
      if (document.plan.alternation == Measured<std::string>(alternation))
        return make_log(side, std::move(document));
    }
    SideLog log{side};
    log.document.tool = tool;
    PlanRecord& plan = log.document.plan;
    plan.order_seed = order_seed(options);
    plan.budget = missing("no budget was given");
    if (options.all.budget) plan.budget = *options.all.budget;
    plan.alternation = alternation;
    plan.side = side.name;
    return log;
  });
}

ExitCode run_all(std::vector<SideLog> logs, const std::string& stem, const InterleavedRunSettings& settings,
                 bool overwrites) {
  const Words paths = mapped(logs, [&](const SideLog& log) { return make_path(stem, log.side); });
  InterleavedRun alternation(
      std::move(logs), mapped(paths, [&](const auto& path) { return ResultFile(path, "", overwrites); }),
      settings);
  const auto awake = keep_awake();
  InterruptWatch interrupts(/*ends_at_second=*/false, "run");
  const InterleavedRunEnd end = alternation.run(interrupts);
  alternation.finish(end);
  ExitCode code = alternation.has_failures() ? ExitCode::kCaseFailed : ExitCode::kOk;
  const Comparison comparison = alternation.comparison();
  const ReportFormat& format = report_formats().require("txt", "--format");
  if (settings.gate) {
    const GateReport report = gate(comparison, *settings.gate);
    if (report.answer != GateVerdict::kPass) code = exit_code(report.answer);
    print(format.render(gate_page(comparison, report)));
  } else {
    print(format.render(comparison_page(comparison)));
  }
  flush_output();
  Words written = paths;
  std::erase_if(written, [](const std::string& path) { return !fs::exists(path); });
  if (!settings.is_quiet) log_info("{}; results in {}", end.why, join(written, " and "));
  return end.is_interrupted ? ExitCode::kInterrupted : code;
}

ExitCode run_dry(const std::vector<Side>& sides, const InterleavedRunSettings& settings) {
  for (const Side& side : sides) print_line(side.name + ": " + shown_command(side, executable_path()));
  std::int64_t round = 0;
  for (const Trial& trial : make_trials(sides.size(), settings.rounds, settings.order_seed)) {
    if (trial.round != round) print("{}round {}:", round == 0 ? "" : "\n", trial.round);
    print(" {}", sides[trial.side].name);
    round = trial.round;
  }
  print("\n");
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

ExitCode run_ab(const Options& options, const Words& arguments, bool is_continued) {
  const std::string& file = options.all.resume;
  if (!file.empty() && !is_continued) return resume(file, arguments);
  const std::vector<Side> sides = make_sides(list_parts(arguments));
  for (const Side& side : sides) {
    const TrainOptions training = parse_over({}, format_words(side.training));  // Throws for wrong options.
    require(!training.plan.finds_max_batch(), "--batch max: measures no time; leave it out");
  }
  const InterleavedRunSettings settings = checked_settings(options);
  if (options.all.is_dry_run) return run_dry(sides, settings);
  if (!file.empty()) {
    const std::string stem = stem_of_result(file);
    const RunRecord former = read_run_file(file);
    return run_all(make_logs(sides, options, former.tool, former.plan.alternation.value(), stem), stem,
                   settings, /*overwrites=*/true);
  }
  const std::string started_at = utc_timestamp();
  const std::string origin = fmt::format("{} {} {}", utc_timestamp_milliseconds(), host_name(), getpid());
  const std::string alternation = sha256(std::as_bytes(std::span(origin))).substr(0, 16);
  const std::string stem = make_stem(options.all.output, started_at);
  return run_all(make_logs(sides, options, tool_record(arguments, started_at), alternation, stem), stem,
                 settings, options.all.overwrites);
}

void add_own_options(CommandParser& parser, Options& options) {
  parser.flag(kNextSide, "Separates the options of two sides", options.has_next_side);
  parser.option("--rounds", "N", "Maximum number of rounds (default 60)", options.settings.rounds);
  parser.option("--min-rounds", "N", "Minimum number of rounds (default 4)", options.settings.min_rounds);
  add_equal_within(parser, options.equal_within, "Treat smaller differences as equal (default 2%)");
  parser.option("--gate", "5%", "Run until B is or is not slower by more than this", options.gate);
  parser.flag("--unlike", "Compare figures of different work too", options.settings.is_forced);
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
  const CommandLine& line = parser.line();
  parser.on_parsed([options, arguments = line.arguments, is_continued = line.is_continued] {
    return run_ab(*options, arguments, is_continued);
  });
}

}  // namespace

CommandEntry entry_ab() { return {"ab", "Compare two configurations in interleaved runs", add_options}; }

}  // namespace gpubench::ab_plugin
