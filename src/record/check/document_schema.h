#pragma once
// The schemas of documents, most of which follow from the field tables.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "gpubench/core/embedded_text.h"
#include "gpubench/record/field_table.h"
#include "record/document/json.h"

namespace gpubench {

template <class Record>
std::vector<FieldFacts> facts_of(const FieldTable<Record>& fields) {
  return {fields.begin(), fields.end()};
}

/// The schema of an object with these fields, and the reasons of those that are null.
Json object_schema(const std::vector<FieldFacts>& fields, const std::string& description);

/// The schemas of the documents that this gpubench writes by their names, as in document_check.h: "run:3".
std::map<std::string, Json> written_schemas();

/// The schemas of results/schema that do not follow from the field tables, as the build put them into the
/// program. Each is called as its file: "run-v2.schema".
std::span<const EmbeddedText> schema_texts();

}  // namespace gpubench
