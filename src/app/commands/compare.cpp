#include <fmt/format.h>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/commands/compared_runs.h"
#include "app/files/inputs.h"
#include "app/run/terminal.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/report_writer.h"
#include "pages/comparison/comparison_page.h"

namespace gpubench::compare_plugin {
namespace {

struct Options : ComparedInputs {
  std::string format = "txt";  ///< Name of a report format.
  GateOptions gate;
  bool shows_details = false;
  std::string values;  ///< Print a row per value of "runs" or "operations" instead of the comparison.
};

std::vector<std::string> list_inputs(const Options& options) {
  std::vector<std::string> inputs = options.all();
  require(!inputs.empty(),
          "compare: no file; name result files, as in 'gpubench compare laptop.json desk.json'");
  return inputs;
}

struct Compared {
  Comparison comparison;
  std::vector<Paragraph> warnings;  ///< About rows whose history is too short.
};

Compared compare_files(const Options& options, Selection selection) {
  const DocumentKind kind = compared_kind(list_inputs(options));
  const bool is_of_ops = kind == DocumentKind::kOperations;
  if (is_of_ops) refuse_run_options(options);
  ComparedRuns loaded = load_compared(options, kind, selection);
  Compared compared{compare_inputs(std::move(loaded.candidates), options),
                    describe_short_histories(loaded.short_histories)};
  if (!compared.comparison.versus_baseline.empty() || options.is_of_history()) return compared;
  throw Error(ErrorKind::kUsage,
              "compare: the files have only one device; name a second file, or published:{}",
              is_of_ops ? "m3-max/mps" : "rtx-2070-super");
}

/// Returns the page of a comparison with a history without earlier runs of any row.
Page empty_page(const Compared& compared) {
  Page page{"Comparison with earlier runs", {}, {}, {}};
  page.summary.push_back(
      {fmt::format("No verdict: the store has no earlier runs of these cases; {} are needed.", kFewestRuns),
       Tone::kWarning});
  append(page.summary, compared.warnings);
  return page;
}

/// Compares the files for a gate, which must not pass by skipping a file.
ExitCode print_gate(const Options& options, const ReportFormat& format) {
  const Compared compared = compare_files(options, Selection::kAll);
  const Comparison& comparison = compared.comparison;
  if (comparison.versus_baseline.empty()) {
    print(render_for_stdout(empty_page(compared), format));
    return ExitCode::kInconclusive;
  }
  const GateReport report = gate(comparison, options.gate.limits, options.gate.allowed);
  Page page = gate_page(comparison, report);
  append(page.summary, compared.warnings);
  print(render_for_stdout(page, format));
  return exit_code(report.answer);
}

ExitCode print_values(const Options& options, const ReportFormat& format) {
  require(options.gate.limits.empty() && !options.price_kwh && !options.equal_within,
          "--values: excludes --gate, --price-kwh and --equivalence-margin; leave them out");
  require(format.reads_data, "--values: needs a machine-readable format; add --format tsv or csv");
  const bool is_of_runs = options.values == "runs";
  require(is_of_runs || options.values == "operations", "--values {}: give runs or operations",
          options.values);
  require(!options.is_of_history(), "--values: excludes --baseline history; leave it out");
  const std::vector<std::string> inputs = list_inputs(options);
  Page page;
  page.data = comparison_values(
      compare(candidates_in(is_of_runs ? load_runs(inputs) : load_ops(inputs)), options.is_forced));
  print(render_for_stdout(page, format));
  return ExitCode::kOk;
}

ExitCode run_compare(const Options& options) {
  const ReportFormat& format = report_formats().require(options.format, "--format");
  check_gate(options.gate, options.equal_within);
  if (!options.values.empty()) return print_values(options, format);
  if (!options.gate.limits.empty()) return print_gate(options, format);
  const Compared compared = compare_files(options, Selection::kUsable);
  const Comparison& comparison = compared.comparison;
  const bool is_empty = comparison.versus_baseline.empty();
  Page page = is_empty ? empty_page(compared) : comparison_page(comparison);
  if (!is_empty) append(page.summary, compared.warnings);
  if (format.reads_data) page.data = comparison_data(comparison);
  page.shows_details = options.shows_details;
  page.details_option = "--details";
  print(render_for_stdout(page, format));
  return ExitCode::kOk;
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  add_inputs(parser, *options);
  add_format(parser, options->format);
  add_gate(parser, options->gate, "Fail if a case is worse by more than this (CI)");
  parser.option("--values", "KIND", "Print a row per value: runs or operations (tsv, csv)", options->values);
  parser.flag("--details", "Print all tables and notes", options->shows_details);
  parser.footer(
      "Examples:\n  gpubench compare laptop.json workstation.json\n"
      "  gpubench compare run.json --baseline published:rtx-2070-super\n"
      "  gpubench compare results/ --format csv > all.csv\n"
      "  gpubench compare results/*.json --values runs --format tsv > values.tsv\n"
      "  gpubench compare a.json b.json --metric latency,peak_bytes\n"
      "  gpubench compare ops.json --baseline published:m3-max/mps\n"
      "  gpubench compare a.json b.json c.json --price a=0.50 --price b=1.20\n"
      "  gpubench compare before.json after.json --gate 5%,p99_latency_seconds:10%\n"
      "  gpubench compare run.json --baseline history --gate 5%\n"
      "Exit codes with --gate: 0 ok, 6 regression, 7 inconclusive, 8 incomparable");
  parser.on_parsed([options] { return run_compare(*options); });
}

}  // namespace

CommandEntry entry_compare() {
  return {"compare", "Compare results: which is faster, and by how much", add_options};
}

}  // namespace gpubench::compare_plugin
