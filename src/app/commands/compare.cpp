#include <fmt/format.h>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/commands/compared_sides.h"
#include "app/files/inputs.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/report_writer.h"
#include "pages/comparison/comparison_page.h"

namespace gpubench::compare_plugin {
namespace {

struct Options {
  ComparedInputs inputs;
  std::string format = "txt";       ///< Name of a report format.
  std::string gate;                 ///< A threshold as parse_percent() takes it; empty: no gate.
  std::string price;                ///< Of a kWh, as parse_price() takes it; empty: no costs.
  std::vector<std::string> prices;  ///< "NAME=AMOUNT" per hour.
  bool shows_details = false;
  std::string figures;  ///< "runs" or "operations": a row a figure of these; empty: the comparison.
};

std::vector<std::string> list_inputs(const Options& options) {
  std::vector<std::string> inputs = options.inputs.all();
  require(!inputs.empty(),
          "compare: no file; name two result files, as in 'gpubench compare laptop.json desk.json'");
  return inputs;
}

struct Compared {
  Comparison comparison;
  std::vector<Paragraph> lacking;  ///< Rows whose history is too short.
};

Compared compare_inputs(const Options& options, Selection selection, std::optional<double> margin) {
  const DocumentKind kind = compared_kind(list_inputs(options));
  const bool is_of_ops = kind == DocumentKind::kOperations;
  if (is_of_ops) refuse_options_of_runs(options.inputs, options.price, options.prices);
  const std::optional<double> price = to_price(options.price);
  ComparedSides sides = load_sides(options.inputs, kind, selection);
  Compared compared{compare(std::move(sides.candidates), options.inputs.is_forced, margin),
                    describe_lacking(sides.lacking)};
  Comparison& comparison = compared.comparison;
  comparison.price_kwh = price;
  comparison.has_baseline = !options.inputs.baseline.empty();
  set_prices(comparison.candidates, options.prices);
  if (!comparison.versus_baseline.empty() || options.inputs.is_of_history()) return compared;
  throw Error(ErrorKind::kUsage,
              "compare: only one device is in these files; name a second file, or published:{}",
              is_of_ops ? "m3-max/mps" : "rtx-2070-super");
}

/// A comparison with a history that has no run of any row.
Page empty_page(const Compared& compared) {
  Page page{"Comparison with earlier runs", {}, {}, {}};
  page.summary.push_back(
      {fmt::format("No verdict: the store has no earlier run of these cases, and {} are needed.",
                   kFewestRuns),
       Tone::kWarning});
  append(page.summary, compared.lacking);
  return page;
}

/// Compares files for the gate, which must not pass without one of them.
ExitCode print_gate(const Options& options, const ReportFormat& format) {
  const double threshold = parse_percent(options.gate, "--gate");
  const std::optional<double> margin = parse_equality_margin(options.inputs.equal_within, options.gate);
  const Compared compared = compare_inputs(options, Selection::kAll, margin);
  const Comparison& comparison = compared.comparison;
  if (comparison.versus_baseline.empty()) {
    print(format.render(empty_page(compared)));
    return ExitCode::kInconclusive;
  }
  const GateReport report = gate(comparison, threshold);
  Page page = gate_page(comparison, report);
  append(page.summary, compared.lacking);
  print(format.render(page));
  return exit_code(report.answer);
}

ExitCode print_figures(const Options& options, const ReportFormat& format) {
  require(options.gate.empty() && options.price.empty() && options.inputs.equal_within.empty(),
          "--figures: excludes --gate, --price-kwh and --equivalence-margin; leave these out");
  require(format.reads_data, "--figures: needs a format for other programs; add --format tsv or csv");
  const bool is_of_runs = options.figures == "runs";
  require(is_of_runs || options.figures == "operations", "--figures {}: give runs or operations",
          options.figures);
  require(!options.inputs.is_of_history(), "--figures: has no baseline; leave --baseline history out");
  const std::vector<std::string> inputs = list_inputs(options);
  Page page;
  page.data = comparison_figures(compare(
      is_of_runs ? load_candidates(inputs) : candidates_in(load_ops(inputs)), options.inputs.is_forced));
  print(format.render(page));
  return ExitCode::kOk;
}

ExitCode run_compare(const Options& options) {
  const ReportFormat& format = report_formats().require(options.format, "--format");
  if (!options.figures.empty()) return print_figures(options, format);
  if (!options.gate.empty()) return print_gate(options, format);
  const std::optional<double> margin = parse_equality_margin(options.inputs.equal_within);
  const Compared compared = compare_inputs(options, Selection::kUsable, margin);
  const Comparison& comparison = compared.comparison;
  const bool is_empty = comparison.versus_baseline.empty();
  Page page = is_empty ? empty_page(compared) : comparison_page(comparison);
  if (!is_empty) append(page.summary, compared.lacking);
  if (format.reads_data) page.data = comparison_data(comparison);
  page.shows_details = options.shows_details;
  print(format.render(page));
  return ExitCode::kOk;
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  add_inputs(parser, options->inputs);
  add_format(parser, options->format);
  add_price(parser, options->price);
  parser.option("--gate", "5%", "Fail if anything is slower by more than this (CI)", options->gate);
  parser.option("--figures", "KIND", "One row per figure of runs or operations (tsv, csv)", options->figures);
  add_prices(parser, options->prices);
  parser.flag("--details", "Print all tables, not only the answer", options->shows_details);
  parser.footer(
      "Examples:\n  gpubench compare laptop.json workstation.json\n"
      "  gpubench compare run.json --baseline published:rtx-2070-super\n"
      "  gpubench compare results/ --format csv > all.csv\n"
      "  gpubench compare results/*.json --figures runs --format tsv > figures.tsv\n"
      "  gpubench compare ops.json --baseline published:m3-max/mps\n"
      "  gpubench compare a.json b.json c.json --price a=0.50 --price b=1.20\n"
      "  gpubench compare before.json after.json --gate 5%\n"
      "  gpubench compare run.json --baseline history --gate 5%\n"
      "Exit codes with --gate: 0 ok, 6 regression, 7 inconclusive, 8 incomparable");
  parser.on_parsed([options] { return run_compare(*options); });
}

}  // namespace

CommandEntry entry_compare() {
  return {"compare", "Compare results: which is faster, and by how much", add_options};
}

}  // namespace gpubench::compare_plugin
