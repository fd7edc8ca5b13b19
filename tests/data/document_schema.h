#pragma once
// The schema of documents, which follows from the field tables.

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

/// Returns the schema of documents.
Json written_schema();

}  // namespace gpubench::test
