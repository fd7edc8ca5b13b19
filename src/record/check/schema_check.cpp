// Documents against their schemas: results/schema has them all.

#include <algorithm>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "gpubench/core/error.h"
#include "record/check/document_check.h"
#include "record/check/document_schema.h"
#include "record/document/document_file.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

// What valijson knows.
using Unordered = nlohmann::json;
using Faults = std::vector<std::string>;

constexpr std::string_view kUrn = "urn:gpubench:schema:";

using Documents = std::map<std::string, Unordered, std::less<>>;

const Documents& documents() {
  static const Documents all = [] {
    Documents made;
    for (const auto& [name, schema] : written_schemas()) made.emplace(name, schema);
    return made;
  }();
  return all;
}

/// One schema refers to another by its `$id`.
const Unordered* fetch_schema(const std::string& uri) { return &documents().at(uri.substr(kUrn.size())); }

[[noreturn]] void refuse_memory() { throw std::bad_alloc(); }

/// valijson asks for memory that it may be refused, and does not look. While this lives a refusal is the end
/// of the program, as of an exception that nobody catches.
class WithoutRefusals {
 public:
  WithoutRefusals() : before_(std::set_new_handler([]() noexcept { refuse_memory(); })) {}
  ~WithoutRefusals() { std::set_new_handler(before_); }
  WithoutRefusals(const WithoutRefusals&) = delete;
  WithoutRefusals& operator=(const WithoutRefusals&) = delete;

 private:
  std::new_handler before_;
};

void read_schema(const Unordered& document, valijson::Schema& schema) {
  const WithoutRefusals guard;
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(valijson::adapters::NlohmannJsonAdapter(document), schema, fetch_schema,
                      [](const Unordered* /*fetched*/) {});
}

/// In a schema "case_reasons" says which values of a case are null for which reasons. It takes nearly all of
/// the time, and depends on nothing but a row's shape.
constexpr std::string_view kReasons = "_reasons";
/// A schema without these has the name of the whole one and this.
constexpr const char* kWithoutReasons = ", reasons left out";

/// Nothing where it has none.
std::optional<Unordered> without_reasons(Unordered schema) {
  bool has_reasons = false;
  if (!schema.contains("definitions")) return std::nullopt;
  for (auto& [name, definition] : schema.at("definitions").items()) {
    if (!name.ends_with(kReasons)) continue;
    definition = Unordered::object();
    has_reasons = true;
  }
  return has_reasons ? std::optional(std::move(schema)) : std::nullopt;
}

using Schemas = std::map<std::string, valijson::Schema, std::less<>>;

/// Reading one takes longer than checking a document by it.
const Schemas& schemas() {
  static const Schemas schemas = [] {
    Schemas read;
    for (const auto& [known, document] : documents()) {
      read_schema(document, read[known]);
      if (const auto light = without_reasons(document)) read_schema(*light, read[known + kWithoutReasons]);
    }
    return read;
  }();
  return schemas;
}

std::string sentence(const valijson::ValidationResults::Error& error) {
  std::string place;
  for (const std::string& step : error.context) place += step;
  return place + ": " + error.description;
}

Faults find_faults(const valijson::Schema& schema, const Unordered& document) {
  const valijson::adapters::NlohmannJsonAdapter adapter(document);
  valijson::ValidationResults results;
  valijson::Validator(valijson::Validator::kStrongTypes).validate(schema, adapter, &results);
  Faults faults;
  valijson::ValidationResults::Error error;
  while (results.popError(error)) faults.push_back(sentence(error));
  return faults;
}

bool is_valid(const valijson::Schema& schema, const Unordered& document) {
  const valijson::adapters::NlohmannJsonAdapter adapter(document);
  return valijson::Validator(valijson::Validator::kStrongTypes).validate(schema, adapter, nullptr);
}

/// Which keys an object has and which of them are null, and the same of the objects in it.
std::string describe_shape(const Json& value) {
  if (!value.is_object()) return value.is_null() ? "-" : "+";
  std::string shape = "{";
  for (const auto& [key, member] : value.items()) shape += json_text(key) + describe_shape(member);
  return shape + "}";
}

/// `document` with the first row of each shape alone.
Json with_rows_of_each_shape(const Json& document, const std::string& rows) {
  Json some = Json::object();
  for (const auto& [key, member] : document.items()) some[key] = key == rows ? Json::array() : member;
  std::set<std::string> shapes;
  for (const Json& row : document.at(rows)) {
    if (shapes.insert(describe_shape(row)).second) some[rows].push_back(row);
  }
  return some;
}

/// A document of many rows is valid where it is but for the reasons in it, and these are in a row of each
/// shape.
bool is_valid_by_shapes(const Json& document, const std::string& name, const std::string& rows) {
  const auto light = schemas().find(name + kWithoutReasons);
  return light != schemas().end() && is_valid(light->second, document) &&
         is_valid(schemas().at(name), with_rows_of_each_shape(document, rows));
}

/// Of a document of many rows those of its first bad thousand, since each fault is a line.
Faults first_faults(const valijson::Schema& schema, const Json& document, const std::string& rows) {
  constexpr std::size_t kAtOnce = 1000;
  Json part = document;
  const Json list = std::exchange(part[rows], Json::array());
  for (std::size_t begin = 0; begin < list.size(); begin += kAtOnce) {
    const std::size_t end = std::min(begin + kAtOnce, list.size());
    part[rows] = Json::array();
    for (std::size_t i = begin; i < end; ++i) part[rows].push_back(list[i]);
    Faults faults = find_faults(schema, part);
    if (faults.empty()) continue;
    if (list.size() > kAtOnce)
      faults.insert(faults.begin(), fmt::format("of {} {} to {}:", rows, begin, end - 1));
    return faults;
  }
  return find_faults(schema, document);
}

const Json* make_rows(const Json& document, const std::string& rows) {
  const bool has_rows = document.is_object() && document.contains(rows) && document.at(rows).is_array();
  return has_rows ? &document.at(rows) : nullptr;
}

/// "run:3"
std::string make_name(DocumentKind kind) {
  const std::int64_t version = find_schema_version(kind);
  switch (kind) {
    case DocumentKind::kOperations:
      return fmt::format("ops:{}", version);
    case DocumentKind::kPeak:
      return fmt::format("peak:{}", version);
    case DocumentKind::kSelftest:
      return fmt::format("selftest:{}", version);
    case DocumentKind::kRun:
      break;
  }
  return fmt::format("run:{}", version);
}

}  // namespace

Faults schema_faults(const Json& document) {
  const DocumentKind kind = document_kind(document);
  const std::string name = make_name(kind);
  const valijson::Schema& schema = schemas().at(name);
  const std::string rows = kind == DocumentKind::kOperations ? "operations" : "cases";
  const Json* const list = make_rows(document, rows);
  if (list == nullptr) return find_faults(schema, document);
  if (list->size() > kMostRows) return {fmt::format("{}: has more than {} rows", rows, kMostRows)};
  return is_valid_by_shapes(document, name, rows) ? Faults() : first_faults(schema, document, rows);
}

Faults faults_by(const Json& schema, const Json& document) {
  valijson::Schema read;
  read_schema(schema, read);
  return find_faults(read, document);
}

}  // namespace gpubench
