#pragma once
// Conversion between records and JSON objects by field tables.

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "record/document/json.h"
#include "record/record_parts.h"

namespace gpubench {

/// Converts a value. Missing values, NaN and infinity become null.
Json json_value(const FieldValue& value);

struct Member {
  const FieldFacts* field;
  FieldValue value;
};

/// Returns an object with the members by section, and the reasons for null values.
Json make_object(const std::vector<Member>& members);

/// Fields that are written.
enum class Written {
  kAll,
  kRaw,       ///< All except derived figures.
  kReported,  ///< Values stated by a publication. A default of another field would look like a figure.
};

template <class Record>
bool is_written(const Field<Record>& field, const FieldValue& value, Written written) {
  if (field.presence == Presence::kAlways) return true;
  if (!field.set && written != Written::kAll) return false;
  if (written != Written::kReported && field.presence != Presence::kOptional) return true;
  if (!field.set && std::holds_alternative<Missing>(value)) return false;
  static const Record empty{};
  return value != field.get(empty);
}

template <class Record, class Row>
Json make_object(const FieldTable<Record, Row>& fields, const Record& record,
                 Written written = Written::kAll) {
  std::vector<Member> members;
  for (const Row& field : fields) {
    FieldValue value = field.get(record);
    if (is_written(field, value, written)) members.push_back({&field, std::move(value)});
  }
  Json object = make_object(members);
  visit_lists(record, [&](const char* key, const auto& list, const auto& its_fields) {
    if (written != Written::kReported || !list.empty()) object[key] = make_list(its_fields, list);
  });
  return object;
}

template <class Record>
Json make_list(const FieldTable<Record>& fields, const std::vector<Record>& records,
               Written written = Written::kAll) {
  Json list = Json::array();
  for (const Record& record : records) list.push_back(make_object(fields, record, written));
  return list;
}

/// Throws a data Error: "results[0].asked.batch_size: expected a number".
[[noreturn]] void refuse(const std::string& place, const std::string& what);

/// Returns the place of `key` in the object at `where`; `where` is empty for a document.
std::string inside(const std::string& where, const std::string& key);

void require_object(const Json& value, const std::string& place);

inline constexpr const char* kNoReason = "no reason is given";

/// Returns the reason for a null field, by its key, else by its group, else kNoReason.
std::string find_reason(const FieldFacts& field, const Json& object);

/// Returns the value at `place`; null numbers become NaN. Throws a data Error if it is not of `kind`.
FieldValue make_field_value(const Json& value, Kind kind, const std::string& place);

/// Reads a record. Ignores unknown keys. Throws a data Error with the place of an invalid value.
template <class Record, class Row>
Record make_record(const Json& object, const FieldTable<Record, Row>& fields, const std::string& where) {
  require_object(object, where);
  Record record;
  for (std::size_t i = 0; i < kSectionNames.size(); ++i) {
    const auto section = static_cast<FieldSection>(i);
    const bool is_direct = section == FieldSection::kDirect;
    if (!is_direct && !(ResultRecord<Record> && object.contains(kSectionNames[i]))) continue;
    const Json& members = is_direct ? object : object.at(kSectionNames[i]);
    const std::string part = is_direct ? where : inside(where, kSectionNames[i]);
    require_object(members, part);
    for (auto member = members.begin(); member != members.end(); ++member) {
      const Row* const field = fields.find(member.key());
      if (field == nullptr || !field->set || field->section != section) continue;
      const std::string place = inside(part, member.key());
      const FieldValue value = member->is_null() ? missing(find_reason(*field, object))
                                                 : make_field_value(*member, field->values.kind, place);
      try {
        field->set(record, value);
      } catch (const Error& error) {
        refuse(place, error.what());
      }
    }
  }
  visit_lists(record, [&](const char* key, auto& list, const auto& its_fields) {
    if (object.contains(key)) list = make_records(object.at(key), its_fields, inside(where, key));
  });
  return record;
}

template <class Record>
std::vector<Record> make_records(const Json& list, const FieldTable<Record>& fields,
                                 const std::string& place) {
  if (!list.is_array()) refuse(place, "expected a list of objects");
  std::vector<Record> records;
  for (const Json& item : list) {
    records.push_back(make_record(item, fields, fmt::format("{}[{}]", place, records.size())));
  }
  return records;
}

}  // namespace gpubench
