#include "compare/contender.h"

#include <iterator>
#include <sstream>

#include <fmt/format.h>

#include "gpubench/core/collect.h"

namespace gpubench {
namespace {

DeviceRecord device_named(const Environment& environment, const std::string& name) {
  const auto known = std::ranges::find(environment.devices, name, &DeviceRecord::name);
  if (known != environment.devices.end()) return *known;
  DeviceRecord unknown;
  unknown.name = name;
  return unknown;
}

/// What a run and a table of operations tell alike.
template <class Record>
Contender contender_of(const Record& record, const std::string& file, const std::string& device) {
  Contender contender;
  contender.file = file;
  contender.host = record.environment.host;
  contender.device = device_named(record.environment, device);
  contender.libtorch_version = record.environment.libtorch_version;
  contender.allocator = record.environment.allocator;
  contender.threads = record.environment.threads;
  contender.started_at = record.tool.started_at;
  if (record.published) {
    contender.publication = record.published->title;
    contender.publication_protocol = record.published->protocol;
    contender.publication_note = record.published->note;
  }
  return contender;
}

/// The rows under their devices.
template <class Record>
std::vector<Contender> by_device(const Record& record, const std::string& file,
                                 std::vector<RowFigures> rows) {
  std::vector<Contender> contenders;
  for (RowFigures& row : rows) {
    const std::string& device = row.identity.at("device");
    auto contender =
        std::ranges::find_if(contenders, [&](const auto& one) { return one.device.name == device; });
    if (contender == contenders.end())
      contender = contenders.insert(contender, contender_of(record, file, device));
    contender->rows.push_back(std::move(row));
  }
  return contenders;
}

}  // namespace

std::vector<Contender> contenders_of(const RunRecord& run, const std::string& file, Intervals intervals) {
  std::vector<Contender> contenders = by_device(run, file, rows_of(run, intervals));
  for (Contender& contender : contenders) contender.isolation = run.plan.isolation;
  return contenders;
}

std::vector<Contender> contenders_of(const OpsRecord& ops, const std::string& file) {
  std::vector<Contender> contenders = by_device(ops, file, rows_of(ops));
  for (Contender& contender : contenders)
    contender.call_protocol = ops.published ? "" : ops.settings.protocol;
  return contenders;
}

std::vector<ContenderRow> rows_of(const std::vector<Contender>& contenders) {
  std::vector<ContenderRow> rows;
  for (const Contender& contender : contenders) {
    for (const RowFigures& figures : contender.rows) rows.push_back({&contender, &figures});
  }
  return rows;
}

std::vector<RowIdentity> identities_of(const std::vector<Contender>& contenders) {
  return mapped(rows_of(contenders),
                [](const ContenderRow& row) { return row.figures->identity.without({"device"}); });
}

bool is_cpu(const Contender& contender) {
  if (contender.publication.empty()) return contender.device.name == "cpu";
  std::istringstream words(contender.device.name);
  return std::find(std::istream_iterator<std::string>(words), {}, "CPU") !=
         std::istream_iterator<std::string>();
}

bool is_of_same_file(const Contender& left, const Contender& right) {
  return left.file == right.file && left.started_at == right.started_at;
}

std::size_t count_of_good(const Contender& contender) {
  return static_cast<std::size_t>(std::ranges::count(contender.rows, true, &RowFigures::is_ok));
}

std::string description_of(const Contender& contender) {
  const DeviceRecord& device = contender.device;
  if (!contender.publication.empty()) return fmt::format("{}, published", device.name);
  const std::string model = device.model.empty() ? "" : fmt::format(" ({})", device.model);
  return contender.host.empty() ? device.name + model
                                : fmt::format("{}, {}{}", contender.host, device.name, model);
}

std::string named(const Contender& contender) {
  return fmt::format("{} ({})", contender.label, description_of(contender));
}

}  // namespace gpubench
