#include "gpubench/record/field_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "gpubench/record/run_record.h"
#include "support/catch.h"
#include "support/sample_energy.h"
#include "support/sample_runs.h"

namespace gpubench::test::field_table_test {
namespace {

/// A field of any table.
struct Row {
  std::string table;
  std::string key;
  std::string unit;
  std::string label;
  std::string help;
  std::string group;
  Values values;
};

template <class Record>
void add_rows(std::vector<Row>& rows, const std::string& table, const FieldTable<Record>& fields) {
  for (const Field<Record>& field : fields) {
    rows.push_back({table, field.key, field.unit, field.label, field.help, field.group, field.values});
  }
}

std::vector<Row> all_rows() {
  std::vector<Row> rows;
  add_rows(rows, "case", case_fields());
  add_rows(rows, "energy", energy_fields());
  add_rows(rows, "phase", phase_fields());
  add_rows(rows, "warning", warning_fields());
  add_rows(rows, "tool", tool_fields());
  add_rows(rows, "plan", plan_fields());
  add_rows(rows, "environment", environment_fields());
  add_rows(rows, "device", device_fields());
  add_rows(rows, "dataset", dataset_fields());
  add_rows(rows, "data file", data_file_fields());
  add_rows(rows, "published", published_fields());
  add_rows(rows, "operation", op_fields());
  return rows;
}

void set(CaseRecord& record, const std::string& key, const FieldValue& value) {
  for (const auto& field : case_fields()) {
    if (field.key == key) return field.set(record, value);
  }
  FAIL("missing field: " << key);
}

bool is_lower_snake_case(const std::string& key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

TEST_CASE("keys are unique in each table") {
  std::set<std::string> seen;
  for (const Row& row : all_rows()) {
    INFO(row.table << ": " << row.key);
    CHECK(seen.insert(row.table + ": " + row.key).second);
  }
}

TEST_CASE("keys are in lower snake case and distinct from keys of reasons") {
  std::set<std::string> keys;
  for (const Row& row : all_rows()) keys.insert(row.table + ": " + row.key);
  for (const Row& row : all_rows()) {
    INFO(row.table << ": " << row.key);
    CHECK(is_lower_snake_case(row.key));
    CHECK(row.key != "missing");
    CHECK(keys.count(row.table + ": " + row.key + "_reason") == 0);
    CHECK_FALSE(row.label.empty());
  }
}

TEST_CASE("every help text is a sentence that fits a Markdown table") {
  for (const Row& row : all_rows()) {
    INFO(row.table << ": " << row.key);
    CHECK(row.help.ends_with('.'));
    CHECK(row.help.find_first_of("|\n") == std::string::npos);
  }
}

TEST_CASE("a group has several fields that may be missing, and no field has its name") {
  std::map<std::string, int> sizes;
  std::set<std::string> keys;
  for (const Row& row : all_rows()) {
    if (row.values.may_be_absent) keys.insert(row.table + ": " + row.key);
    if (!row.group.empty()) ++sizes[row.table + ": " + row.group];
    INFO(row.table << ": " << row.key);
    CHECK((row.group.empty() || row.values.may_be_absent));
  }
  for (const auto& [group, size] : sizes) {
    INFO(group);
    CHECK(size > 1);
    CHECK(keys.count(group) == 0);
  }
}

TEST_CASE("the values of a field have the kind of its table") {
  const auto check = [](const auto& fields, const auto& record) {
    for (const auto& field : fields) {
      INFO(field.key);
      const FieldValue value = field.get(record);
      // Missing is the first alternative of FieldValue, before the kinds.
      const bool is_kind = value.index() == static_cast<std::size_t>(field.values.kind) + 1;
      CHECK((is_kind || (field.values.may_be_absent && std::holds_alternative<Missing>(value))));
      if (is_kind && !field.values.names.empty()) {
        const auto& names = field.values.names;
        CHECK(std::find(names.begin(), names.end(), std::get<std::string>(value)) != names.end());
      }
    }
  };
  for (const CaseRecord& record : {finished_case(), failed_case(), fit_case(), CaseRecord{}}) {
    check(case_fields(), record);
  }
  for (const EnergyRecord& record : two_sources()) check(energy_fields(), record);
  const RunRecord run = mixed_run();
  check(tool_fields(), run.tool);
  check(plan_fields(), run.plan);
  check(environment_fields(), run.environment);
  for (const DeviceRecord& device : run.environment.devices) check(device_fields(), device);
  check(op_fields(), OpRecord{});
}

TEST_CASE("a key ends with the unit of the field") {
  for (const Row& row : all_rows()) {
    INFO(row.table << ": " << row.key << " in " << row.unit);
    CHECK((row.unit == "s") == row.key.ends_with("_seconds"));
    CHECK((row.unit == "B") == row.key.ends_with("_bytes"));
    CHECK(row.unit.ends_with("/s") == row.key.ends_with("_per_second"));
  }
}

TEST_CASE("fields in tables are scalars") {
  for (const auto& field : case_fields()) {
    if (field.shown == Shown::kInFile) continue;
    INFO(field.key);
    const FieldValue value = field.get(finished_case());
    // Figures of other kinds of networks are missing.
    const bool may_be_absent = field.shown == Shown::kInTableIfUnusual;
    CHECK((std::holds_alternative<std::string>(value) || std::holds_alternative<std::int64_t>(value) ||
           std::holds_alternative<double>(value) ||
           (may_be_absent && std::holds_alternative<Missing>(value))));
  }
}

TEST_CASE("setting a missing value keeps the reason, gives NaN, or throws") {
  CaseRecord record = fit_case();
  set(record, "setup_seconds", missing("no clock"));
  set(record, "learning_rate", missing("not a finite number"));
  CHECK(record.setup.reason() == "no clock");
  CHECK(std::isnan(record.learning_rate));
  CHECK_THROWS_WITH(set(record, "batch_size", missing("lost")), "expected a value");
}

}  // namespace gpubench::test::field_table_test
