#include "record/document/record_json.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "record/document/json.h"
#include "record/document/json_object.h"

namespace gpubench {
namespace {

struct KindFacts {
  DocumentKind kind;
  const char* rows;  ///< Key of the list of rows.
  const char* name;
  std::int64_t version;
};

/// In the order of DocumentKind.
constexpr std::array<KindFacts, 4> kKinds{{
    {DocumentKind::kRun, "cases", "a run", RunRecord::kSchemaVersion},
    {DocumentKind::kOperations, "operations", "a table of operations", OpsRecord::kSchemaVersion},
    {DocumentKind::kPeak, "points", "a peak measurement", PeakRecord::kSchemaVersion},
    {DocumentKind::kSelftest, "checks", "a selftest", SelftestRecord::kSchemaVersion},
}};

const KindFacts& find_facts(DocumentKind kind) { return kKinds.at(static_cast<std::size_t>(kind)); }

/// A record that no gpubench measured has neither tool nor plan nor environment.
template <class Run>
Json make_document(const Run& run) {
  Json document{{"schema_version", Run::kSchemaVersion}};
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
  visit_rows(run, [&](const char* key, const auto& rows, const auto& fields) {
    document[key] = make_list(fields, rows, written);
  });
  return document;
}

template <class Run>
Run make_run(const Json& document, DocumentKind kind) {
  require_object(document, "document");
  if (const DocumentKind found = document_kind(document); found != kind)
    throw Error(ErrorKind::kData, "is {}; this command needs {}", words_for(found), words_for(kind));
  require_version(document, Run::kSchemaVersion);
  Run run;
  visit_parts(run, [&](const char* key, auto& part, const auto& fields) {
    if (document.contains(key)) part = make_record(document.at(key), fields, key);
  });
  visit_rows(run, [&](const char* key, auto& rows, const auto& fields) {
    if (!document.contains(key)) return;
    const Json& list = document.at(key);
    if (list.size() > kMostRows) refuse(key, fmt::format("has more than {} rows", kMostRows));
    rows = make_records(list, fields, key);
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
  const auto has_rows = [&](const KindFacts& facts) {
    return facts.kind != DocumentKind::kRun && document.contains(facts.rows);
  };
  const auto found = std::ranges::find_if(kKinds, has_rows);
  return found == kKinds.end() ? DocumentKind::kRun : found->kind;
}

std::string words_for(DocumentKind kind) { return find_facts(kind).name; }

std::int64_t find_schema_version(DocumentKind kind) { return find_facts(kind).version; }

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

Json run_to_json(const RunRecord& record) {
  Json document = make_document(record);
  if (!record.published) return document;
  Json& figures = document["published"]["figures"] = Json::array();
  for (const NamedValues& of_case : record.published->figures) figures.push_back(json_value(of_case));
  return document;
}

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
std::string ops_document(const OpsRecord& ops) { return document_text(sealed(make_document(ops))); }
std::string peak_document(const PeakRecord& peak) { return document_text(sealed(make_document(peak))); }
std::string selftest_document(const SelftestRecord& selftest) {
  return document_text(sealed(make_document(selftest)));
}

RunRecord read_run_file(const std::filesystem::path& path) {
  const Json document = read_document(path);
  try {
    return run_from_json(document);
  } catch (const Error& error) {
    throw Error(error.kind(), "{}: {}", path.string(), error.what());
  }
}

}  // namespace gpubench
