#include "compare/contender.h"

#include <functional>
#include <iterator>
#include <sstream>

#include <fmt/format.h>

#include "gpubench/record/derived.h"

namespace gpubench {
namespace {

using Positions = std::vector<std::size_t>;

/// The checksums of the files, so that equal data has equal text.
std::string digest_of(const RunRecord& run, const CaseRecord& record) {
  if (record.is_synthetic) return "synthetic";
  std::string digest;
  for (const DatasetRecord& dataset : run.environment.datasets) {
    if (dataset.name != record.dataset) continue;
    for (const DataFileRecord& file : dataset.files) digest += file.sha256.substr(0, 8);
  }
  return digest;
}

void describe(const RunRecord& run, const CaseRecord& record, RowFigures& figures) {
  figures.execution_used = record.execution_used.has_value() ? record.execution_used.value() : "";
  figures.layout_used = record.layout_used.has_value() ? record.layout_used.value() : "";
  figures.optimizer = record.optimizer;
  figures.dataset_digest = digest_of(run, record);
  figures.epochs = static_cast<std::int64_t>(record.epoch_seconds.size());
  figures.is_last_batch_dropped = record.is_last_batch_dropped;
  figures.status_reason = record.status_reason;
}

/// Repetitions of a row, those that ended well, and the one that stands for all.
template <class Record>
struct Repetitions {
  Repetitions(const std::vector<Record>& records, const Positions& positions)
      : typical(records[positions.front()]) {
    for (const std::size_t i : positions) {
      has_warnings = has_warnings || !records[i].warnings.empty();
      if (records[i].status == RowStatus::kOk) good.push_back(&records[i]);
    }
    if (!good.empty()) typical = *good.front();
    failures = positions.size() - good.size();
  }

  /// What is known of a row of any kind.
  RowFigures figures() const {
    RowFigures row{identity_of(typical.get())};
    row.has_warnings = has_warnings;
    row.is_ok = !good.empty();
    row.status = to_string(typical.get().status);
    row.processes = static_cast<std::int64_t>(good.size());
    row.failures = static_cast<std::int64_t>(failures);
    return row;
  }

  std::reference_wrapper<const Record> typical;
  std::vector<const Record*> good;
  bool has_warnings = false;
  std::size_t failures = 0;
};

RowFigures figures_of(const RunRecord& run, const Positions& positions, Intervals intervals) {
  const Repetitions<CaseRecord> repetitions(run.cases, positions);
  RowFigures figures = repetitions.figures();
  describe(run, repetitions.typical, figures);
  if (repetitions.good.empty()) {
    const Absent why = absent("the case ended as " + figures.status);
    figures.startup_seconds = figures.peak_bytes = figures.accuracy = why;
    figures.seconds = figures.epoch_joules = why;
    return figures;
  }
  measure_cases(repetitions.good, intervals, figures);
  if (run.published) {
    state_energy(run, positions.front(), figures);
  } else {
    measure_energy(repetitions.good, intervals, figures);
  }
  return figures;
}

RowFigures figures_of(const OpsRecord& ops, const Positions& positions) {
  const Repetitions<OpRecord> repetitions(ops.rows, positions);
  const OpRecord& typical = repetitions.typical;
  RowFigures figures = repetitions.figures();
  figures.status_reason = typical.status_reason;
  figures.startup_seconds = figures.peak_bytes = figures.accuracy = absent("operations have none");
  figures.epoch_joules = absent("energy was not measured");
  std::vector<std::span<const double>> times;
  for (const OpRecord* row : repetitions.good) {
    if (usable_time(*row).has_value()) times.emplace_back(row->call_seconds);
  }
  if (times.empty()) {
    figures.seconds = absent(usable_time(typical).reason());
  } else {
    measure_time(times, Intervals::kComputed, figures);
  }
  return figures;
}

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
        std::ranges::find(contenders, device, [](const Contender& known) { return known.device.name; });
    if (contender == contenders.end())
      contender = contenders.insert(contender, contender_of(record, file, device));
    contender->rows.push_back(std::move(row));
  }
  return contenders;
}

}  // namespace

std::vector<RowFigures> rows_of(const RunRecord& run, Intervals intervals) {
  std::vector<RowFigures> rows;
  for (const Positions& positions : repeats_of(identities_of(run.cases)))
    rows.push_back(figures_of(run, positions, intervals));
  return rows;
}

std::vector<RowFigures> rows_of(const OpsRecord& ops) {
  std::vector<RowFigures> rows;
  for (const Positions& positions : repeats_of(identities_of(ops.rows)))
    rows.push_back(figures_of(ops, positions));
  return rows;
}

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

Reading<Estimate> usable_time(const OpRecord& row) {
  const std::string why = row.status_reason.empty() ? "" : ": " + row.status_reason;
  if (row.status != RowStatus::kOk) return absent(to_string(row.status) + why);
  if (row.call_seconds.empty() && !row.status_reason.empty()) return absent(row.status_reason);
  const Reading<Estimate> time = call_time(row);
  if (time.has_value() && time.value().value <= 0) return absent("the time is zero");
  return time;
}

std::vector<ContenderRow> rows_of(const std::vector<Contender>& contenders) {
  std::vector<ContenderRow> rows;
  for (const Contender& contender : contenders) {
    for (const RowFigures& figures : contender.rows) rows.push_back({&contender, &figures});
  }
  return rows;
}

std::vector<RowIdentity> identities_of(const std::vector<Contender>& contenders) {
  std::vector<RowIdentity> identities;
  for (const ContenderRow& row : rows_of(contenders))
    identities.push_back(row.figures->identity.without({"device"}));
  return identities;
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
