#pragma once
// The schemas of documents, which follow from the field tables.

#include <map>
#include <string>
#include <vector>

#include "gpubench/record/field_table.h"
#include "record/document/json.h"

namespace gpubench::test {

template <class Record>
std::vector<FieldFacts> make_facts(const FieldTable<Record>& fields) {
  return {fields.begin(), fields.end()};
}

/// The schema of an object with these fields, and the reasons of those that are null.
Json object_schema(const std::vector<FieldFacts>& fields, const std::string& description);

/// Returns the schema of each kind of document, by kind and version: "run:3".
std::map<std::string, Json> written_schemas();

}  // namespace gpubench::test
