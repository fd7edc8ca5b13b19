#include "record/check/document_check.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/record/field_table.h"
#include "record/document/json.h"
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

/// What caches held and what refuted its roof had a share above 1 in files of older programs.
bool is_former_share(const FieldFacts& field, const Json& stated, const Json& computed) {
  const bool is_share = field.key == "mfu" || field.key.ends_with("_share");
  return is_share && computed.is_null() && stated.is_number() && stated.get<double>() > 1;
}

/// Start-ups below what can be measured were stated by older programs, as set-up + first epoch - median.
bool is_former_startup(const FieldFacts& field, const Json& stated, const Json& of_case) {
  if (field.key != "startup_seconds" || !stated.is_number() || !of_case.at(field.key).is_null()) return false;
  double sum = 0;
  double size = 0;
  for (const auto& [key, sign] :
       {std::pair{"setup_seconds", 1}, {"first_epoch_seconds", 1}, {"median_epoch_seconds", -1}}) {
    if (!of_case.at(key).is_number()) return false;
    sum += sign * of_case.at(key).get<double>();
    size += std::abs(of_case.at(key).get<double>());
  }
  return std::abs(stated.get<double>() - sum) <= kTolerance * size;
}

/// Intervals of medians are estimates, which older programs made in other ways, or not of so few epochs.
/// Those too have the median in them, which `computed` has.
bool is_former_interval(const FieldFacts& field, const Json& stated, const Json& computed) {
  const bool is_halfwidth = field.key.ends_with("halfwidth");
  const std::size_t low = field.key.find("low_seconds");
  const std::size_t high = field.key.find("high_seconds");
  if (!is_halfwidth && low == std::string::npos && high == std::string::npos) return false;
  if (stated.is_null()) return true;
  if (!stated.is_number()) return false;
  if (is_halfwidth) return stated.get<double>() >= 0;
  const std::string prefix = field.key.substr(0, std::min(low, high));
  const Json median = computed.value((prefix.empty() ? "median_" : prefix) + "seconds", Json());
  if (!median.is_number()) return false;
  return low != std::string::npos ? stated.get<double>() <= median.get<double>()
                                  : stated.get<double>() >= median.get<double>();
}

/// The derived fields that `stated` has, against those of `computed`.
template <class Record>
void compare_derived(Faults& faults, const std::string& place, const FieldTable<Record>& fields,
                     const Json& stated, const Json& computed) {
  for (const Field<Record>& field : fields) {
    if (field.set || !stated.contains(field.key)) continue;
    const Json& value = stated.at(field.key);
    const Json& expected = computed.at(field.key);
    if (agrees(value, expected) || is_former_share(field, value, expected)) continue;
    // Before it had `unexplained_share` a row named the largest share, however small.
    if (field.key == "bound" && !stated.contains("unexplained_share")) continue;
    if (is_former_startup(field, value, computed) || is_former_interval(field, value, computed)) continue;
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

/// Empty where the checksum is right, or where the version of the document has none.
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
    const std::string schema = schema_of(document);
    Faults faults = schema_faults(document, schema);
    // Derived values of a document of another shape would be those of something else.
    const bool has_derived = schema.starts_with("run:") || schema.starts_with("ops:");
    if (faults.empty() && has_derived) append(faults, derived_faults(document));
    append(faults, hash_faults(document));
    return faults;
  } catch (const Error& error) {
    return {error.what()};
  }
}

}  // namespace gpubench
