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
  contender.gpubench_version = record.tool.version;
  if (record.tool.git_commit.has_value()) contender.gpubench_commit = record.tool.git_commit.value();
  contender.libtorch_version = record.environment.libtorch_version;
  contender.libtorch_build = record.environment.libtorch_build;
  contender.allocator = record.environment.allocator;
  contender.threads = record.environment.threads;
  contender.wait_policy = record.environment.wait_policy;
  contender.available_cores = record.environment.available_cores;
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

/// Of the rows that are the contender's.
void add_starts(const std::vector<CaseRecord>& rows, Contender& contender) {
  for (const CaseRecord& row : rows) {
    if (row.device != contender.device.name || !row.started_at.has_value()) continue;
    const std::string& start = row.started_at.value();
    if (contender.first_start.empty() || start < contender.first_start) contender.first_start = start;
    contender.last_start = std::max(contender.last_start, start);
  }
}

/// Over all epochs of the contender's rows for which a meter of its device told it.
void add_power_limit(const std::vector<CaseRecord>& rows, Contender& contender) {
  std::vector<double> watts;
  for (const CaseRecord& row : rows) {
    if (row.device != contender.device.name) continue;
    for (const EnergyRecord& source : row.energy) {
      if (source.device == row.device) append(watts, source.epoch_limit_watts);
    }
  }
  std::erase_if(watts, [](double limit) { return !(limit > 0); });
  if (watts.empty()) return;
  const auto [least, most] = std::ranges::minmax(watts);
  contender.power_limit =
      least == most ? fmt::format("{:.0f} W", least) : fmt::format("{:.0f} to {:.0f} W", least, most);
}

}  // namespace

std::vector<Contender> contenders_of(const RunRecord& run, const std::string& file) {
  std::vector<Contender> contenders = by_device(run, file, rows_of(run));
  for (Contender& contender : contenders) {
    contender.isolation = run.plan.isolation;
    if (run.plan.alternation.has_value()) contender.alternation = run.plan.alternation.value();
    if (run.plan.side.has_value()) contender.side = run.plan.side.value();
    contender.scaling = scaling_of(run);
    std::erase_if(contender.scaling,
                  [&](const ScalingRow& row) { return row.identity.at("device") != contender.device.name; });
    add_starts(run.cases, contender);
    add_power_limit(run.cases, contender);
  }
  return contenders;
}

std::vector<Contender> contenders_of(const OpsRecord& ops, const std::string& file) {
  std::vector<Contender> contenders = by_device(ops, file, rows_of(ops));
  for (Contender& contender : contenders) {
    contender.call_protocol = ops.published ? "" : ops.settings.protocol;
    if (!ops.tool.finished_at.has_value()) continue;
    contender.first_start = ops.tool.started_at;
    contender.last_start = ops.tool.finished_at.value();
  }
  return contenders;
}

bool is_before(const Contender& early, const Contender& late) {
  if (early.first_start.empty() || late.first_start.empty()) return false;
  // One may end in the second in which the other begins.
  return early.last_start <= late.first_start && early.first_start < late.last_start;
}

Measuring measuring_of(const Contender& left, const Contender& right) {
  if (are_in_alternation(left, right)) return Measuring::kAlternation;
  if (is_of_same_file(left, right)) return Measuring::kMixed;
  if (left.host != right.host) return Measuring::kApart;
  return is_before(left, right) || is_before(right, left) ? Measuring::kApart : Measuring::kMixed;
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
  return left.file == right.file && left.started_at == right.started_at && left.side == right.side;
}

bool are_in_alternation(const Contender& left, const Contender& right) {
  return !left.alternation.empty() && left.alternation == right.alternation && left.side != right.side;
}

bool have_one_sensor(const ContenderRow& left, const ContenderRow& right) {
  return left.contender->device.model == right.contender->device.model &&
         left.figures->energy.meter == right.figures->energy.meter;
}

std::size_t count_of_good(const Contender& contender) {
  return static_cast<std::size_t>(std::ranges::count(contender.rows, true, &RowFigures::is_ok));
}

std::string device_text(const Contender& contender) {
  const DeviceRecord& device = contender.device;
  if (!contender.publication.empty()) return fmt::format("{}, published", device.name);
  const std::string model = device.model.empty() ? "" : fmt::format(" ({})", device.model);
  const std::string host = contender.host.empty() ? "" : contender.host + ", ";
  return host + device.name + model;
}

std::string description_of(const Contender& contender) {
  const std::string& distinction = contender.distinction;
  return device_text(contender) + (distinction.empty() ? "" : ", " + distinction);
}

std::string named(const Contender& contender) {
  return fmt::format("{} ({})", contender.label, description_of(contender));
}

}  // namespace gpubench
