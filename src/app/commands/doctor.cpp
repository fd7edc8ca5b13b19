#include <fmt/format.h>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/commands/train.h"
#include "app/run/engine_loader.h"
#include "app/run/terminal.h"
#include "engine/machine/facts.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/core/text/utf8.h"
#include "gpubench/record/field_table.h"
#include "power/trace/diagnosis.h"
#include "power/trace/energy_account.h"

namespace gpubench::doctor_plugin {
namespace {

struct Options {
  std::string data_dir;
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

constexpr const char* kHowToReport =
    "\nok: available, --: missing, n/a: not on this machine\n"
    "Check the measurements of a device (5 minutes): gpubench selftest -o selftest.json\n"
    "Remove host name and paths for a bug report: gpubench file anonymize selftest.json\n";

/// Adds the machine and its devices. Throws an Error if LibTorch cannot be loaded.
void add_machine(TextTable& table) {
  load_engine().configure(0);
  const Environment environment = load_engine().read_environment();
  for (const auto& field : environment_fields()) {
    if (field.shown == Shown::kInTable)
      table.add_row({kOk, field.label, to_text(field.get(environment), field.unit)});
  }
  if (!environment.threads_note.empty()) table.add_row({kMissing, "fewer threads", environment.threads_note});
  for (const DeviceEntry& kind : load_engine().device_kinds()) {
    std::string why_not;
    const int count = kind.count(why_not);
    // Not every machine has every kind of device.
    if (count == 0) table.add_row({"n/a", "device " + kind.name, why_not});
    for (int i = 0; i < count; ++i) {
      const DeviceRecord device = kind.open(i)->record();
      table.add_row({kOk, "device " + device.name, device.model});
    }
  }
}

void examine(const Options& options) {
  TextTable table({{""}, {"item"}, {"found"}});
  try {
    add_machine(table);
  } catch (const Error& error) {
    table.add_row({kMissing, "LibTorch", error.what()});
  }
  for (const DatasetEntry& entry : datasets()) {
    const auto folder = dataset_folder(entry, data_directory(options.data_dir));
    const bool is_present = entry.is_present(folder);
    const std::string remedy =
        entry.files.empty() ? "needs " + entry.summary : "run 'gpubench data fetch " + entry.name + "'";
    table.add_row({is_present ? kOk : kMissing, "dataset " + entry.name,
                   is_present ? folder.string() : "not in " + folder.string() + "; " + remedy});
  }
  print(table.to_string());
  print(kHowToReport);
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
  InterruptWatch interrupts;
  TrialControl control(interrupts);
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
std::string to_text(const Measured<T>& reading, const char* unit) {
  return reading.has_value() ? fmt::format("{:.3g} {}", reading.value().value, unit)
                             : "- (" + reading.reason() + ")";
}

/// "GPU-8f6e..., 0000:65:00.0, cuda:0"; empty for other sources.
std::string gpu_text(const PowerSourceFacts& facts) {
  if (facts.gpu == GpuIdentity()) return {};
  std::vector<std::string> parts{facts.gpu.uuid, facts.gpu.pci_address, facts.device};
  if (!facts.why_no_device.empty()) parts.push_back("device unknown: " + facts.why_no_device);
  std::erase(parts, "");
  return join(parts);
}

void print_source(const PowerDiagnosis& source) {
  const PowerSourceFacts& facts = source.facts;
  print("\n{} {} ({})\n", facts.meter, facts.part, to_string(facts.scope));
  TextTable table({{""}, {""}});
  if (const std::string gpu = gpu_text(facts); !gpu.empty()) table.add_row({"GPU", gpu});
  table.add_row({"update period", to_text(source.period, "s")});
  table.add_row({"lag behind the load", to_text(source.lag, "s")});
  table.add_row({"idle before", to_text(source.idle_before, "W")});
  table.add_row({"under load", to_text(source.load, "W")});
  table.add_row({"idle after", to_text(source.idle_after, "W")});
  table.add_row({"energy by counter", to_text(source.by_counter, "J")});
  table.add_row({"energy by " + (facts.power_quantity.empty() ? "power" : facts.power_quantity),
                 to_text(source.by_power, "J")});
  const bool has_both = source.by_counter.has_value() && source.by_power.has_value();
  table.add_row(
      {"integral against counter",
       has_both ? fmt::format("{:+.1f} %",
                              100 * (source.by_power.value().value / source.by_counter.value().value - 1))
                : "-"});
  table.add_row({"window for 5 %", to_text(source.least_window, "s")});
  if (!facts.accuracy.empty()) table.add_row({"accuracy", facts.accuracy});
  print(table.to_string());
}

/// Loads a device for ten seconds and prints the readings of each power source.
void examine_power(const Options& options, const Invocation& words) {
  const SteadyClock clock;
  PlannedTraining run(load_options(options), words.arguments);
  OpenMeters meters =
      open_meters(options.meter, clock, metered_environment(run.facts.environment, run.facts.gpus));
  if (meters.sources.empty()) {
    print_line(meters.why_none);
    return;
  }
  RunResources resources(run);
  const PowerTrial trial = try_power(std::move(meters), run.facts.environment.available_cores, clock,
                                     [&] { return load_device(run, resources); });
  for (const PowerDiagnosis& source : trial.sources) print_source(source);
  print("\nCPU time for reading the meters: {:.2f} % of a core\n", 100 * trial.sampler_load);
  const std::string device = run.device_names().front();
  const BestSource best = best_source(trial.sources, device);
  print("\nenergy of {}: {}{}\n", device, best.part.empty() ? "" : "by " + best.part + ": ", best.reason);
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  add_data_dir(parser, options->data_dir);
  parser.flag("--power", "Load a device for 10 s and examine the power meters", options->has_power);
  parser.option("--device", "NAME", "Device for --power (default auto)", options->device)
      .offers(device_names);
  parser.option("--meter", "NAME,...", "Power meters for --power (default auto)", options->meter)
      .offers(meter_names);
  parser.footer("Examples:\n  gpubench doctor\n  gpubench doctor --power --device cuda");
  parser.on_parsed([options](const Invocation& words) {
    options->has_power ? examine_power(*options, words) : examine(*options);
  });
}

}  // namespace

CommandEntry entry_doctor() {
  return {"doctor", "Print system, devices, datasets and missing items", add_options};
}

}  // namespace gpubench::doctor_plugin
