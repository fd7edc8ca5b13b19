#pragma once
// Schema of documents, made from the field tables.

#include <string>
#include <vector>

#include "gpubench/record/field_table.h"
#include "record/document/json.h"

namespace gpubench::test {

template <class Record>
std::vector<FieldFacts> make_facts(const FieldTable<Record>& fields) {
  return {fields.begin(), fields.end()};
}

/// Returns the schema of an object with these fields and their reasons for null.
Json object_schema(const std::vector<FieldFacts>& fields, const std::string& description);

/// Returns the schema of documents.
Json written_schema();

}  // namespace gpubench::test
