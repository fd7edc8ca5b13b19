#include "app/files/migration.h"

#include "gpubench/record/peak_record.h"
#include "record/document/json_object.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

/// Up to version 2 the reason stood beside the value.
Json migrated_point(Json point, const std::string& place) {
  require_object(point, place);
  const auto reason = point.find("value_reason");
  if (reason == point.end()) return point;
  const Json former = *reason;
  point.erase(reason);
  point["absent"] = {{"value", former}};
  return point;
}

Json migrated_points(const Json& points) {
  if (!points.is_array()) refuse("points", "a list of objects is expected");
  Json list = Json::array();
  for (const Json& point : points)
    list.push_back(migrated_point(point, fmt::format("points[{}]", list.size())));
  return list;
}

Json migrated_peak(Json document) {
  require_version(document, kPeakSchemaVersion);
  document["schema_version"] = kPeakSchemaVersion;
  document["tool"] = to_json(document.value("tool", Json::object()).get<ToolRecord>());
  document["environment"] = to_json(document.value("environment", Json::object()).get<Environment>());
  document["points"] = migrated_points(document.at("points"));
  return sealed(std::move(document));
}

}  // namespace

std::string migrated(const Json& document) {
  const DocumentKind kind = document_kind(document);
  if (kind == DocumentKind::kOperations) return ops_document(ops_from_json(document));
  if (kind == DocumentKind::kPeak) return document_text(migrated_peak(document));
  return run_document(run_from_json(document));
}

}  // namespace gpubench
