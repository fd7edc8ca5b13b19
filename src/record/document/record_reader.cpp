// Records from JSON. What the values of a key must be is known to the setters of the field tables alone.

#include <fmt/format.h>

#include "gpubench/record/field_table.h"
#include "record/document/json_value.h"
#include "record/document/ops_file.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

DatasetRecord dataset_from_json(const Json& object, const std::string& where) {
  DatasetRecord dataset = record_of(object, dataset_fields(), where);
  read_list(dataset.files, object, "files", where, [](const Json& item, const std::string& place) {
    return record_of(item, data_file_fields(), place);
  });
  return dataset;
}

NamedValues figures_of(const Json& object, const std::string& place) {
  require_object(object, place);
  const FieldValue value = object_value(object, place);
  if (const auto* figures = std::get_if<NamedValues>(&value)) return *figures;
  refuse(place, "an object of numbers is expected");
}

PublishedRecord published_from_json(const Json& object, std::size_t cases) {
  PublishedRecord published = record_of(object, published_fields(), "published");
  read_list(published.figures, object, "figures", "published", figures_of);
  if (published.figures.size() == cases) return published;
  refuse("published.figures", fmt::format("an entry for each of the {} cases is expected", cases));
}

void require_result(const Json& document) {
  if (document.contains("points")) {
    refuse("points", "make this a peak of the machine, not the result of a run; name a result file");
  }
  if (is_ops_document(document)) {
    refuse("operations",
           "make this a table of operations, not the result of a run; name a result file, or look at this "
           "one with 'gpubench show', 'report' or 'compare'");
  }
  require_version(document, RunRecord::kSchemaVersion);
}

}  // namespace

CaseRecord case_from_json(const Json& object, const std::string& where) {
  CaseRecord record = record_of(object, case_fields(), where);
  read_list(record.energy, object, "energy", where, [](const Json& item, const std::string& place) {
    return record_of(item, energy_fields(), place);
  });
  return record;
}

ToolRecord tool_from_json(const Json& object, const std::string& where) {
  return record_of(object, tool_fields(), where);
}

PlanRecord plan_from_json(const Json& object, const std::string& where) {
  return record_of(object, plan_fields(), where);
}

DeviceRecord device_from_json(const Json& object, const std::string& where) {
  return record_of(object, device_fields(), where);
}

Environment environment_from_json(const Json& object, const std::string& where) {
  Environment environment = record_of(object, environment_fields(), where);
  read_list(environment.devices, object, "devices", where, device_from_json);
  read_list(environment.datasets, object, "datasets", where, dataset_from_json);
  return environment;
}

RunRecord run_from_json(const Json& document) {
  require_object(document, "result");
  require_result(document);
  RunRecord run;
  if (document.contains("tool")) run.tool = tool_from_json(document.at("tool"));
  if (document.contains("plan")) run.plan = plan_from_json(document.at("plan"));
  if (document.contains("environment")) run.environment = environment_from_json(document.at("environment"));
  read_list(run.cases, document, "cases", "", case_from_json);
  if (document.contains("published")) {
    run.published = published_from_json(document.at("published"), run.cases.size());
  }
  return run;
}

}  // namespace gpubench
