#include "record/document/record_json.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "record/document/json_object.h"

namespace gpubench {
namespace {

DocumentKind find_kind(const Json& result, const std::string& place) {
  require_object(result, place);
  const std::string workload = std::get<std::string>(
      make_field_value(result.value("workload", Json()), Kind::kText, inside(place, "workload")));
  const auto has_rows = [&](const auto& fields) {
    return std::ranges::count(fields.find("workload")->values.names, workload) > 0;
  };
  if (has_rows(case_fields())) return DocumentKind::kRun;
  if (has_rows(op_fields())) return DocumentKind::kOperations;
  if (has_rows(peak_point_fields())) return DocumentKind::kPeak;
  if (has_rows(check_fields())) return DocumentKind::kSelftest;
  refuse(inside(place, "workload"), "is unknown to this gpubench");
}

void require_version(const Json& document) {
  const std::string key = "schema_version";
  if (!document.contains(key)) refuse(key, "is missing; use a result file of gpubench");
  const Json& found = document.at(key);
  if (found.is_number_integer() && found == kSchemaVersion) return;
  refuse(key,
         fmt::format("found {}, but this gpubench reads {} only; use the gpubench that wrote the file, or "
                     "measure again",
                     json_text(found), kSchemaVersion));
}

/// Moves reasons that are common to all results to the document.
void share_reasons(Json& document) {
  Json& results = document["results"];
  if (results.size() < 2) return;
  Json common = results.front().value(kMissingKey, Json::object());
  for (const Json& result : results) {
    const Json own = result.value(kMissingKey, Json::object());
    for (auto reason = common.begin(); reason != common.end();) {
      const auto same = own.find(reason.key());
      reason = same != own.end() && *same == *reason ? std::next(reason) : common.erase(reason);
    }
  }
  if (common.empty()) return;
  for (Json& result : results) {
    for (const auto& [key, reason] : common.items()) result[kMissingKey].erase(key);
    if (result[kMissingKey].empty()) result.erase(kMissingKey);
  }
  document[kMissingKey] = std::move(common);
}

/// Returns the results, each with the common reasons of the document.
Json results_in(const Json& document) {
  Json results = document.at("results");
  const Json common = document.value(kMissingKey, Json::object());
  require_object(common, kMissingKey);
  for (Json& result : results) {
    if (common.empty() || !result.is_object()) continue;
    Json& own = result.emplace(kMissingKey, Json::object()).first.value();
    if (own.is_object()) own.insert(common.begin(), common.end());
  }
  return results;
}

template <class Run>
bool has_operations(const Run& run) {
  if constexpr (requires { run.has_operations(); }) return run.has_operations();
  return false;
}

/// Returns the document of a run. Published figures have no tool, plan and environment.
template <class Run>
Json make_document(const Run& run) {
  Json document{{"schema_version", kSchemaVersion}};
  Written written = Written::kAll;
  visit_parts(run, [&](const std::string& key, const auto& part, const auto& fields) {
    Json& object = document[key];
    if (key == "tool") object["name"] = "gpubench";
    object.update(make_object(fields, part));
    if constexpr (requires { part.figures; }) {
      written = Written::kReported;
      if (has_operations(run)) return;
      object["figures"] = Json::array();
      for (const NamedValues& of_case : part.figures) object["figures"].push_back(json_value(of_case));
    }
  });
  visit_rows(run, [&](const auto& rows, const auto& fields) {
    document["results"] = make_list(fields, rows, written);
  });
  share_reasons(document);
  return document;
}

template <class Run>
Run make_run(const Json& document, DocumentKind kind) {
  if (const DocumentKind found = document_kind(document); found != kind)
    throw Error(ErrorKind::kData, "is {}; this command needs {}", to_string(found), to_string(kind));
  Run run;
  if constexpr (requires { run.published; }) {
    if (document.contains("published")) run.published.emplace();
  }
  visit_parts(run, [&](const char* key, auto& part, const auto& fields) {
    if (document.contains(key)) part = make_record(document.at(key), fields, key);
  });
  // Published figures have no plan.
  if constexpr (requires { run.plan; }) {
    if (run.has_operations() != (kind == DocumentKind::kOperations))
      run.plan.kind = kind == DocumentKind::kOperations ? "table" : PlanRecord().kind;
  }
  visit_rows(run, [&](auto& rows, const auto& fields) {
    rows = make_records(results_in(document), fields, "results");
  });
  return run;
}

}  // namespace

DocumentKind document_kind(const Json& document) {
  require_object(document, "document");
  require_version(document);
  const auto results = document.find("results");
  if (results == document.end() || !results->is_array()) refuse("results", "expected a list of objects");
  if (results->size() > kMostRows) refuse("results", fmt::format("has more than {} rows", kMostRows));
  std::optional<DocumentKind> kind;
  for (std::size_t i = 0; i < results->size(); ++i) {
    const std::string place = fmt::format("results[{}]", i);
    const DocumentKind found = find_kind((*results)[i], place);
    if (kind.value_or(found) != found) refuse(inside(place, "workload"), "differs from earlier results");
    kind = found;
  }
  if (kind) return *kind;
  const PlanRecord initial;
  const bool is_training =
      document.value("plan", Json::object()).value("kind", Json(initial.kind)) == initial.kind;
  return is_training ? DocumentKind::kRun : DocumentKind::kOperations;
}

Json to_json(const DeviceRecord& device) { return make_object(device_fields(), device); }
Json to_json(const Environment& environment) { return make_object(environment_fields(), environment); }
Json raw_json(const CaseRecord& record) { return make_object(case_fields(), record, Written::kRaw); }
Json raw_json(const OpRecord& row) { return make_object(op_fields(), row, Written::kRaw); }
Json raw_json(const Result& row) {
  return std::visit([](const auto& record) { return raw_json(record); }, row);
}
Result result_from_json(const Json& object) {
  switch (find_kind(object, "result")) {
    case DocumentKind::kRun:
      return make_record(object, case_fields(), "case");
    case DocumentKind::kOperations:
      return make_record(object, op_fields(), "operation");
    default:
      refuse("result.workload", "must be that of a case or an operation");
  }
}

void from_json(const Json& object, CaseRecord& record) {
  record = make_record(object, case_fields(), "case");
}
void from_json(const Json& object, DeviceRecord& device) {
  device = make_record(object, device_fields(), "device");
}
void from_json(const Json& object, Environment& environment) {
  environment = make_record(object, environment_fields(), "environment");
}

Json run_to_json(const RunRecord& run) { return make_document(run); }
Json peak_to_json(const PeakRecord& peak) { return make_document(peak); }
Json selftest_to_json(const SelftestRecord& selftest) { return make_document(selftest); }

RunRecord run_from_json(const Json& document) {
  auto run = make_run<RunRecord>(document, DocumentKind::kRun);
  if (!run.published) return run;
  const std::string place = "published.figures";
  const Json list = document.at("published").value("figures", Json::array());
  if (!list.is_array()) refuse(place, "expected a list of objects");
  std::vector<NamedValues>& figures = run.published->figures;
  for (const Json& item : list) {
    const std::string where = fmt::format("{}[{}]", place, figures.size());
    figures.push_back(std::get<NamedValues>(make_field_value(item, Kind::kNamedValues, where)));
  }
  if (figures.size() != run.cases.size())
    refuse(place, fmt::format("expected {} entries, one per case", run.cases.size()));
  return run;
}

RunRecord ops_from_json(const Json& document) {
  return make_run<RunRecord>(document, DocumentKind::kOperations);
}
RunRecord any_run_from_json(const Json& document) {
  RunRecord run = document_kind(document) == DocumentKind::kOperations ? ops_from_json(document)
                                                                       : run_from_json(document);
  run.is_changed = is_changed(document);
  return run;
}
PeakRecord peak_from_json(const Json& document) {
  return make_run<PeakRecord>(document, DocumentKind::kPeak);
}
SelftestRecord selftest_from_json(const Json& document) {
  return make_run<SelftestRecord>(document, DocumentKind::kSelftest);
}

std::string run_document(const RunRecord& run) { return document_text(sealed(run_to_json(run))); }
std::string peak_document(const PeakRecord& peak) { return document_text(sealed(peak_to_json(peak))); }
std::string selftest_document(const SelftestRecord& selftest) {
  return document_text(sealed(selftest_to_json(selftest)));
}

RunRecord read_run_file(const std::filesystem::path& path) { return read_document_as(path, run_from_json); }

}  // namespace gpubench
