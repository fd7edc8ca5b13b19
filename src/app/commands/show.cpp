#include <filesystem>

#include "app/commands/common_options.h"
#include "app/commands/entries.h"
#include "app/files/inputs.h"
#include "app/run/planned_run.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/report_writer.h"
#include "pages/ops_page.h"
#include "pages/plan_page.h"
#include "pages/run_page.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

struct Options {
  std::string file;
  std::string format = "txt";  ///< Name of a report format.
  std::string price;           ///< Of a kWh, as parse_price() takes it; empty: no costs.
  EnoughOptions enough;
};

Page page_of(const Options& options, const ReportFormat& format) {
  const std::optional<double> price = price_of(options.price);
  const std::optional<double> margin = margin_of(options.enough);
  const std::filesystem::path path(options.file);
  const std::string name = path.filename().string();
  if (are_ops({options.file})) {
    require(!margin, "--plan: works on results of runs, not on tables of operations; leave it out");
    return ops_page(read_ops_file(path), name);
  }
  const RunRecord run = read_run_file(path);
  if (margin) return plan_page(run, name, *margin);
  Page page = run_page(run, name, price);
  if (format.reads_data) page.data = run_data(run, name);
  return page;
}

ExitCode show(const Options& options) {
  const ReportFormat& format = report_formats().require(options.format, "--format");
  print_out(format.render(page_of(options, format)));
  return ExitCode::kOk;
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  parser.option("file", "FILE", "Result file", options->file).required();
  add_format(parser, options->format);
  add_price(parser, options->price);
  add_enough(parser, options->enough);
  parser.footer(
      "Examples:\n  gpubench show results/run.json\n  gpubench show run.json --format md > run.md\n"
      "  gpubench show repeated.json --plan --margin 1%");
  parser.on_parsed([options] { return show(*options); });
}

}  // namespace

CommandEntry entry_show() {
  return {"show", "What a result file says, as text with charts", CommandKind::kListed, add_options};
}

}  // namespace gpubench
