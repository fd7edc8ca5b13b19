#include "record/document/record_json.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "record/document/json.h"
#include "record/document/json_object.h"

namespace gpubench {
namespace {

struct KindFacts {
  const char* name;
  std::vector<std::string> workloads;
};

template <class Record>
const std::vector<std::string>& workloads_in(const FieldTable<Record>& fields) {
  return fields.find("workload")->values.names;
}

/// In the order of DocumentKind.
const std::array<KindFacts, 4>& all_kinds() {
  static const std::array<KindFacts, 4> kinds{{{"a run", workloads_in(case_fields())},
                                               {"a table of operations", workloads_in(op_fields())},
                                               {"a peak measurement", workloads_in(peak_point_fields())},
                                               {"a selftest", workloads_in(check_fields())}}};
  return kinds;
}

DocumentKind find_kind(const Json& result, const std::string& place) {
  require_object(result, place);
  const std::string workload = std::get<std::string>(
      make_field_value(result.value("workload", Json()), Kind::kText, inside(place, "workload")));
  const auto has_workload = [&](const KindFacts& kind) {
    return std::ranges::find(kind.workloads, workload) != kind.workloads.end();
  };
  const auto found = std::ranges::find_if(all_kinds(), has_workload);
  if (found == all_kinds().end()) refuse(inside(place, "workload"), "is none that this gpubench knows");
  return static_cast<DocumentKind>(found - all_kinds().begin());
}

void require_version(const Json& document) {
  const std::string key = "schema_version";
  if (!document.contains(key)) {
    refuse(key, "is missing, so this is no document of gpubench; name a file that gpubench wrote");
  }
  const Json& found = document.at(key);
  if (found.is_number_integer() && found == kSchemaVersion) return;
  refuse(key,
         fmt::format("found {}, but this gpubench reads {} only; use the gpubench that wrote the file, or "
                     "measure again",
                     json_text(found), kSchemaVersion));
}

/// A record that no gpubench measured has neither tool nor plan nor environment.
template <class Run>
Json make_document(const Run& run) {
  Json document{{"schema_version", kSchemaVersion}};
  Written written = Written::kAll;
  if constexpr (requires { run.published; }) {
    if (run.published) {
      written = Written::kReported;
      document["published"] = make_object(published_fields(), *run.published);
    }
  }
  if (written == Written::kAll) {
    visit_parts(run, [&](const char* key, const auto& part, const auto& /*fields*/) {
      document[key] = to_json(part);
    });
  }
  visit_rows(run, [&](const auto& rows, const auto& fields) {
    document["results"] = make_list(fields, rows, written);
  });
  return document;
}

template <class Run>
Run make_run(const Json& document, DocumentKind kind) {
  if (const DocumentKind found = document_kind(document); found != kind)
    throw Error(ErrorKind::kData, "is {}; this command needs {}", words_for(found), words_for(kind));
  Run run;
  visit_parts(run, [&](const char* key, auto& part, const auto& fields) {
    if (document.contains(key)) part = make_record(document.at(key), fields, key);
  });
  visit_rows(run, [&](auto& rows, const auto& fields) {
    rows = make_records(document.at("results"), fields, "results");
  });
  if constexpr (requires { run.published; }) {
    if (document.contains("published")) {
      run.published = make_record(document.at("published"), published_fields(), "published");
    }
  }
  return run;
}

std::vector<NamedValues> make_figures(const Json& list, std::size_t cases) {
  const std::string place = "published.figures";
  if (!list.is_array()) refuse(place, "a list of objects is expected");
  std::vector<NamedValues> figures;
  for (const Json& item : list) {
    const std::string where = fmt::format("{}[{}]", place, figures.size());
    figures.push_back(std::get<NamedValues>(make_field_value(item, Kind::kNamedValues, where)));
  }
  if (figures.size() == cases) return figures;
  refuse(place, fmt::format("an entry for each of the {} cases is expected", cases));
}

}  // namespace

DocumentKind document_kind(const Json& document) {
  require_object(document, "document");
  require_version(document);
  const auto results = document.find("results");
  if (results == document.end() || !results->is_array()) refuse("results", "a list of objects is expected");
  if (results->size() > kMostRows) refuse("results", fmt::format("has more than {} rows", kMostRows));
  std::optional<DocumentKind> kind;
  for (std::size_t i = 0; i < results->size(); ++i) {
    const std::string place = fmt::format("results[{}]", i);
    const DocumentKind found = find_kind((*results)[i], place);
    if (kind.value_or(found) != found) refuse(inside(place, "workload"), "is not that of the results before");
    kind = found;
  }
  if (kind) return *kind;
  const bool is_of_operations = document.value("plan", Json()).contains("kind");
  return is_of_operations ? DocumentKind::kOperations : DocumentKind::kRun;
}

std::string words_for(DocumentKind kind) { return all_kinds().at(static_cast<std::size_t>(kind)).name; }

Json to_json(const CaseRecord& record) { return make_object(case_fields(), record); }
Json to_json(const PlanRecord& plan) { return make_object(plan_fields(), plan); }
Json to_json(const DeviceRecord& device) { return make_object(device_fields(), device); }
Json to_json(const Environment& environment) { return make_object(environment_fields(), environment); }
Json to_json(const OpRecord& row) { return make_object(op_fields(), row); }
Json raw_json(const CaseRecord& record) { return make_object(case_fields(), record, Written::kRaw); }
Json raw_json(const OpRecord& row) { return make_object(op_fields(), row, Written::kRaw); }
Json to_json(const OpsSettings& settings) { return make_object(ops_settings_fields(), settings); }
Json to_json(const ToolRecord& tool) {
  Json object{{"name", "gpubench"}};
  object.update(make_object(tool_fields(), tool));
  return object;
}

void from_json(const Json& object, CaseRecord& record) {
  record = make_record(object, case_fields(), "case");
}
void from_json(const Json& object, ToolRecord& tool) { tool = make_record(object, tool_fields(), "tool"); }
void from_json(const Json& object, PlanRecord& plan) { plan = make_record(object, plan_fields(), "plan"); }
void from_json(const Json& object, DeviceRecord& device) {
  device = make_record(object, device_fields(), "device");
}
void from_json(const Json& object, Environment& environment) {
  environment = make_record(object, environment_fields(), "environment");
}
void from_json(const Json& object, OpRecord& row) { row = make_record(object, op_fields(), "operation"); }
void from_json(const Json& object, OpsSettings& settings) {
  settings = make_record(object, ops_settings_fields(), "settings");
}

Json run_to_json(const RunRecord& run) {
  Json document = make_document(run);
  if (!run.published) return document;
  Json& figures = document["published"]["figures"] = Json::array();
  for (const NamedValues& of_case : run.published->figures) figures.push_back(json_value(of_case));
  return document;
}
Json ops_to_json(const OpsRecord& ops) { return make_document(ops); }
Json peak_to_json(const PeakRecord& peak) { return make_document(peak); }
Json selftest_to_json(const SelftestRecord& selftest) { return make_document(selftest); }

RunRecord run_from_json(const Json& document) {
  auto run = make_run<RunRecord>(document, DocumentKind::kRun);
  if (!run.published) return run;
  const Json figures = document.at("published").value("figures", Json::array());
  run.published->figures = make_figures(figures, run.cases.size());
  return run;
}

OpsRecord ops_from_json(const Json& document) {
  return make_run<OpsRecord>(document, DocumentKind::kOperations);
}
PeakRecord peak_from_json(const Json& document) {
  return make_run<PeakRecord>(document, DocumentKind::kPeak);
}
SelftestRecord selftest_from_json(const Json& document) {
  return make_run<SelftestRecord>(document, DocumentKind::kSelftest);
}

std::string run_document(const RunRecord& run) { return document_text(sealed(run_to_json(run))); }
std::string ops_document(const OpsRecord& ops) { return document_text(sealed(ops_to_json(ops))); }
std::string peak_document(const PeakRecord& peak) { return document_text(sealed(peak_to_json(peak))); }
std::string selftest_document(const SelftestRecord& selftest) {
  return document_text(sealed(selftest_to_json(selftest)));
}

RunRecord read_run_file(const std::filesystem::path& path) { return read_document_as(path, run_from_json); }

}  // namespace gpubench
