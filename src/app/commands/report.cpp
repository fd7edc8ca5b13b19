#include <filesystem>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/commands/compared_sides.h"
#include "app/files/inputs.h"
#include "app/files/result_file.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/nearest.h"
#include "gpubench/report_writer.h"
#include "pages/comparison/comparison_page.h"
#include "pages/run_page.h"

namespace gpubench::report_plugin {
namespace {

struct Options {
  ComparedInputs inputs;
  std::string output = "report.html";  ///< Its ending names the format.
  std::string price;                   ///< Of a kWh, as parse_price() takes it; empty: no costs.
  std::vector<std::string> prices;     ///< "NAME=AMOUNT" per hour.
  bool shows_details = false;          ///< Of text.
  bool is_quiet = false;
};

const ReportFormat& format_for(const std::string& output) {
  std::string ending = std::filesystem::path(output).extension().string();
  if (!ending.empty()) ending.erase(0, 1);
  if (const ReportFormat* format = report_formats().find(ending)) return *format;
  throw Error(ErrorKind::kUsage, "--output {}: its ending names no format; end it in .{}", output,
              join(report_formats().names(), ", ."));
}

/// Makes the comparison with a section for each file as details, or the page of a single one.
Page make_page(ComparedSides sides, const Options& options) {
  const ComparedInputs& inputs = options.inputs;
  const std::vector<NamedRun>& runs = sides.runs;
  Comparison comparison =
      compare(std::move(sides.candidates), inputs.is_forced, parse_equality_margin(inputs.equal_within));
  comparison.price_kwh = to_price(options.price);
  comparison.has_baseline = !inputs.baseline.empty();
  set_prices(comparison.candidates, options.prices);
  const auto& [name, run] = runs.front();
  const bool is_of_one = comparison.versus_baseline.empty();
  Page page = is_of_one ? run_page(run, name, comparison.price_kwh) : comparison_report(comparison, runs);
  if (is_of_one) page.data = run_data(run, name);
  append(page.summary, describe_lacking(sides.lacking));
  return page;
}

Page page_for(const std::vector<std::string>& inputs, const Options& options) {
  const DocumentKind kind = compared_kind(inputs);
  if (kind != DocumentKind::kRun) refuse_options_of_runs(options.inputs, options.price, options.prices);
  return make_page(load_sides(options.inputs, kind), options);
}

void run_report(const Options& options) {
  const std::vector<std::string> inputs = options.inputs.all();
  require(!inputs.empty(),
          "report: no file; name one or more, as in 'gpubench report run.json -o report.html'");
  const ReportFormat& format = format_for(options.output);
  for (const std::string& input : inputs) {
    std::error_code ignored;
    require(!std::filesystem::equivalent(input, options.output, ignored),
            "--output {}: is one of the results; give another name", options.output);
  }
  // Overwrites: its ending says that the file is a page, not a result.
  const ResultFile file(options.output, "", /*overwrites=*/true);
  Page page = page_for(inputs, options);
  page.shows_details = options.shows_details;
  file.save(format.render(page));
  if (!options.is_quiet) log_info("report in " + file.path().string());
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  add_inputs(parser, options->inputs);
  parser.option("-o,--output", "PATH", "Output file; its ending is the format (report.html)",
                options->output);
  parser.flag("--details", "All tables in a .txt, not only the answer", options->shows_details);
  add_price(parser, options->price);
  add_prices(parser, options->prices);
  parser.flag("-q,--quiet", "Do not print the path of the report", options->is_quiet);
  parser.footer(
      "Examples:\n  gpubench report run.json\n"
      "  gpubench report laptop.json workstation.json -o report.html\n"
      "Replaces an existing report. Endings: ." +
      join(report_formats().names(), ", ."));
  parser.on_parsed([options] { run_report(*options); });
}

}  // namespace

CommandEntry entry_report() {
  return {"report", "Write a page with tables and charts of results", add_options};
}

}  // namespace gpubench::report_plugin
