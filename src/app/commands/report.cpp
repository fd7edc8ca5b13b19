#include <algorithm>
#include <filesystem>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/commands/compared_runs.h"
#include "app/files/result_file.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/report_writer.h"
#include "pages/comparison/comparison_page.h"
#include "pages/run_page.h"

namespace gpubench::report_plugin {
namespace {

struct Options : ComparedInputs {
  std::string output = "report.html";  ///< The extension selects the format.
  bool shows_details = false;          ///< Include detail tables in text.
  bool is_quiet = false;
};

/// Returns the extensions of reports. A file that ends in .json is a result.
std::vector<std::string> list_extensions() {
  std::vector<std::string> names = report_formats().names();
  std::erase(names, "json");
  return names;
}

const ReportFormat& format_for(const std::string& output) {
  std::string ending = std::filesystem::path(output).extension().string();
  if (!ending.empty()) ending.erase(0, 1);
  const std::vector<std::string> known = list_extensions();
  if (std::ranges::find(known, ending) != known.end()) return *report_formats().find(ending);
  throw Error(ErrorKind::kUsage, "--output {}: has no known extension; use .{}", output, join(known, ", ."));
}

/// Returns a comparison with a detail section per file, or the page of a single file.
Page make_page(const ComparedRuns& compared) {
  const Comparison& comparison = compared.comparison;
  const auto& [name, run] = compared.runs.front();
  const bool is_of_one = comparison.versus_baseline.empty();
  Page page =
      is_of_one ? run_page(run, name, comparison.price_kwh) : comparison_report(comparison, compared.runs);
  if (is_of_one) page.data = run_data(run, name);
  append(page.summary, compared.warnings);
  return page;
}

void run_report(const Options& options) {
  const std::vector<std::string> inputs = options.all();
  require(!inputs.empty(),
          "report: no file; name result files, as in 'gpubench report run.json -o report.html'");
  const ReportFormat& format = format_for(options.output);
  for (const std::string& input : inputs) {
    std::error_code ignored;
    require(!std::filesystem::equivalent(input, options.output, ignored),
            "--output {}: is also an input; give another name", options.output);
  }
  // Overwriting is safe: the extension shows that the file is a page, not a result.
  const ResultFile file(options.output, "", /*overwrites=*/true);
  Page page = make_page(load_compared(options));
  page.shows_details = options.shows_details;
  page.details_option = "--details";
  file.save(format.render(page));
  if (!options.is_quiet) log_info("report in " + file.path().string());
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  add_inputs(parser, *options);
  parser.option("-o,--output", "PATH", "Output file of any format (default report.html)", options->output);
  parser.flag("--details", "Include all tables and notes in a .txt file", options->shows_details);
  parser.flag("-q,--quiet", "Do not print the path of the report", options->is_quiet);
  parser.footer(
      "Examples:\n  gpubench report run.json\n"
      "  gpubench report laptop.json workstation.json -o report.html\n"
      "Replaces an existing report. The extension selects the format:\n." +
      join(list_extensions(), ", ."));
  parser.on_parsed([options] { run_report(*options); });
}

}  // namespace

CommandEntry entry_report() {
  return {"report", "Write a page with tables and charts of results", add_options};
}

}  // namespace gpubench::report_plugin
