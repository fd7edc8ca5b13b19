#include "gpubench/record/field_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "gpubench/core/error.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/ops_record.h"
#include "support/catch.h"
#include "support/sample_energy.h"
#include "support/sample_runs.h"

namespace gpubench::test {
namespace {

/// What a rule about all tables needs to know of a field.
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
  add_rows(rows, "repeat", repeat_fields());
  add_rows(rows, "tool", tool_fields());
  add_rows(rows, "plan", plan_fields());
  add_rows(rows, "environment", environment_fields());
  add_rows(rows, "device", device_fields());
  add_rows(rows, "dataset", dataset_fields());
  add_rows(rows, "data file", data_file_fields());
  add_rows(rows, "published", published_fields());
  add_rows(rows, "operation", op_fields());
  add_rows(rows, "settings", ops_settings_fields());
  return rows;
}

FieldValue case_value(const CaseRecord& record, const std::string& key) {
  for (const auto& field : case_fields()) {
    if (field.key == key) return field.get(record);
  }
  FAIL("there is no field " << key);
  return {};
}

void set(CaseRecord& record, const std::string& key, const FieldValue& value) {
  for (const auto& field : case_fields()) {
    if (field.key == key) return field.set(record, value);
  }
  FAIL("there is no field " << key);
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

TEST_CASE("keys are lower case words, and none is taken for the reason of another") {
  std::set<std::string> keys;
  for (const Row& row : all_rows()) keys.insert(row.table + ": " + row.key);
  for (const Row& row : all_rows()) {
    INFO(row.table << ": " << row.key);
    CHECK(is_lower_snake_case(row.key));
    CHECK(row.key != "absent");
    CHECK(keys.count(row.table + ": " + row.key + "_reason") == 0);
    CHECK_FALSE(row.label.empty());
  }
}

TEST_CASE("every field says what it is, in sentences that fit into a table") {
  for (const Row& row : all_rows()) {
    INFO(row.table << ": " << row.key);
    CHECK(row.help.ends_with('.'));
    CHECK(row.help.find_first_of("|\n") == std::string::npos);
  }
}

TEST_CASE("a group has several fields, all of which may be absent, and the name of none of them") {
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

TEST_CASE("what a field has is of the kind that its table says") {
  const auto check = [](const auto& fields, const auto& record) {
    for (const auto& field : fields) {
      INFO(field.key);
      const FieldValue value = field.get(record);
      // The kinds are in the order of the values, after the absent one.
      const bool is_kind = value.index() == static_cast<std::size_t>(field.values.kind) + 1;
      CHECK((is_kind || (field.values.may_be_absent && std::holds_alternative<Absent>(value))));
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
  for (const RepeatGroup& group : repeat_groups(eventful_run())) check(repeat_fields(), group);
  check(op_fields(), OpRecord{});
}

TEST_CASE("a key ends with its unit, and only then") {
  for (const Row& row : all_rows()) {
    INFO(row.table << ": " << row.key << " in " << row.unit);
    CHECK((row.unit == "s") == row.key.ends_with("_seconds"));
    CHECK((row.unit == "B") == row.key.ends_with("_bytes"));
    CHECK(row.unit.ends_with("/s") == row.key.ends_with("_per_second"));
  }
}

TEST_CASE("fields for the table are no lists") {
  for (const auto& field : case_fields()) {
    if (field.shown == Shown::kInFile) continue;
    INFO(field.key);
    const FieldValue value = field.get(finished_case());
    // Figures of other kinds of networks are absent here.
    const bool may_be_absent = field.shown == Shown::kInTableWhereUnusual;
    CHECK((std::holds_alternative<std::string>(value) || std::holds_alternative<std::int64_t>(value) ||
           std::holds_alternative<double>(value) ||
           (may_be_absent && std::holds_alternative<Absent>(value))));
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

TEST_CASE("every raw field can be put back, and no derived one") {
  const std::set<std::string> derived = {"startup_seconds",
                                         "first_epoch_seconds",
                                         "median_epoch_seconds",
                                         "median_epoch_low_seconds",
                                         "median_epoch_high_seconds",
                                         "median_epoch_halfwidth",
                                         "mad_epoch_seconds",
                                         "mean_epoch_seconds",
                                         "stddev_epoch_seconds",
                                         "epoch_variation",
                                         "min_epoch_seconds",
                                         "max_epoch_seconds",
                                         "outlier_epochs",
                                         "steady",
                                         "epoch_slope",
                                         "p50_step_seconds",
                                         "p99_step_seconds",
                                         "fit_seconds",
                                         "samples_per_second",
                                         "tokens_per_second",
                                         "rank_batch",
                                         "communication_share",
                                         "median_imbalance",
                                         "accuracy",
                                         "perplexity",
                                         "elbo",
                                         "discriminator_loss",
                                         "generator_loss",
                                         "final_loss",
                                         "energy_scope",
                                         "mean_epoch_joules",
                                         "net_epoch_joules",
                                         "joules_per_1000_samples",
                                         "mean_watts",
                                         "peak_watts",
                                         "burst_samples_per_second",
                                         "sustained_samples_per_second",
                                         "sustained_share",
                                         "slowing_onset_seconds",
                                         "flops_per_second",
                                         "mfu",
                                         "compute_share",
                                         "memory_share",
                                         "launch_share",
                                         "input_share",
                                         "bound",
                                         "unexplained_share",
                                         "likely_cause"};
  for (const auto& field : case_fields()) {
    INFO(field.key);
    CHECK((field.set == nullptr) == (derived.count(field.key) == 1));
  }
  for (const auto& field : repeat_fields()) CHECK(field.set == nullptr);
}

TEST_CASE("what is put back into a case reads as it was") {
  for (const CaseRecord& record : {finished_case(), failed_case(), fit_case()}) {
    CaseRecord copy;
    for (const auto& field : case_fields()) {
      if (field.set) field.set(copy, field.get(record));
    }
    CHECK(copy.status == record.status);
    CHECK(copy.batch_size == record.batch_size);
    CHECK(copy.protocol == record.protocol);
    CHECK(copy.target_halfwidth == record.target_halfwidth);
    CHECK(copy.timeline == record.timeline);
    CHECK(copy.validation_history == record.validation_history);
    CHECK(copy.test == record.test);
    CHECK(copy.peak_device == record.peak_device);
    CHECK(copy.min_timed == record.min_timed);
    CHECK(copy.clock_start == record.clock_start);
  }
}

TEST_CASE("every field of a source of power can be put back, and reads as it was") {
  for (const EnergyRecord& record : two_sources()) {
    EnergyRecord copy;
    for (const auto& field : energy_fields()) field.set(copy, field.get(record));
    CHECK(copy == record);
  }
}

TEST_CASE("an unknown scope or method is refused with those that are known") {
  EnergyRecord record;
  for (const auto& field : energy_fields()) {
    if (field.key != "scope" && field.key != "method") continue;
    CHECK_THROWS_WITH(field.set(record, std::string("guess")), contains_text("'guess'"));
  }
}

TEST_CASE("a whole number is put where a double is held, and nowhere a fraction where a count is") {
  CaseRecord record;
  set(record, "learning_rate", std::int64_t{1});
  set(record, "setup_seconds", std::int64_t{2});
  CHECK(record.learning_rate == 1.0);
  CHECK(record.setup.value() == Seconds{2});
  CHECK_THROWS_WITH(set(record, "batch", 1.5), "a whole number is expected");
}

TEST_CASE("an absent value is put with its reason, and is not a number where nothing can be absent") {
  CaseRecord record = fit_case();
  set(record, "setup_seconds", absent("no clock"));
  set(record, "learning_rate", absent("not a finite number"));
  CHECK(record.setup.reason() == "no clock");
  CHECK(std::isnan(record.learning_rate));
  CHECK_THROWS_WITH(set(record, "batch", absent("lost")), "a number is expected");
}

TEST_CASE("an empty list is one of any kind") {
  CaseRecord record = fit_case();
  for (const std::string key : {"timeline", "warnings", "epoch_seconds"}) {
    set(record, key, std::vector<double>());
  }
  CHECK(record.timeline.empty());
  CHECK(record.warnings.empty());
  CHECK(record.epoch_seconds.empty());
}

TEST_CASE("a value of another kind is a data error that says what is expected") {
  CaseRecord record;
  CHECK_THROWS_WITH(set(record, "batch", std::string("128")), "a number is expected");
  CHECK_THROWS_WITH(set(record, "synthetic", std::int64_t{1}), "true or false is expected");
  CHECK_THROWS_WITH(set(record, "model", true), "text is expected");
  CHECK_THROWS_WITH(set(record, "warnings", std::string("hot")), "a list of objects is expected");
  CHECK_THROWS_WITH(set(record, "timeline", std::vector<double>{1}), "a list of objects is expected");
  CHECK_THROWS_WITH(set(record, "training", std::vector<double>()),
                    "an object of lists of numbers is expected");
  CHECK_THROWS_WITH(set(record, "peak_host_bytes", std::string("1 GiB")), "a number is expected");
  try {
    set(record, "protocol", std::string("fitt"));
    FAIL("an unknown protocol was taken");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kData);
  }
}

TEST_CASE("every status has a name of its own and is found by it") {
  const std::vector<std::string> names = {"ok",      "oom",     "unsupported", "error",       "diverged",
                                          "timeout", "crashed", "skipped",     "interrupted", "invalid"};
  for (const std::string& name : names) CHECK(to_string(value_named<RowStatus>(name)) == name);
  std::set<RowStatus> statuses;
  for (const std::string& name : names) statuses.insert(value_named<RowStatus>(name));
  CHECK(statuses.size() == names.size());
  CHECK_THROWS_WITH(value_named<RowStatus>("skiped"), contains_text("did you mean 'skipped'?"));
}

TEST_CASE("a protocol is found by its name, and a mistyped one is a usage error") {
  CHECK(value_named<Protocol>("epoch") == Protocol::kEpoch);
  CHECK(value_named<Protocol>(to_string(Protocol::kFit)) == Protocol::kFit);
  try {
    value_named<Protocol>("fitt");
    FAIL("an unknown protocol was taken");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    CHECK(std::string(error.what()) == "unknown protocol 'fitt'; did you mean 'fit'? known: epoch, fit");
  }
}

TEST_CASE("half the interval is shown as a part of the median") {
  const CaseRecord record = finished_case();
  const double low = std::get<double>(case_value(record, "median_epoch_low_seconds"));
  const double high = std::get<double>(case_value(record, "median_epoch_high_seconds"));
  CHECK(low <= 0.505);
  CHECK(high >= 0.505);
  CHECK(std::get<double>(case_value(record, "median_epoch_halfwidth")) == approx((high - low) / 2 / 0.505));
}

TEST_CASE("without epochs there is no interval, and the reason is the median's") {
  for (const std::string key : {"median_epoch_low_seconds", "median_epoch_halfwidth", "mad_epoch_seconds"}) {
    CHECK_THAT(std::get<Absent>(case_value(failed_case(), key)).reason, contains_text("ended as oom"));
  }
}

}  // namespace gpubench::test
