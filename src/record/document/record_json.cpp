#include "record/document/record_json.h"

#include <algorithm>

#include <fmt/format.h>

#include "gpubench/record/derived.h"
#include "gpubench/record/peak_record.h"
#include "record/document/document_file.h"
#include "record/document/json_object.h"

namespace gpubench {
namespace {

constexpr const char* kRows = "operations";
constexpr const char* kPoints = "points";
constexpr const char* kChecks = "checks";

constexpr const char* kEnergyNote = "energy_note";
/// In the place of a text that the document has once.
constexpr const char* kSaidOnce = "see energy_note of the document";

/// Why there is no energy is a long sentence, and mostly the same for all cases.
void say_energy_note_once(Json& document, const std::vector<CaseRecord>& cases) {
  if (cases.size() < 2 || cases.front().energy_note.empty()) return;
  const std::string& note = cases.front().energy_note;
  if (!std::ranges::all_of(cases, [&](const CaseRecord& c) { return c.energy_note == note; })) return;
  document[kEnergyNote] = note;
  for (Json& c : document.at("cases")) c[kEnergyNote] = kSaidOnce;
}

void give_energy_note_back(const Json& document, std::vector<CaseRecord>& cases) {
  const auto note = document.find(kEnergyNote);
  if (note == document.end() || !note->is_string()) return;
  for (CaseRecord& c : cases) {
    if (c.energy_note == kSaidOnce) c.energy_note = note->get<std::string>();
  }
}

template <class Run>
bool is_published(const Run& run) {
  if constexpr (requires { run.published; }) return run.published.has_value();
  return false;
}

/// A record that no gpubench measured has no tool, no plan, and no environment that was looked at.
template <class Run>
Json make_document(const Run& run) {
  Json document{{"schema_version", Run::kSchemaVersion}};
  if constexpr (requires { run.published; }) {
    if (run.published) document["published"] = make_object(published_fields(), *run.published);
  }
  if (!is_published(run)) {
    visit_parts(run, [&](const char* key, const auto& part, const auto& /*fields*/) {
      document[key] = to_json(part);
    });
  }
  visit_rows(run, [&](const char* key, const auto& rows, const auto& fields) {
    document[key] = make_list(fields, rows, is_published(run) ? Written::kReported : Written::kAll);
  });
  return document;
}

template <class Run>
Run make_run(const Json& document) {
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
    require_object(item, where);
    const FieldValue value = object_value(item, where);
    if (!std::holds_alternative<NamedValues>(value)) refuse(where, "an object of numbers is expected");
    figures.push_back(std::get<NamedValues>(value));
  }
  if (figures.size() == cases) return figures;
  refuse(place, fmt::format("an entry for each of the {} cases is expected", cases));
}

template <class Record>
Record read_file(const std::filesystem::path& path, Record (*from_json)(const Json&)) {
  const Json document = read_document(path);
  try {
    return from_json(document);
  } catch (const Error& error) {
    throw Error(error.kind(), "{}: {}", path.string(), error.what());
  }
}

}  // namespace

DocumentKind document_kind(const Json& document) {
  if (!document.is_object()) return DocumentKind::kRun;
  if (document.contains(kRows)) return DocumentKind::kOperations;
  if (document.contains(kPoints)) return DocumentKind::kPeak;
  return document.contains(kChecks) ? DocumentKind::kSelftest : DocumentKind::kRun;
}

std::string words_for(DocumentKind kind) {
  switch (kind) {
    case DocumentKind::kOperations:
      return "a table of operations";
    case DocumentKind::kPeak:
      return "a peak measurement";
    case DocumentKind::kSelftest:
      return "a selftest";
    case DocumentKind::kRun:
      break;
  }
  return "a run";
}

std::int64_t find_schema_version(DocumentKind kind) {
  switch (kind) {
    case DocumentKind::kOperations:
      return OpsRecord::kSchemaVersion;
    case DocumentKind::kPeak:
      return kPeakSchemaVersion;
    case DocumentKind::kSelftest:
      return SelftestRecord::kSchemaVersion;
    case DocumentKind::kRun:
      break;
  }
  return RunRecord::kSchemaVersion;
}

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

// What the values of a key must be is known to the setters of the field tables alone.
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
  if (!record.published) {
    document["repeats"] = make_list(repeat_fields(), repeat_groups(record));
    if (const auto scaling = compute_scaling(record); !scaling.empty())
      document["scaling"] = make_list(scaling_fields(), scaling);
    say_energy_note_once(document, record.cases);
    return document;
  }
  Json& figures = document["published"]["figures"] = Json::array();
  for (const NamedValues& of_case : record.published->figures) figures.push_back(json_value(of_case));
  return document;
}

std::string run_document(const RunRecord& run) { return document_text(sealed(run_to_json(run))); }

RunRecord run_from_json(const Json& document) {
  require_object(document, "result");
  if (const DocumentKind kind = document_kind(document); kind != DocumentKind::kRun)
    throw Error(ErrorKind::kData, "is {}; this command needs a run", words_for(kind));
  auto run = make_run<RunRecord>(document);
  give_energy_note_back(document, run.cases);
  if (run.published) {
    const Json figures = document.at("published").value("figures", Json::array());
    run.published->figures = make_figures(figures, run.cases.size());
  }
  return run;
}

RunRecord read_run_file(const std::filesystem::path& path) { return read_file(path, run_from_json); }

Json ops_to_json(const OpsRecord& record) { return make_document(record); }

OpsRecord ops_from_json(const Json& document) {
  require_object(document, "table of operations");
  if (document_kind(document) != DocumentKind::kOperations) {
    refuse(kRows, "is missing, so this is no table of operations; name a file that 'gpubench ops' wrote");
  }
  return make_run<OpsRecord>(document);
}

std::string ops_document(const OpsRecord& record) { return document_text(sealed(ops_to_json(record))); }

OpsRecord read_ops_file(const std::filesystem::path& path) { return read_file(path, ops_from_json); }

SelftestRecord selftest_from_json(const Json& document) {
  require_object(document, "selftest");
  if (document_kind(document) != DocumentKind::kSelftest) {
    refuse(kChecks, "is missing, so this is no selftest; name a file that 'gpubench selftest' wrote");
  }
  return make_run<SelftestRecord>(document);
}

std::string selftest_document(const SelftestRecord& record) {
  return document_text(sealed(make_document(record)));
}

}  // namespace gpubench
