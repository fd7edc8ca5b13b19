#include <algorithm>
#include <cmath>
#include <concepts>
#include <map>
#include <regex>
#include <set>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "gpubench/core/nearest.h"
#include "gpubench/record/field_table.h"
#include "gpubench/record/peak_record.h"
#include "record/document/json.h"
#include "record/document/json_object.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

using Faults = std::vector<std::string>;

constexpr std::size_t kMostFaults = 1000;  // Each is a line.
constexpr const char* kUnknownKey = "is not a known key here";

class ShapeCheck {
 public:
  explicit ShapeCheck(Written written) : written_(written) {}

  /// `empty` has the kind of the document.
  template <class Run>
  Faults run(const Json& document, const Run& empty) {
    std::vector<std::string> known{"schema_version", "results", kMissingKey, kContentHashKey};
    const auto find = [&](const char* key, bool is_required) -> const Json* {
      known.emplace_back(key);
      const auto part = document.find(key);
      if (part != document.end()) return &*part;
      if (is_required) add(key, "is missing");
      return nullptr;
    };
    if constexpr (requires { empty.published; }) {
      if (const Json* part = find("published", false))
        object(*part, published_fields(), "published", {"figures"});
    }
    visit_parts(empty, [&](const char* key, const auto& /*part*/, const auto& fields) {
      if (written_ == Written::kReported) return;
      if (const Json* part = find(key, true)) object(*part, fields, key, {"name"});
    });
    visit_rows(empty, [&](const auto& /*rows*/, const auto& fields) {
      const Json common = document.value(kMissingKey, Json::object());
      check_reasons(common, fields, kMissingKey);
      list(document.at("results"), fields, "results", written_, common);
    });
    for (const auto& [key, value] : document.items()) {
      if (std::ranges::find(known, key) == known.end()) add(key, kUnknownKey);
    }
    return std::move(faults_);
  }

 private:
  void add(const std::string& fault) {
    if (faults_.size() < kMostFaults) faults_.push_back(fault);
  }
  void add(const std::string& place, const std::string& what) { add(place + ": " + what); }

  template <class Record>
  void list(const Json& items, const FieldTable<Record>& fields, const std::string& place,
            Written written = Written::kAll, const Json& common = Json()) {
    if (!items.is_array()) return add(place, "a list of objects is expected");
    if (items.size() > kMostRows) return add(place, fmt::format("has more than {} rows", kMostRows));
    for (std::size_t i = 0; i < items.size(); ++i)
      object(items[i], fields, fmt::format("{}[{}]", place, i), {}, written, common);
  }

  /// `others` are keys beside those of the fields.
  template <class Record>
  void object(const Json& value, const FieldTable<Record>& fields, const std::string& place,
              std::vector<std::string> others = {}, Written written = Written::kAll,
              const Json& common = Json()) {
    if (!value.is_object()) return add(place, "an object is expected");
    others.emplace_back(kMissingKey);
    if constexpr (ResultRecord<Record>) {
      for (const FieldSection section : kNamedSections) others.push_back(to_string(section));
    }
    const Record empty;
    visit_lists(empty, [&](const char* key, const auto& /*items*/, const auto& its_fields) {
      others.emplace_back(key);
      if (value.contains(key)) list(value.at(key), its_fields, inside(place, key));
    });
    check_reasons(value.value(kMissingKey, Json::object()), fields, inside(place, kMissingKey));
    check_members(value, fields, place, others, written, Reasons(value, common));
  }

  template <class Record>
  void check_members(const Json& object, const FieldTable<Record>& fields, const std::string& place,
                     const std::vector<std::string>& others, Written written, const Reasons& reasons) {
    std::set<std::string_view> found;
    visit_sections<Record>(
        object, place, [&](FieldSection section, const Json& members, const std::string& part) {
          if (!members.is_object()) return add(part, "an object is expected");
          for (const auto& [key, member] : members.items()) {
            const Field<Record>* field = fields.find(key);
            if (field != nullptr && field->section == section && may_have(*field, written)) {
              found.insert(field->key);
              check_field(member, *field, reasons, inside(part, key));
            } else if (section != FieldSection::kDirect || std::ranges::find(others, key) == others.end()) {
              add(inside(part, key), kUnknownKey);
            }
          }
        });
    for (const Field<Record>& field : fields) {
      const bool is_required = field.presence == Presence::kAlways ||
                               (field.presence == Presence::kMeasured && written == Written::kAll);
      if (is_required && !found.contains(field.key)) add(find_place(field, place), "is missing");
    }
  }

  /// A publication states no derived values.
  template <class Record>
  static bool may_have(const Field<Record>& field, Written written) {
    return written == Written::kAll || field.set || field.presence == Presence::kAlways;
  }

  template <class Record>
  void check_reasons(const Json& reasons, const FieldTable<Record>& fields, const std::string& place) {
    if (!reasons.is_object()) return add(place, "an object is expected");
    for (auto reason = reasons.begin(); reason != reasons.end(); ++reason) {
      const auto is_its = [&](const FieldFacts& field) {
        return field.values.may_be_absent && (field.key == reason.key() || field.group == reason.key());
      };
      if (std::ranges::none_of(fields, is_its)) add(inside(place, reason.key()), kUnknownKey);
    }
  }

  /// Checks a value, and that it is null exactly where there is a reason for that.
  void check_field(const Json& value, const FieldFacts& field, const Reasons& reasons,
                   const std::string& place) {
    const bool has_reason = !reasons.find(field).value_or("").empty();
    if (!value.is_null() || !field.values.may_be_absent) {
      check_value(value, field.values, place);
      if (has_reason && field.values.may_be_absent)
        add(place, "has a value, but also a reason for having none");
    } else if (!has_reason) {
      add(place, "is null without a reason");
    }
  }

  void check_value(const Json& value, const Values& values, const std::string& place) {
    if (values.kind == Kind::kPhases) return list(value, phase_fields(), place);
    if (values.kind == Kind::kWarnings) return list(value, warning_fields(), place);
    if (value.is_null()) return add(place, "a value is expected");
    try {
      const FieldValue read = make_field_value(value, values.kind, place);
      std::visit([&](const auto& present) { check_limits(present, values, place); }, read);
    } catch (const Error& error) {
      add(error.what());
    }
  }

  void check_limits(const std::string& text, const Values& values, const std::string& place) {
    if (!values.names.empty() && std::ranges::find(values.names, text) == values.names.end())
      return add(place, "is none of " + join(values.names));
    if (values.least && text.empty()) return add(place, "is empty");
    if (values.pattern.empty()) return;
    const auto pattern = patterns_.try_emplace(values.pattern, values.pattern).first;
    if (!std::regex_search(text, pattern->second)) add(place, "does not match " + values.pattern);
  }

  template <class T>
  void check_limits(const T& value, const Values& values, const std::string& place) {
    if constexpr (std::is_arithmetic_v<T>) {
      const auto number = static_cast<double>(value);
      if (values.least && number < *values.least)
        add(place, fmt::format("{} is below {}", number, *values.least));
      if (values.most && number > *values.most)
        add(place, fmt::format("{} is above {}", number, *values.most));
    } else if constexpr (std::same_as<T, NamedValues> || std::same_as<T, NamedSeries>) {
      for (const auto& [name, item] : value) check_limits(item, values, inside(place, name));
    } else if constexpr (std::same_as<T, std::vector<double>> || std::same_as<T, std::vector<std::int64_t>>) {
      for (const auto number : value) check_limits(number, values, place);
    }
  }

  Written written_;
  Faults faults_;
  std::map<std::string, std::regex> patterns_;
};

// What contradicts the status of a row; empty where nothing does.

template <class Row>
std::string message_fault(const Row& row) {
  const bool is_ok = row.status == RowStatus::kOk;
  if (is_ok == row.status_reason.empty()) return "";
  return is_ok ? "is ok, but has a status_message" : "is not ok, but has no status_message";
}

std::string status_fault(const CaseRecord& c, Written written) {
  const bool is_ok = c.status == RowStatus::kOk;
  const bool is_skipped = c.status == RowStatus::kSkipped;
  const bool is_measured = written == Written::kAll;
  if (is_ok && c.epoch_seconds.empty()) return "is ok, but has no epoch";
  if (!is_ok && !c.epoch_seconds.empty() && (is_skipped || !is_measured))
    return "has epochs, but is " + to_string(c.status);
  if (is_measured && is_ok && (c.train_samples < 1 || c.steps_per_epoch < 1))
    return "is ok, but has no samples or no steps";
  if (is_measured && is_skipped != c.skip_rule.has_value())
    return "has a skip_rule, or was skipped, but not both";
  return message_fault(c);
}

std::string status_fault(const OpRecord& row, Written /*written*/) {
  const bool is_ok = row.status == RowStatus::kOk;
  if (is_ok == row.call_seconds.empty()) return "call_seconds and an ok status belong together";
  return message_fault(row);
}

std::string status_fault(const PeakPoint& point, Written /*written*/) {
  if (is_arithmetic(point.kind) == point.precision.empty()) return "arithmetic alone has a precision";
  return point.value.has_value() && point.size == 0 ? "has a value, but no size" : "";
}

std::string status_fault(const CheckRow& /*row*/, Written /*written*/) { return ""; }

constexpr double kTolerance = 1e-9;  // Of the larger one: the last digits depend on compiler and machine.

bool agrees(const Json& stated, const Json& computed) {
  if (stated.is_number() && computed.is_number()) {
    const auto one = stated.get<double>();
    const auto other = computed.get<double>();
    return std::abs(one - other) <= kTolerance * std::max(std::abs(one), std::abs(other));
  }
  if (!stated.is_array() || !computed.is_array()) return stated == computed;
  return std::equal(stated.begin(), stated.end(), computed.begin(), computed.end(), agrees);
}

/// Adds the derived values of `stated` that do not follow from `row`.
template <class Row>
void compare_derived(Faults& faults, const std::string& place, const Json& stated,
                     const FieldTable<Row>& fields, const Row& row) {
  visit_sections<Row>(
      stated, place, [&](FieldSection /*section*/, const Json& members, const std::string& part) {
        for (const auto& [key, value] : members.items()) {
          const Field<Row>* field = fields.find(key);
          if (field == nullptr || field->set) continue;
          const Json expected = json_value(field->get(row));
          if (agrees(value, expected)) continue;
          faults.push_back(fmt::format("{}: {} is stated, but {} follows from the raw values",
                                       inside(part, key), json_text(value), json_text(expected)));
        }
      });
}

/// Rows are read only where the shape of the document is right.
template <class Run>
Faults content_faults(const Json& document, Run (*read)(const Json&), const Run& empty = {}) {
  // A publication states derived values that follow from nothing.
  const Written written = document.contains("published") ? Written::kReported : Written::kAll;
  Faults faults = ShapeCheck(written).run(document, empty);
  if (!faults.empty()) return faults;
  const Run run = read(document);
  visit_rows(run, [&](const auto& rows, const auto& fields) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string place = fmt::format("results[{}]", i);
      const std::string fault = status_fault(rows[i], written);
      if (!fault.empty()) faults.push_back(place + ": " + fault);
      if (written == Written::kAll)
        compare_derived(faults, place, document.at("results").at(i), fields, rows[i]);
    }
  });
  return faults;
}

}  // namespace

Faults document_faults(const Json& document) {
  try {
    const DocumentKind kind = document_kind(document);
    RunRecord table;
    table.plan.kind = "table";
    Faults faults = kind == DocumentKind::kRun          ? content_faults(document, run_from_json)
                    : kind == DocumentKind::kOperations ? content_faults(document, ops_from_json, table)
                    : kind == DocumentKind::kPeak       ? content_faults(document, peak_from_json)
                                                        : content_faults(document, selftest_from_json);
    const Json stated = document.value(kContentHashKey, Json());
    const std::string computed = content_hash(document);
    if (stated.is_null()) {
      faults.push_back(fmt::format("{}: is missing", kContentHashKey));
    } else if (stated != computed) {
      faults.push_back(fmt::format(
          "{}: is not that of the content, which is {}; the file was changed after it was written",
          kContentHashKey, computed));
    }
    return faults;
  } catch (const Error& error) {
    return {error.what()};
  }
}

}  // namespace gpubench
