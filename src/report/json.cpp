// The result file: everything the record holds, in base units. See results/README.md and results/schema.

#include <algorithm>
#include <cmath>
#include <iterator>

#include <nlohmann/json.hpp>

#include "gpubench/record/field_table.h"
#include "report/entries.h"

namespace gpubench {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
void put(Json& object, const std::string& key, const T& value) {
  object[key] = value;
}

void put(Json& object, const std::string& key, const Absent& why) {
  object[key] = nullptr;
  object[key + "_reason"] = why.reason;
}

// JSON has no NaN and no infinity. Inside an array the library already writes null for them.
void put(Json& object, const std::string& key, double number) {
  if (!std::isfinite(number)) return put(object, key, absent("not a finite number"));
  object[key] = number;
}

template <class Named>
void put_named(Json& object, const std::string& key, const Named& items) {
  Json named = Json::object();
  for (const auto& [name, value] : items) put(named, name, value);
  object[key] = std::move(named);
}

void put(Json& object, const std::string& key, const NamedValues& values) { put_named(object, key, values); }
void put(Json& object, const std::string& key, const NamedSeries& series) { put_named(object, key, series); }

template <class Record>
void put_fields(Json& object, std::span<const Field<Record>> fields, const Record& record) {
  for (const Field<Record>& field : fields) {
    std::visit([&](const auto& value) { put(object, field.key, value); }, field.get(record));
  }
}

template <class Record>
Json to_json(std::span<const Field<Record>> fields, const Record& record) {
  Json object = Json::object();
  put_fields(object, fields, record);
  return object;
}

template <class Record>
Json to_json(std::span<const Field<Record>> fields, const std::vector<Record>& records) {
  Json list = Json::array();
  for (const Record& record : records) list.push_back(to_json(fields, record));
  return list;
}

Json tool_json(const ToolRecord& tool) {
  Json object{{"name", "gpubench"}};
  put_fields(object, tool_fields(), tool);
  return object;
}

Json dataset_json(const DatasetRecord& dataset) {
  Json object = to_json(dataset_fields(), dataset);
  object["files"] = to_json(data_file_fields(), dataset.files);
  return object;
}

Json environment_json(const Environment& environment) {
  Json object = to_json(environment_fields(), environment);
  object["devices"] = to_json(device_fields(), environment.devices);
  object["datasets"] = Json::array();
  for (const DatasetRecord& dataset : environment.datasets) {
    object["datasets"].push_back(dataset_json(dataset));
  }
  return object;
}

// Text from the operating system need not be UTF-8; what is not becomes U+FFFD.
std::string plain_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool fits_on_a_line(const Json& value) {
  const auto is_nested = [](const Json& item) { return item.is_structured(); };
  return value.empty() || !value.is_structured() ||
         (value.is_array() && std::none_of(value.begin(), value.end(), is_nested));
}

std::string line(const Json& value) {
  if (!value.is_array()) return plain_text(value);
  std::string text = "[";
  for (const Json& item : value) text += (text.size() > 1 ? ", " : "") + plain_text(item);
  return text + "]";
}

void lay_out(std::string& text, const Json& value, const std::string& indent) {
  if (fits_on_a_line(value)) {
    text += line(value);
    return;
  }
  const std::string inner = indent + "  ";
  text += value.is_object() ? "{\n" : "[\n";
  for (auto item = value.begin(); item != value.end(); ++item) {
    text += inner;
    if (value.is_object()) text += plain_text(item.key()) + ": ";
    lay_out(text, *item, inner);
    text += std::next(item) == value.end() ? "\n" : ",\n";
  }
  text += indent + (value.is_object() ? "}" : "]");
}

std::string render(const RunRecord& record) {
  Json document;
  document["schema_version"] = RunRecord::kSchemaVersion;
  document["tool"] = tool_json(record.tool);
  document["environment"] = environment_json(record.environment);
  document["cases"] = to_json(case_fields(), record.cases);

  std::string text;
  lay_out(text, document, "");
  return text + "\n";
}

}  // namespace

ReportFormat entry_json() { return {"json", "the result file, with everything that was measured", render}; }

}  // namespace gpubench
