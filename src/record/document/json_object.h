#pragma once
// Objects from records and records from objects, by their field tables and with the lists in them; and how a
// document is refused.

#include <string>
#include <vector>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "record/document/json.h"
#include "record/record_parts.h"

namespace gpubench {

/// Of an object whose values are partly null: why, by key, or by group where no field of that has a value.
inline constexpr const char* kAbsentKey = "absent";

/// JSON has no NaN and no infinity: such a number is null, as what is absent.
Json json_value(const FieldValue& value);

/// What a record has in a field.
struct Member {
  const FieldFacts* field;
  FieldValue value;
  bool is_written = true;
};

/// The members that are written, and the reasons of those that are null.
Json make_object(const std::vector<Member>& members);

enum class Written {
  kAll,
  kRaw,       ///< Without derived figures.
  kReported,  ///< What a publication tells; of the rest there is no key: its default would read as a figure.
};

template <class Record, class Row>
Json make_object(const FieldTable<Record, Row>& fields, const Record& record, Written written = Written::kAll) {
  const Record untold;
  std::vector<Member> members;
  for (const Row& field : fields) {
    if (written == Written::kRaw && !field.set) continue;
    Member& member = members.emplace_back(Member{&field, field.get(record)});
    if (written != Written::kReported) continue;
    const bool is_always = field.presence == Presence::kAlways;
    member.is_written = field.set && (is_always || member.value != field.get(untold));
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

/// Throws a data Error: "cases[0].batch_size: a number is expected".
[[noreturn]] void refuse(const std::string& place, const std::string& what);

/// The place of `key` in the object at `where`.
std::string inside(const std::string& where, const std::string& key);

void require_object(const Json& value, const std::string& place);

/// Throws a data Error for a document of another version than `version`.
void require_version(const Json& document, std::int64_t version);

/// Why a member of `object` is null, whose field is in `group`; `absent` is where the object has its reasons.
std::string find_reason(Json::const_iterator member, const std::string& group, const Json& object,
                        Json::const_iterator absent);

/// Returns the value at `place`, which is of `kind`; numbers in it that are null become NaN. Throws a data
/// Error that names the place for a value of another kind.
FieldValue make_field_value(const Json& value, Kind kind, const std::string& place);

/// Reads a record. Ignores keys that no field has; refuses what a field does not take, with its place.
template <class Record, class Row>
Record make_record(const Json& object, const FieldTable<Record, Row>& fields, const std::string& where) {
  require_object(object, where);
  const auto reasons = object.find(kAbsentKey);
  Record record;
  for (auto member = object.begin(); member != object.end(); ++member) {
    const Row* const field = fields.find(member.key());
    if (field == nullptr || !field->set) continue;
    const std::string place = inside(where, member.key());
    const FieldValue value = member->is_null() ? missing(find_reason(member, field->group, object, reasons))
                                               : make_field_value(*member, field->values.kind, place);
    try {
      field->set(record, value);
    } catch (const Error& error) {
      refuse(place, error.what());
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
  if (!list.is_array()) refuse(place, "a list of objects is expected");
  std::vector<Record> records;
  for (const Json& item : list) {
    records.push_back(make_record(item, fields, fmt::format("{}[{}]", place, records.size())));
  }
  return records;
}

}  // namespace gpubench
