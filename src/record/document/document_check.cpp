#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/record/field_table.h"
#include "gpubench/record/machine_records.h"
#include "record/document/json.h"
#include "record/document/json_object.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

using Faults = std::vector<std::string>;
using SortedJson = nlohmann::json;  // Fast lookup of keys.

constexpr std::size_t kMostFaults = 1000;  // Maximum number of lines.
constexpr double kTolerance = 1e-9;        // Relative: the last digits depend on compiler and machine.

bool agrees(const SortedJson& stated, const SortedJson& computed) {
  if (!stated.is_number() || !computed.is_number()) return stated == computed;
  const auto one = stated.get<double>();
  const auto other = computed.get<double>();
  return std::abs(one - other) <= kTolerance * std::max(std::abs(one), std::abs(other));
}

class Check {
 public:
  explicit Check(Written written) : written_(written) {}

  Faults faults;

  void add(const std::string& place, const std::string& what) {
    if (faults.size() < kMostFaults) faults.push_back(place + ": " + what);
  }

  /// Adds the differences between a document and the document of its record. Wording of reasons may differ.
  void compare(const SortedJson& stated, const SortedJson& computed, const std::string& place,
               bool are_reasons = false) {
    if (stated.is_object() && computed.is_object()) {
      for (const auto& [key, value] : stated.items()) {
        if (!computed.contains(key)) add(inside(place, key), "unknown key");
      }
      for (const auto& [key, value] : computed.items()) {
        const auto known = stated.find(key);
        if (known == stated.end())
          add(inside(place, key), "is missing");
        else
          compare(*known, value, inside(place, key), are_reasons || key == kMissingKey);
      }
    } else if (are_reasons) {
      if (!stated.is_string() || stated == kNoReason || stated == "")
        add(place, "must be the reason for a null value");
    } else if (agrees(stated, computed)) {
      return;
    } else if (stated.is_array() && computed.is_array() && stated.size() == computed.size()) {
      for (std::size_t i = 0; i < stated.size(); ++i)
        compare(stated[i], computed[i], fmt::format("{}[{}]", place, i));
    } else {
      add(place, fmt::format("is {}, but the raw values give {}", json_text(stated), json_text(computed)));
    }
  }

  template <class Record>
  void check_limits(const Record& record, const FieldTable<Record>& fields, const std::string& where) {
    for (const Field<Record>& field : fields) {
      const FieldValue value = field.get(record);
      if (!field.set || !is_written(field, value, written_)) continue;
      const bool is_direct = field.section == FieldSection::kDirect;
      const std::string part = is_direct ? where : inside(where, to_string(field.section));
      std::visit([&](const auto& present) { check_value(present, field.values, inside(part, field.key)); },
                 value);
    }
    visit_lists(record, [&](const char* key, const auto& list, const auto& its_fields) {
      check_list(list, its_fields, inside(where, key));
    });
  }

 private:
  template <class Record>
  void check_list(const std::vector<Record>& list, const FieldTable<Record>& fields,
                  const std::string& place) {
    for (std::size_t i = 0; i < list.size(); ++i)
      check_limits(list[i], fields, fmt::format("{}[{}]", place, i));
  }

  void check_value(const std::string& text, const Values& values, const std::string& place) {
    if (!values.names.empty() && std::ranges::find(values.names, text) == values.names.end())
      return add(place, "must be one of " + join(values.names));
    if (values.least && text.empty()) return add(place, "is empty");
    if (values.pattern.empty()) return;
    const auto pattern = patterns_.try_emplace(values.pattern, values.pattern).first;
    if (!std::regex_search(text, pattern->second)) add(place, "does not match " + values.pattern);
  }

  template <class T>
  void check_value(const T& value, const Values& values, const std::string& place) {
    if constexpr (std::is_arithmetic_v<T>) {
      const auto number = static_cast<double>(value);
      if (values.least && number < *values.least)
        add(place, fmt::format("{} is below {}", number, *values.least));
      if (values.most && number > *values.most)
        add(place, fmt::format("{} is above {}", number, *values.most));
    } else if constexpr (std::same_as<T, std::vector<Phase>>) {
      check_list(value, phase_fields(), place);
    } else if constexpr (std::same_as<T, std::vector<Warning>>) {
      check_list(value, warning_fields(), place);
    } else if constexpr (requires { value.front().second; }) {
      for (const auto& [name, item] : value) check_value(item, values, inside(place, name));
    } else if constexpr (!std::same_as<T, Missing>) {
      for (const auto& item : value) check_value(item, values, place);
    }
  }

  Written written_;
  std::map<std::string, std::regex> patterns_;
};

/// Returns a contradiction to the status of a row; empty if none.
template <class Row>
std::string status_fault(const Row& row, Written written) {
  if constexpr (std::derived_from<Row, RowRecord>) {
    const bool is_ok = row.status == RowStatus::kOk;
    if (is_ok && !row.status_reason.empty()) return "is ok, but has a status_message";
    if (!is_ok && row.status_reason.empty()) return "is not ok, but has no status_message";
    if constexpr (std::same_as<Row, OpRecord>) {
      if (is_ok == row.call_seconds.empty()) return "must have call_seconds if it is ok, and none otherwise";
    } else {
      const bool is_skipped = row.status == RowStatus::kSkipped;
      const bool is_measured = written == Written::kAll;
      if (is_ok && row.epoch_seconds.empty()) return "is ok, but has no epoch";
      if (!is_ok && !row.epoch_seconds.empty() && (is_skipped || !is_measured))
        return "has epochs, but is " + to_string(row.status);
      if (is_measured && is_ok && (row.train_samples < 1 || row.steps_per_epoch < 1))
        return "is ok, but has no samples or no steps";
      if (is_measured && is_skipped != row.skip_rule.has_value())
        return "must have a skip_rule if it was skipped, and none otherwise";
    }
  }
  return "";
}

template <class Run>
Faults content_faults(const Json& document, Run (*read)(const Json&), Json (*write)(const Run&)) try {
  // A publication states derived values without raw values.
  const Written written = document.contains("published") ? Written::kReported : Written::kAll;
  const Run run = read(document);
  Check check(written);
  SortedJson stated = document;
  stated.erase(kContentHashKey);
  check.compare(stated, write(run), "");
  visit_parts(run, [&](const char* key, const auto& part, const auto& fields) {
    check.check_limits(part, fields, key);
  });
  visit_rows(run, [&](const auto& rows, const auto& fields) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string place = fmt::format("results[{}]", i);
      const std::string fault = status_fault(rows[i], written);
      if (!fault.empty()) check.add(place, fault);
      check.check_limits(rows[i], fields, place);
    }
  });
  return check.faults;
} catch (const Error& error) {
  return {error.what()};
}

}  // namespace

Faults document_faults(const Json& document) try {
  const DocumentKind kind = document_kind(document);
  Faults faults = kind == DocumentKind::kRun          ? content_faults(document, run_from_json, run_to_json)
                  : kind == DocumentKind::kOperations ? content_faults(document, ops_from_json, run_to_json)
                  : kind == DocumentKind::kPeak
                      ? content_faults(document, peak_from_json, peak_to_json)
                      : content_faults(document, selftest_from_json, selftest_to_json);
  const Json stated = document.value(kContentHashKey, Json());
  const std::string computed = content_hash(document);
  if (stated.is_null()) {
    faults.push_back(fmt::format("{}: is missing", kContentHashKey));
  } else if (stated != computed) {
    faults.push_back(
        fmt::format("{}: does not match the content, which has {}; the file was changed after it was written",
                    kContentHashKey, computed));
  }
  return faults;
} catch (const Error& error) {
  return {error.what()};
}

}  // namespace gpubench
