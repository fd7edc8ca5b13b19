#include <fmt/format.h>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/commands/train.h"
#include "app/run/engine_loader.h"
#include "app/run/terminal.h"
#include "engine/machine/facts.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/field_table.h"
#include "gpubench/report_writer.h"
#include "pages/format.h"
#include "power/trace/diagnosis.h"
#include "power/trace/energy_account.h"

namespace gpubench::doctor_plugin {
namespace {

struct Options {
  std::string data_dir;
  std::string format = "txt";   ///< Name of a report format.
  bool has_power = false;       ///< Only load a device and examine the power meters.
  std::string device = "auto";  ///< Device to load.
  std::string meter = "auto";   ///< Argument of open_meters().
};

std::string to_text(const FieldValue& value, const std::string& unit) {
  if (const auto* text = std::get_if<std::string>(&value)) return text->empty() ? "none" : *text;
  if (const auto* why = std::get_if<Missing>(&value)) return "unknown (" + why->reason + ")";
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  const std::int64_t count = std::get<std::int64_t>(value);
  return unit == "B" ? byte_text({count}) : std::to_string(count);
}

constexpr const char* kOk = "ok";
constexpr const char* kMissing = "--";

void add_row(Table& table, const char* status, const std::string& item, const std::string& found) {
  table.rows.push_back({{status}, {item}, {found}});
}

/// Adds the machine and its devices. Throws an Error if LibTorch cannot be loaded.
void add_machine(Table& table) {
  load_engine().configure(0);
  const Environment environment = load_engine().read_environment();
  for (const auto& field : environment_fields()) {
    if (field.shown == Shown::kInTable)
      add_row(table, kOk, field.label, to_text(field.get(environment), field.unit));
  }
  if (!environment.threads_note.empty()) add_row(table, kMissing, "fewer threads", environment.threads_note);
  for (const DeviceEntry& kind : load_engine().device_kinds()) {
    std::string why_not;
    const int count = kind.count(why_not);
    // Not every machine has every kind of device.
    if (count == 0) add_row(table, "n/a", "device " + kind.name, why_not);
    for (int i = 0; i < count; ++i) {
      const DeviceRecord device = kind.open(i)->record();
      add_row(table, kOk, "device " + device.name, device.model);
    }
  }
}

void add_datasets(Table& table, const std::filesystem::path& data_dir) {
  add_row(table, std::filesystem::exists(data_dir) ? kOk : kMissing, "data folder", data_dir.string());
  for (const DatasetEntry& entry : datasets()) {
    const auto folder = dataset_folder(entry, data_dir);
    const bool is_present = entry.is_present(folder);
    const std::string remedy =
        entry.files.empty() ? "needs " + entry.summary : "run 'gpubench data fetch " + entry.name + "'";
    add_row(table, is_present ? kOk : kMissing, "dataset " + entry.name,
            is_present ? folder.string() : remedy);
  }
}

Page examine(const Options& options) {
  Table table{"", {{"status"}, {"item"}, {"found"}}, {}};
  try {
    add_machine(table);
  } catch (const Error& error) {
    add_row(table, kMissing, "LibTorch", error.what());
  }
  add_datasets(table, data_directory(options.data_dir));
  table.notes = {
      "ok: available, --: missing, n/a: not on this machine",
      "To check the measurements of a device, run 'gpubench selftest -o selftest.json'",
      "To report a fault without host name and paths, run 'gpubench file anonymize selftest.json'"};
  Page page{"", {}, {{"", {table}}}, {}};
  page.data = std::move(table);
  return page;
}

constexpr Seconds kLoad{10};

/// Returns the options of a case that keeps any device busy for kLoad and needs no download.
TrainOptions load_options(const Options& options) {
  TrainOptions load;
  load.plan.set("model", "cnn");
  load.plan.set("device", options.device);
  load.plan.set("batch_size", "1024");
  load.plan.set("dataset", "synthetic");
  load.plan.set("max_samples", "4096");
  load.plan.set("epochs", "2");
  load.plan.set("min_timed_seconds", std::to_string(kLoad.value));
  load.meter = "none";
  load.is_quiet = true;
  return load;
}

/// Trains, and returns the time span of the epochs. Throws a device Error if the training fails.
TimeSpan load_device(const PlannedRun& plan, RunResources& resources) {
  const auto interrupts = watch_interrupts();
  TrialControl control(*interrupts);
  const Work& work = plan.work.front();
  const auto record =
      std::get<CaseRecord>(resources.executor().run(work, resources.planned_row(work), control));
  if (record.status != RowStatus::kOk || !record.clock_start.has_value()) {
    throw Error(ErrorKind::kDevice, "doctor --power: training on {} ended with status {}: {}", record.device,
                to_string(record.status), record.status_reason);
  }
  const auto windows = epoch_windows(record, record.clock_start.value());
  return {windows.front().begin, windows.back().end};
}

template <class T>
Cell to_cell(const Measured<T>& reading, const char* unit) {
  if (!reading.has_value()) return {"-", {}, reading.reason()};
  return {fmt::format("{:.3g} {}", reading.value().value, unit), reading.value().value};
}

/// "GPU-8f6e..., 0000:65:00.0, cuda:0"; empty for other sources.
std::string gpu_text(const PowerSourceFacts& facts) {
  if (facts.gpu == GpuIdentity()) return {};
  std::vector<std::string> parts{facts.gpu.uuid, facts.gpu.pci_address, facts.device};
  if (!facts.why_no_device.empty()) parts.push_back("device unknown: " + facts.why_no_device);
  std::erase(parts, "");
  return join(parts);
}

Cell compare_energies(const PowerDiagnosis& source) {
  if (!source.by_counter.has_value() || !source.by_power.has_value()) return {"-"};
  const double percent = 100 * (source.by_power.value().value / source.by_counter.value().value - 1);
  return {fmt::format("{:+.1f} %", percent), percent};
}

Table source_table(const PowerDiagnosis& source) {
  const PowerSourceFacts& facts = source.facts;
  Table table{fmt::format("{} {} ({})", facts.meter, facts.part, to_string(facts.scope)),
              {{"property"}, {"value"}},
              {}};
  const std::string gpu = gpu_text(facts);
  const std::string quantity = facts.power_quantity.empty() ? "power" : facts.power_quantity;
  table.rows = {{{"GPU"}, {gpu}},
                {{"update period"}, to_cell(source.period, "s")},
                {{"lag behind the load"}, to_cell(source.lag, "s")},
                {{"idle before"}, to_cell(source.idle_before, "W")},
                {{"under load"}, to_cell(source.load, "W")},
                {{"idle after"}, to_cell(source.idle_after, "W")},
                {{"energy by counter"}, to_cell(source.by_counter, "J")},
                {{"energy by " + quantity}, to_cell(source.by_power, "J")},
                {{"integral against counter"}, compare_energies(source)},
                {{"window for 5 %"}, to_cell(source.least_window, "s")},
                {{"accuracy"}, {facts.accuracy}}};
  std::erase_if(table.rows, [](const std::vector<Cell>& row) { return row.back().text.empty(); });
  return table;
}

/// Returns a row per property of each table, after the title of the table.
Table list_properties(const std::vector<Table>& tables) {
  Table data{"", {{"source"}, {"property"}, {"value"}}, {}};
  for (const Table& table : tables) {
    for (const std::vector<Cell>& row : table.rows)
      data.rows.push_back({{table.title}, row.front(), row.back()});
  }
  return data;
}

/// Loads a device for ten seconds and returns the readings of each power source.
Page examine_power(const Options& options) {
  const SteadyClock clock;
  PlannedTraining run(load_options(options));
  OpenMeters meters =
      open_meters(options.meter, clock, metered_environment(run.facts.environment, run.facts.gpus));
  if (meters.sources.empty()) return {"", {{meters.why_none}}, {}, {}};
  RunResources resources(run);
  const PowerTrial trial = try_power(std::move(meters), run.facts.environment.available_cores, clock,
                                     [&] { return load_device(run, resources); });
  const std::string device = run.device_names().front();
  const BestSource best = best_source(trial.sources, device);
  const std::vector<Table> tables = mapped(trial.sources, source_table);
  Page page{"", {}, {}, list_properties(tables)};
  add_section(
      page.sections, "", tables,
      Paragraph{fmt::format("CPU time for reading the meters: {:.2f} % of a core", 100 * trial.sampler_load)},
      Paragraph{fmt::format("energy of {}: {}{}", device, best.part.empty() ? "" : "by " + best.part + ": ",
                            best.reason)});
  return page;
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  add_data_dir(parser, options->data_dir);
  parser.flag("--power", "Load a device for 10 s and examine the power meters", options->has_power);
  parser.option("--device", "NAME", "Device for --power (default auto)", options->device)
      .offers(device_names);
  parser.option("--meter", "NAME,...", "Power meters for --power (default auto)", options->meter)
      .offers(meter_names);
  add_format(parser, options->format);
  parser.footer("Examples:\n  gpubench doctor\n  gpubench doctor --power --device cuda");
  parser.on_parsed([options] {
    const ReportFormat& format = report_formats().require(options->format, "--format");
    print(render_for_stdout(options->has_power ? examine_power(*options) : examine(*options), format));
  });
}

}  // namespace

CommandEntry entry_doctor() {
  return {"doctor", "Print system, devices, datasets and missing items", add_options};
}

}  // namespace gpubench::doctor_plugin
