#include "app/commands/common_options.h"

#include "app/run/engine_loader.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/power_meter.h"
#include "gpubench/report_writer.h"

namespace gpubench {

std::string either(std::vector<std::string> names) {
  const std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : join(names) + " or " + last;
}

std::vector<std::string> meter_names() {
  std::vector<std::string> names = power_meters().names();
  names.insert(names.begin(), "auto");
  return names;
}

std::vector<std::string> device_names() {
  std::vector<std::string> names = load_engine().usable_devices();
  names.push_back("auto");
  return names;
}

void add_devices(CommandParser& parser, std::vector<std::string>& devices, const std::string& default_text) {
  parser.list("--device", "NAME,...", "auto, cpu, cuda, cuda:1, mps; a list (" + default_text + ")", devices)
      .offers(device_names);
}

void add_threads(CommandParser& parser, int& threads) {
  parser.option("--threads", "N", "CPU threads (default: at most the cores available)", threads);
}

void add_quiet(CommandParser& parser, bool& is_quiet) {
  parser.flag("-q,--quiet", "Neither progress nor notes on stderr", is_quiet);
}

void add_data_dir(CommandParser& parser, DataOptions& options) {
  parser.option("--data-dir", "DIR", "Folder of the datasets (or GPUBENCH_DATA_DIR)", options.data_dir);
}

void add_base_url(CommandParser& parser, DataOptions& options) {
  parser.option("--base-url", "URL", "Download from here (or GPUBENCH_BASE_URL)", options.base_url)
      .environment("GPUBENCH_BASE_URL");
}

CommandOption add_output(CommandParser& parser, const std::string& help, std::string& output,
                         bool& overwrites) {
  const CommandOption option = parser.option("-o,--output", "PATH", help, output);
  parser.flag("--overwrite", "Replace what is there", overwrites);
  return option;
}

void add_document_output(CommandParser& parser, DocumentOutput& to) {
  add_output(parser, "File, or folder for one of the same name (default: stdout)", to.output, to.overwrites);
}

std::vector<std::string> ComparedInputs::all() const {
  std::vector<std::string> inputs = against;
  append(inputs, files);
  return inputs;
}

void add_inputs(CommandParser& parser, ComparedInputs& inputs) {
  parser.option("files", "FILE ...",
                "Result files, folders of them, published:NAME; the first is the baseline", inputs.files);
  parser.option("--against", "FILE", "The baseline instead: a file, or published:rtx-2070-super",
                inputs.against);
  parser.flag("--force", "Show figures of unlike work too", inputs.is_forced);
  add_equal_within(parser, inputs.equal_within, "Smaller differences count as equal (5%; sides of ab 2%)");
}

void add_equal_within(CommandParser& parser, std::string& equal_within, const std::string& help) {
  parser.option("--equivalence-margin", "2%", help, equal_within);
}

std::optional<double> parse_equality_margin(const std::string& equal_within, const std::string& gate) {
  if (equal_within.empty()) return std::nullopt;
  require(gate.empty(), "--equivalence-margin: --gate has a threshold of its own; leave one out");
  const double margin = parse_percent(equal_within, "--equivalence-margin");
  require(margin > 0, "--equivalence-margin {}: must be above 0", equal_within);
  return margin;
}

ExitCode exit_code(GateVerdict answer) {
  switch (answer) {
    case GateVerdict::kRegression:
      return ExitCode::kRegression;
    case GateVerdict::kIncomparable:
      return ExitCode::kIncomparable;
    case GateVerdict::kInconclusive:
      return ExitCode::kInconclusive;
    case GateVerdict::kPass:
      break;
  }
  return ExitCode::kOk;
}

void add_format(CommandParser& parser, std::string& format) {
  parser.option("--format", "NAME", join(report_formats().names()) + ", to stdout (txt)", format).offers([] {
    return report_formats().names();
  });
}

/// What energy is worth is the reader's to say: no price, no costs.
void add_price(CommandParser& parser, std::string& price) {
  parser.option("--price-kwh", "0.30", "What a kWh costs, in any currency: energy then has a cost", price);
}

std::optional<double> to_price(const std::string& price) {
  return price.empty() ? std::nullopt : std::optional(parse_price(price, "--price-kwh"));
}

void refuse_options_of_runs(const ComparedInputs& inputs, const std::string& price) {
  if (price.empty() && !inputs.is_forced) return;
  throw Error(ErrorKind::kUsage, std::string(price.empty() ? "--force" : "--price-kwh") +
                                     ": works on results of runs, not on tables of operations; leave it out");
}

}  // namespace gpubench
