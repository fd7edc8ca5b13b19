#include "gpubench/record/edit.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/record/row_identity.h"
#include "record/record_parts.h"

namespace gpubench {
namespace {

void require_same(const NamedRun& first, const NamedRun& other, const std::string& key,
                  const std::string& expected, const std::string& found) {
  if (expected == found) return;
  throw Error(ErrorKind::kData, "{}: {} is '{}', but '{}' in {}; merge runs of one machine", other.name, key,
              found, expected, first.name);
}

void require_same_machine(const NamedRun& first, const NamedRun& other) {
  const Environment& expected = first.run.environment;
  const Environment& found = other.run.environment;
  require_same(first, other, "environment.host", expected.host, found.host);
  require_same(first, other, "environment.cpu", expected.cpu, found.cpu);
  require_same(first, other, "environment.libtorch_version", expected.libtorch_version,
               found.libtorch_version);
}

void unite_devices(const NamedRun& first, Environment& whole, const NamedRun& other) {
  if (whole.visible_devices != other.run.environment.visible_devices)
    whole.visible_devices = missing("it differed between the runs that were merged");
  for (const DeviceRecord& device : other.run.environment.devices) {
    const auto known = std::ranges::find(whole.devices, device.name, &DeviceRecord::name);
    if (known == whole.devices.end()) {
      whole.devices.push_back(device);
    } else {
      require_same(first, other, "the model of device " + device.name, known->model, device.model);
      // No identity stands for two GPUs of one name, nor do the numbers that variables give them.
      if (known->uuid != device.uuid || known->pci_address != device.pci_address)
        known->uuid = known->pci_address = whole.visible_devices =
            missing("runs of several GPUs were merged");
    }
  }
}

void unite_plans(PlanRecord& whole, const PlanRecord& other, std::vector<std::string>& suites) {
  if (whole.alternation != other.alternation || whole.side != other.side)
    whole.alternation = whole.side = missing("the run was merged from several sides");
  if (other.suite.empty() || std::ranges::find(suites, other.suite) != suites.end()) return;
  suites.push_back(other.suite);
  whole.suite += (whole.suite.empty() ? "" : "+") + other.suite;
}

/// ISO 8601 in UTC sorts as text.
void unite_times(ToolRecord& whole, const ToolRecord& other) {
  whole.started_at = std::min(whole.started_at, other.started_at);
  whole.finished_at = whole.finished_at.then([&](const std::string& end) {
    return other.finished_at.then([&](const std::string& its_end) { return std::max(end, its_end); });
  });
}

/// A measurement that is in several files is one all the same: its row began when it did, and took so long.
using Measurement = std::tuple<RowIdentity, std::string, std::vector<double>>;

void require_new(const NamedRun& run, std::set<Measurement>& known) {
  for (const CaseRecord& c : run.run.cases) {
    if (c.epoch_seconds.empty() || !c.started_at.has_value()) continue;
    if (!known.insert({make_identity(c), c.started_at.value(), c.epoch_seconds}).second)
      throw Error(ErrorKind::kData, "{}: {} in it is in a file before it too; merge each measurement once",
                  run.name, make_name(make_identity(c)));
  }
}

constexpr const char* kRemoved = "removed";

template <class Record>
void remove_text(Record& record, const Field<Record>& field) {
  const FieldValue removed = missing(kRemoved);
  if (field.values.may_be_absent) field.set(record, removed);
  if (field.get(record) == removed) return;
  const bool may_be_empty = !field.values.least && field.values.pattern.empty();
  field.set(record, may_be_empty ? std::string() : std::string(kRemoved));
}

/// Returns whether a present value changed.
template <class Record>
bool redact_field(Record& record, const Field<Record>& field) {
  const FieldValue value = field.get(record);
  if (std::holds_alternative<Missing>(value)) {
    // A reason that every empty record has says nothing.
    static const Record empty{};
    if (value != field.get(empty)) field.set(record, missing(kRemoved));
    return false;
  }
  if (field.values.is_own_word) return false;
  if (const auto* text = std::get_if<std::string>(&value); text && !text->empty()) {
    remove_text(record, field);
  } else if (std::holds_alternative<std::vector<std::string>>(value)) {
    field.set(record, std::vector<std::string>());
  } else if (const auto* warnings = std::get_if<std::vector<Warning>>(&value)) {
    field.set(record, mapped(*warnings, [](const Warning& warning) {
                return Warning{warning.kind, warning.figure, warning.kind};
              }));
  }
  return field.get(record) != value;
}

template <class Record>
void redact_record(Record& record, const FieldTable<Record>& fields, std::vector<std::string>& removed) {
  for (const Field<Record>& field : fields) {
    if (field.set && redact_field(record, field)) add_once(removed, field.key);
  }
  visit_lists(record, [&](const char* /*key*/, auto& list, const auto& its_fields) {
    for (auto& item : list) redact_record(item, its_fields, removed);
  });
}

template <class Run>
std::vector<std::string> redact_all(Run& run) {
  std::vector<std::string> removed;
  visit_parts(run, [&](const char* /*key*/, auto& part, const auto& fields) {
    redact_record(part, fields, removed);
  });
  if constexpr (requires { run.published; }) {
    if (run.published) redact_record(*run.published, published_fields(), removed);
  }
  visit_rows(run, [&](auto& rows, const auto& fields) {
    for (auto& row : rows) redact_record(row, fields, removed);
  });
  return removed;
}

}  // namespace

RunRecord merged(const std::vector<NamedRun>& runs) {
  RunRecord whole = runs.front().run;
  whole.plan.budget = missing("the run was merged from several");
  std::vector<std::string> suites{whole.plan.suite};
  std::set<Measurement> known;
  for (const NamedRun& other : runs) {
    if (other.run.published) {
      throw Error(ErrorKind::kData, "{}: holds published figures, which no machine here measured",
                  other.name);
    }
    require_new(other, known);
    if (&other == &runs.front()) continue;
    require_same_machine(runs.front(), other);
    unite_devices(runs.front(), whole.environment, other);
    // Two datasets of one name are both kept where they differ: one may be a stand-in of the other.
    for (const DatasetRecord& dataset : other.run.environment.datasets)
      add_once(whole.environment.datasets, dataset);
    unite_plans(whole.plan, other.run.plan, suites);
    unite_times(whole.tool, other.run.tool);
    append(whole.cases, other.run.cases);
  }
  for (const std::vector<std::size_t>& positions : group_repeats(make_identities(whole.cases))) {
    for (std::size_t i = 0; i < positions.size(); ++i)
      whole.cases[positions[i]].repeat = static_cast<std::int64_t>(i + 1);
  }
  return whole;
}

std::vector<std::string> redact(RunRecord& run) { return redact_all(run); }
std::vector<std::string> redact(SelftestRecord& selftest) { return redact_all(selftest); }

}  // namespace gpubench
