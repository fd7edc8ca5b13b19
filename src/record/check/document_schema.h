#pragma once
// What the field tables say about documents: their schemas, and their documentation.

#include <map>
#include <string>
#include <vector>

#include "gpubench/record/field_table.h"
#include "record/document/record_json.h"

namespace gpubench {

/// What a schema and its documentation need to know of a field.
struct FieldFacts {
  std::string key;
  std::string unit;
  std::string help;
  std::string group;
  Values values;
  Presence presence;
  bool is_derived;
};

template <class Record>
std::vector<FieldFacts> facts_of(const FieldTable<Record>& fields) {
  std::vector<FieldFacts> facts;
  for (const Field<Record>& field : fields) {
    facts.push_back(
        {field.key, field.unit, field.help, field.group, field.values, field.presence, !field.set});
  }
  return facts;
}

/// The schema of an object with these fields, and the reasons of those that are null.
Json object_schema(const std::vector<FieldFacts>& fields, const std::string& description);

/// The schemas of the documents that this gpubench writes by their names, as in document_check.h: "run:3".
std::map<std::string, Json> written_schemas();

/// A schema as results/schema has it: what fits on a line is on one.
std::string schema_text(const Json& schema);

/// A table in Markdown with a line for each field.
std::string fields_text(const std::vector<FieldFacts>& fields);

}  // namespace gpubench
