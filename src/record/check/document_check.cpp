#include "record/check/document_check.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/record/field_table.h"
#include "record/document/json.h"
#include "record/document/json_object.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

using Faults = std::vector<std::string>;

constexpr double kTolerance = 1e-9;  // Of the larger one: the last digits depend on compiler and machine.

bool is_close(double one, double other) {
  return std::abs(one - other) <= kTolerance * std::max(std::abs(one), std::abs(other));
}

bool agrees(const Json& stated, const Json& computed) {
  if (stated.is_number() && computed.is_number())
    return is_close(stated.get<double>(), computed.get<double>());
  if (!stated.is_array() || !computed.is_array()) return stated == computed;
  return std::equal(stated.begin(), stated.end(), computed.begin(), computed.end(), agrees);
}

/// The derived fields that `stated` has, against those of `computed`.
template <class Record>
void compare_derived(Faults& faults, const std::string& place, const FieldTable<Record>& fields,
                     const Json& stated, const Json& computed) {
  for (const Field<Record>& field : fields) {
    if (field.set || !stated.contains(field.key)) continue;
    const Json& value = stated.at(field.key);
    const Json& expected = computed.at(field.key);
    if (agrees(value, expected)) continue;
    faults.push_back(fmt::format("{}.{}: {} is stated, but {} follows from the raw values", place, field.key,
                                 json_text(value), json_text(expected)));
  }
}

/// The same of each entry of the lists at `key`, if the document has such.
template <class Record>
void compare_lists(Faults& faults, const std::string& key, const FieldTable<Record>& fields,
                   const Json& document, const Json& computed_document) {
  const Json stated = document.value(key, Json());
  if (!stated.is_array()) return;
  const Json& computed = computed_document.at(key);
  if (stated.size() != computed.size()) {
    faults.push_back(fmt::format("{}: {} entries are stated, but {} follow from the raw values", key,
                                 stated.size(), computed.size()));
    return;
  }
  for (std::size_t i = 0; i < stated.size(); ++i) {
    compare_derived(faults, fmt::format("{}[{}]", key, i), fields, stated.at(i), computed.at(i));
  }
}

/// Empty where the checksum is right; that it is missing is a fault by the schema.
Faults hash_faults(const Json& document) {
  const auto stated = document.find(kContentHashKey);
  if (stated == document.end()) return {};
  const std::string computed = content_hash(document);
  if (*stated == computed) return {};
  return {
      fmt::format("{}: is not that of the content, which is {}; the file was changed after it was written",
                  kContentHashKey, computed)};
}

/// What a publication states is all that is known.
Faults derived_faults(const Json& document) {
  Faults faults;
  if (document_kind(document) == DocumentKind::kOperations) {
    const OpsRecord ops = ops_from_json(document);
    if (!ops.published) compare_lists(faults, "operations", op_fields(), document, ops_to_json(ops));
    return faults;
  }
  const RunRecord run = run_from_json(document);
  if (run.published) return {};
  const Json computed = run_to_json(run);
  compare_lists(faults, "cases", case_fields(), document, computed);
  compare_lists(faults, "repeats", repeat_fields(), document, computed);
  if (document.contains("scaling") || computed.contains("scaling"))
    compare_lists(faults, "scaling", scaling_fields(), document, computed);
  return faults;
}

}  // namespace

Faults document_faults(const Json& document) {
  try {
    const DocumentKind kind = document_kind(document);
    require_version(document, find_schema_version(kind));
    Faults faults = schema_faults(document);
    // Derived values of a document of another shape would be those of something else.
    const bool has_derived = kind == DocumentKind::kRun || kind == DocumentKind::kOperations;
    if (faults.empty() && has_derived) append(faults, derived_faults(document));
    append(faults, hash_faults(document));
    return faults;
  } catch (const Error& error) {
    return {error.what()};
  }
}

}  // namespace gpubench
