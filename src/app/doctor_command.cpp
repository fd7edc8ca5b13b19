#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "app/commands.h"
#include "app/engine_loader.h"
#include "app/inventory.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text_table.h"
#include "gpubench/record/field_table.h"

namespace gpubench {
namespace {

/// One finding: what was looked at, what was found, and, where something is missing, the remedy.
struct Finding {
  std::string what;
  bool is_fine;
  std::string text;
};

std::string text_of(const FieldValue& value, const std::string& unit) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* why = std::get_if<Absent>(&value)) return "unknown (" + why->reason + ")";
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  const std::int64_t count = std::get<std::int64_t>(value);
  constexpr double kGibibyte = 1 << 30;
  return unit == "B" ? fmt::format("{:.1f} GiB", static_cast<double>(count) / kGibibyte)
                     : std::to_string(count);
}

void inspect_environment(std::vector<Finding>& findings) {
  const Environment environment = load_engine().read_environment();
  for (const auto& field : environment_fields()) {
    if (field.shown == Shown::kInTable)
      findings.push_back({field.label, true, text_of(field.get(environment), field.unit)});
  }
}

void inspect_devices(std::vector<Finding>& findings) {
  for (const DeviceFacts& kind : device_facts()) {
    for (const DeviceRecord& device : kind.devices)
      findings.push_back({"device " + device.name, true, device.model});
    // A machine need not have every kind: the reason is worth a line, but nothing is wrong.
    if (kind.devices.empty()) findings.push_back({"device " + kind.kind, true, "none: " + kind.why_not});
  }
}

void inspect_datasets(const std::string& data_dir, std::vector<Finding>& findings) {
  for (const auto& [entry, folder, is_present] : dataset_facts(data_dir)) {
    const std::string remedy = "not in " + folder + "; run 'gpubench data fetch " + entry->name + "'";
    findings.push_back({"dataset " + entry->name, is_present, is_present ? folder : remedy});
  }
}

bool is_on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

void inspect_plotting(std::vector<Finding>& findings) {
  const bool is_here = is_on_path("gnuplot");
  findings.push_back(
      {"plots: gnuplot", is_here, is_here ? "found" : "not on PATH; install it to use scripts/plot-*.sh"});
}

}  // namespace

ExitCode run_doctor(const DoctorOptions& options) {
  load_engine().configure(0);
  std::vector<Finding> findings;
  inspect_environment(findings);
  inspect_devices(findings);
  inspect_datasets(options.data.data_dir, findings);
  inspect_plotting(findings);

  TextTable table({{"", Align::kLeft}, {"what", Align::kLeft}, {"found", Align::kLeft}});
  for (const Finding& finding : findings)
    table.add_row({finding.is_fine ? "ok" : "--", finding.what, finding.text});
  print_out(table.to_string());
  return ExitCode::kOk;
}

}  // namespace gpubench
