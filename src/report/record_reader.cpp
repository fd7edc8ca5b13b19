// Records from JSON. What the values of a key must be is known to the setters of the field tables alone.

#include <algorithm>
#include <iterator>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "gpubench/record/field_table.h"
#include "gpubench/record_json.h"

namespace gpubench {
namespace {

[[noreturn]] void refuse(const std::string& place, const std::string& what) {
  throw Error(ErrorKind::kData, place + ": " + what);
}

std::string inside(const std::string& where, const std::string& key) {
  return where.empty() ? key : where + "." + key;
}

void require_object(const Json& value, const std::string& place) {
  if (!value.is_object()) refuse(place, "an object is expected");
}

bool is_number_or_null(const Json& value) { return value.is_number() || value.is_null(); }

double number_of(const Json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

FieldValue whole_number_of(const Json& value) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const bool is_too_large = value.is_number_unsigned() && value.get<std::uint64_t>() > kMost;
  // No field holds such a number, but as a double it is refused by name and not by overflow.
  if (is_too_large) return value.get<double>();
  return value.get<std::int64_t>();
}

constexpr std::size_t kMostNumbers = 100'000;  // In a list: epochs, at most.

std::vector<double> numbers_of(const Json& list, const std::string& place) {
  if (list.size() > kMostNumbers) refuse(place, "has too many values");
  std::vector<double> numbers;
  numbers.reserve(list.size());
  for (const Json& item : list) numbers.push_back(number_of(item));
  return numbers;
}

/// Of the member that is null. Nearly always the next one, as gpubench writes it.
std::string reason_beside(const Json& object, Json::const_iterator member) {
  const std::string key = member.key() + "_reason";
  auto reason = std::next(member);
  if (reason == object.end() || reason.key() != key) reason = object.find(key);
  const bool is_told = reason != object.end() && reason->is_string();
  return is_told ? reason->get<std::string>() : "no reason is given";
}

template <class Record>
Record record_of(const Json& object, std::span<const Field<Record>> fields, const std::string& where);

template <class Record>
std::vector<Record> records_of(const Json& list, std::span<const Field<Record>> fields,
                               const std::string& place) {
  std::vector<Record> records;
  for (const Json& item : list) {
    records.push_back(record_of(item, fields, fmt::format("{}[{}]", place, records.size())));
  }
  return records;
}

template <class Predicate>
bool all_are(const Json& items, Predicate is_so) {
  return std::all_of(items.begin(), items.end(), is_so);
}

FieldValue list_value(const Json& list, const std::string& place) {
  if (all_are(list, is_number_or_null)) return numbers_of(list, place);
  if (all_are(list, [](const Json& item) { return item.is_string(); })) {
    return list.get<std::vector<std::string>>();
  }
  if (all_are(list, [](const Json& item) { return item.is_object(); })) {
    return records_of(list, phase_fields(), place);
  }
  refuse(place, "a list of values of one kind is expected");
}

// Reasons of figures that are null are no figures.
bool is_reason(const Json& object, const std::string& key, const Json& value) {
  constexpr std::string_view kSuffix = "_reason";
  return value.is_string() && key.ends_with(kSuffix) &&
         object.contains(key.substr(0, key.size() - kSuffix.size()));
}

FieldValue object_value(const Json& object, const std::string& place) {
  NamedValues values;
  NamedSeries series;
  for (const auto& [name, item] : object.items()) {
    if (is_reason(object, name, item)) continue;
    if (is_number_or_null(item)) {
      values.emplace_back(name, number_of(item));
    } else if (item.is_array() && all_are(item, is_number_or_null)) {
      series.emplace_back(name, numbers_of(item, place));
    } else {
      refuse(inside(place, name), "a number or a list of numbers is expected");
    }
  }
  if (series.empty()) return values;
  if (values.empty()) return series;
  refuse(place, "an object of values of one kind is expected");
}

/// What the member holds, without regard to what it should.
FieldValue field_value_of(const Json& object, Json::const_iterator member, const std::string& where) {
  const Json& value = *member;
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_float()) return value.get<double>();
  if (value.is_number()) return whole_number_of(value);
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) return list_value(value, inside(where, member.key()));
  if (value.is_object()) return object_value(value, inside(where, member.key()));
  return absent(reason_beside(object, member));
}

template <class Record>
using FieldIndex = std::unordered_map<std::string_view, const Field<Record>*>;

/// The fields that a file is read for, by key. A kind of record has one table.
template <class Record>
const FieldIndex<Record>& index_of(std::span<const Field<Record>> fields) {
  static const FieldIndex<Record> index = [fields] {
    FieldIndex<Record> made;
    for (const Field<Record>& field : fields) {
      if (field.set) made.emplace(field.key, &field);
    }
    return made;
  }();
  return index;
}

template <class Record>
Record record_of(const Json& object, std::span<const Field<Record>> fields, const std::string& where) {
  require_object(object, where);
  const FieldIndex<Record>& index = index_of(fields);
  Record record;
  for (auto member = object.begin(); member != object.end(); ++member) {
    const auto field = index.find(member.key());
    if (field == index.end()) continue;
    const FieldValue value = field_value_of(object, member, where);
    try {
      field->second->set(record, value);
    } catch (const Error& error) {
      refuse(inside(where, member.key()), error.what());
    }
  }
  return record;
}

/// The list at `key`, an item at a time; nothing where the key is missing.
template <class Record, class Read>
void read_list(std::vector<Record>& records, const Json& object, const std::string& key,
               const std::string& where, Read read) {
  const auto list = object.find(key);
  if (list == object.end()) return;
  const std::string place = inside(where, key);
  if (!list->is_array()) refuse(place, "a list of objects is expected");
  for (const Json& item : *list) {
    records.push_back(read(item, fmt::format("{}[{}]", place, records.size())));
  }
}

DatasetRecord dataset_from_json(const Json& object, const std::string& where) {
  DatasetRecord dataset = record_of(object, dataset_fields(), where);
  read_list(dataset.files, object, "files", where, [](const Json& item, const std::string& place) {
    return record_of(item, data_file_fields(), place);
  });
  return dataset;
}

NamedValues figures_of(const Json& object, const std::string& place) {
  require_object(object, place);
  const FieldValue value = object_value(object, place);
  if (const auto* figures = std::get_if<NamedValues>(&value)) return *figures;
  refuse(place, "an object of numbers is expected");
}

PublishedRecord published_from_json(const Json& object, std::size_t cases) {
  PublishedRecord published = record_of(object, published_fields(), "published");
  read_list(published.figures, object, "figures", "published", figures_of);
  if (published.figures.size() == cases) return published;
  refuse("published.figures", fmt::format("an entry for each of the {} cases is expected", cases));
}

void require_version(const Json& document) {
  if (!document.contains("schema_version")) {
    refuse("schema_version", "is missing, so this is no result of gpubench; name a file that gpubench wrote");
  }
  if (document.contains("points")) {
    refuse("points", "make this a peak of the machine, not the result of a run; name a result file");
  }
  const Json& version = document.at("schema_version");
  if (version == 1 || version == RunRecord::kSchemaVersion) return;
  refuse("schema_version", fmt::format("{} is unknown, 1 to {} are expected; read the file with the gpubench "
                                       "that wrote it, or with a newer one",
                                       json_text(version), RunRecord::kSchemaVersion));
}

}  // namespace

CaseRecord case_from_json(const Json& object, const std::string& where) {
  return record_of(object, case_fields(), where);
}

ToolRecord tool_from_json(const Json& object, const std::string& where) {
  return record_of(object, tool_fields(), where);
}

PlanRecord plan_from_json(const Json& object, const std::string& where) {
  return record_of(object, plan_fields(), where);
}

DeviceRecord device_from_json(const Json& object, const std::string& where) {
  return record_of(object, device_fields(), where);
}

Environment environment_from_json(const Json& object, const std::string& where) {
  Environment environment = record_of(object, environment_fields(), where);
  read_list(environment.devices, object, "devices", where, device_from_json);
  read_list(environment.datasets, object, "datasets", where, dataset_from_json);
  return environment;
}

RunRecord run_from_json(const Json& document) {
  require_object(document, "result");
  require_version(document);
  RunRecord run;
  if (document.contains("tool")) run.tool = tool_from_json(document.at("tool"));
  if (document.contains("plan")) run.plan = plan_from_json(document.at("plan"));
  if (document.contains("environment")) run.environment = environment_from_json(document.at("environment"));
  read_list(run.cases, document, "cases", "", case_from_json);
  if (document.contains("published")) {
    run.published = published_from_json(document.at("published"), run.cases.size());
  }
  return run;
}

}  // namespace gpubench
