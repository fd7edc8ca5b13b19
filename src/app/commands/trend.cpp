#include "history/trend.h"

#include <algorithm>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/commands/stored_series.h"
#include "app/run/terminal.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/report_writer.h"
#include "history/history_page.h"

namespace gpubench::trend_plugin {
namespace {

struct Options {
  std::vector<std::string> words;  ///< Numbers of series, or words of their names. Empty: all series.
  std::string metric;              ///< Key or class of a metric; empty: the main one of each series.
  std::size_t last = TrendScope{}.most;
  std::string since;  ///< "2026-11-26"; empty: any.
  std::string gate;   ///< Threshold, "5%"; empty: no gate.
  std::string format = "txt";
  std::string store;  ///< File; empty: the store of this host.
};

/// Returns the series with these numbers, and those whose names contain all other words. Empty: all series.
std::vector<std::int64_t> choose_series(const Store& store, const std::vector<std::string>& words) {
  if (words.empty()) return {};
  const std::vector<HistorySeries> all = load_series(store);
  std::vector<std::int64_t> chosen;
  std::vector<std::string> others;
  for (const std::string& word : words) {
    const auto found = std::ranges::find(
        all, parse_whole(word), [](const HistorySeries& series) { return std::optional(series.id); });
    if (found == all.end())
      others.push_back(word);
    else
      add_once(chosen, found->id);
  }
  if (others.empty()) return chosen;
  for (const HistorySeries& series : find_matches(all, others)) add_once(chosen, series.id);
  return chosen;
}

ExitCode run_trend(const Options& options) {
  require(options.last >= kFewestRuns, "--last {}: is too small to find a change; give {} or more",
          options.last, kFewestRuns);
  if (!options.since.empty()) require_date("--since", options.since);
  const double threshold = options.gate.empty() ? 0 : parse_percent(options.gate, "--gate");
  return with_store(find_existing_store(options.store), [&](const std::filesystem::path& path) {
    const auto store = open_indexed(path);
    const ReportFormat& format = report_formats().require(options.format, "--format");
    Trends trends = find_trends(*store, choose_metrics(options.metric, "--metric"),
                                {choose_series(*store, options.words), options.last, options.since});
    explain(*store, trends);
    if (options.gate.empty()) {
      print(render_for_stdout(trend_page(trends), format));
      return ExitCode::kOk;
    }
    const TrendGate report = gate(trends, threshold);
    print(render_for_stdout(trend_gate_page(trends, report, threshold), format));
    return exit_code(report.answer);
  });
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  parser.option("series", "SERIES ...", "Numbers of series, or words of their names (all)", options->words);
  parser.option("--metric", "NAME", "Metric: key, or time, memory, ... (default: main)", options->metric)
      .offers(metric_words);
  parser.option("--last", "N", "Number of latest runs of each series (default 200)", options->last);
  parser.option("--since", "DATE", "Ignore runs before this day (UTC), like 2026-11-26", options->since);
  parser.option("--gate", "5%", "Fail if a series is slower by more than this (CI)", options->gate);
  add_format(parser, options->format);
  add_store_file(parser, options->store);
  parser.footer(
      "Examples:\n  gpubench trend\n  gpubench trend cnn bf16 --metric energy\n"
      "  gpubench trend --gate 5%\n"
      "A series is one case on one machine over time; see 'gpubench history list'.\n"
      "Exit codes with --gate: 0 ok, 6 regression, 7 inconclusive");
  parser.on_parsed([options] { return run_trend(*options); });
}

}  // namespace

CommandEntry entry_trend() {
  return {"trend", "Find when this machine became slower, and what changed", add_options};
}

}  // namespace gpubench::trend_plugin
