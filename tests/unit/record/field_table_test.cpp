#include "gpubench/record/field_table.h"

#include <algorithm>
#include <set>

#include "support/catch.h"
#include "support/sample_runs.h"

namespace gpubench::test {
namespace {

/// What a rule about all tables needs to know of a field.
struct Row {
  std::string table;
  std::string key;
  std::string unit;
  std::string label;
};

template <class Record>
void add_rows(std::vector<Row>& rows, const std::string& table, std::span<const Field<Record>> fields) {
  for (const Field<Record>& field : fields) rows.push_back({table, field.key, field.unit, field.label});
}

std::vector<Row> all_rows() {
  std::vector<Row> rows;
  add_rows(rows, "case", case_fields());
  add_rows(rows, "tool", tool_fields());
  add_rows(rows, "environment", environment_fields());
  add_rows(rows, "device", device_fields());
  add_rows(rows, "dataset", dataset_fields());
  add_rows(rows, "data file", data_file_fields());
  return rows;
}

FieldValue case_value(const CaseRecord& record, const std::string& key) {
  for (const auto& field : case_fields()) {
    if (field.key == key) return field.get(record);
  }
  FAIL("there is no field " << key);
  return {};
}

bool is_lower_snake_case(const std::string& key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

TEST_CASE("no key is in a table twice") {
  std::set<std::string> seen;
  for (const Row& row : all_rows()) {
    INFO(row.table << ": " << row.key);
    CHECK(seen.insert(row.table + ": " + row.key).second);
  }
}

TEST_CASE("keys are lower case words, and none is taken for a reason") {
  for (const Row& row : all_rows()) {
    INFO(row.table << ": " << row.key);
    CHECK(is_lower_snake_case(row.key));
    CHECK_FALSE(row.key.ends_with("_reason"));
    CHECK_FALSE(row.label.empty());
  }
}

TEST_CASE("a key ends with its unit, and only then") {
  for (const Row& row : all_rows()) {
    INFO(row.table << ": " << row.key << " in " << row.unit);
    CHECK((row.unit == "s") == row.key.ends_with("_seconds"));
    CHECK((row.unit == "B") == row.key.ends_with("_bytes"));
    CHECK((row.unit == "samples/s") == row.key.ends_with("_per_second"));
  }
}

TEST_CASE("fields for the table are no lists") {
  for (const auto& field : case_fields()) {
    if (field.shown == Shown::kInFile) continue;
    INFO(field.key);
    const FieldValue value = field.get(finished_case());
    CHECK((std::holds_alternative<std::string>(value) || std::holds_alternative<std::int64_t>(value) ||
           std::holds_alternative<double>(value)));
  }
}

TEST_CASE("the fields of a case are read from where they belong") {
  const CaseRecord record = finished_case();
  CHECK(std::get<std::string>(case_value(record, "model")) == "mlp");
  CHECK(std::get<std::int64_t>(case_value(record, "batch")) == 128);
  CHECK(std::get<std::int64_t>(case_value(record, "seed")) == 42);
  CHECK(std::get<std::string>(case_value(record, "status")) == "ok");
  CHECK(std::get<std::vector<double>>(case_value(record, "epoch_seconds")) == record.epoch_seconds);
  CHECK(std::get<double>(case_value(record, "first_epoch_seconds")) == approx(0.8));
  CHECK(std::get<double>(case_value(record, "min_epoch_seconds")) == approx(0.48));
  CHECK(std::get<double>(case_value(record, "max_epoch_seconds")) == approx(0.52));
  CHECK(std::get<double>(case_value(record, "accuracy")) == approx(0.8763));
}

TEST_CASE("what failed is in the status message, and only there") {
  CHECK_THAT(std::get<std::string>(case_value(failed_case(), "status_message")), contains_text("6.0 GiB"));
  CHECK(std::holds_alternative<Absent>(case_value(finished_case(), "status_message")));
}

TEST_CASE("every status has its own name") {
  std::set<std::string> names;
  for (const CaseStatus status : {CaseStatus::kOk, CaseStatus::kOutOfMemory, CaseStatus::kUnsupported,
                                  CaseStatus::kError, CaseStatus::kDiverged}) {
    names.insert(to_string(status));
  }
  CHECK(names == std::set<std::string>{"ok", "oom", "unsupported", "error", "diverged"});
}

}  // namespace gpubench::test
