#include "engine/sweep/journal_events.h"

#include <limits>
#include <map>

#include "engine/execution/case_json.h"
#include "gpubench/core/clock.h"

namespace gpubench {
namespace {

constexpr int kVersion = 1;

Json entry_json(const Case& c, const CaseRecord& row) {
  return {{"case", to_json(c)}, {"row", to_json(row)}};
}

/// What an epoch adds to a row, with the keys that a row has.
Json epoch_json(const EpochRecord& epoch) {
  Json training = Json::object();
  for (const auto& [name, value] : epoch.training) training[name] = Json::array({value});
  return {{"epoch_seconds", Json::array({epoch.duration.value})}, {"training", training}};
}

/// A figure that is no number is null in a file.
double number_in(const Json& list) {
  const Json& number = list.at(0);
  return number.is_null() ? std::numeric_limits<double>::quiet_NaN() : number.get<double>();
}

void append_case(JournalState& state, const Json& entry) {
  state.cases.push_back({entry.at("case"), case_from_json(entry.at("row")), false, std::nullopt});
}

void apply_planned(JournalState& state, const Json& event) {
  if (event.at("journal_version") != kVersion) {
    throw Error(ErrorKind::kData, "it was written by another version of gpubench; continue it with that one");
  }
  state.header = {tool_from_json(event.at("tool")), plan_from_json(event.at("plan")),
                  environment_from_json(event.at("environment"))};
  for (const Json& entry : event.at("cases")) append_case(state, entry);
  state.planned = state.cases.size();
}

JournalCase& case_of(JournalState& state, const Json& event) {
  return state.cases.at(event.at("position").get<std::size_t>());
}

void apply_added(JournalState& state, const Json& event) { append_case(state, event); }

void apply_started(JournalState& state, const Json& event) {
  JournalCase& entry = case_of(state, event);
  entry.is_begun = true;
  entry.result.reset();
  entry.row.epoch_seconds.clear();
  entry.row.training.clear();
  entry.row.started_at = event.at("at").get<std::string>();
  state.ended_at = absent("the run has not finished");
}

void apply_epoch(JournalState& state, const Json& event) {
  const Json& written = event.at("record");
  EpochRecord epoch;
  epoch.duration = Seconds{number_in(written.at("epoch_seconds"))};
  for (const auto& [name, values] : written.at("training").items()) {
    epoch.training.emplace_back(name, number_in(values));
  }
  add_epoch(case_of(state, event).row, epoch);
}

void apply_finished(JournalState& state, const Json& event) {
  case_of(state, event).result = case_from_json(event.at("record"));
}

void apply_ended(JournalState& state, const Json& event) {
  state.ended_at = event.at("at").get<std::string>();
}

}  // namespace

void apply_event(JournalState& state, const Json& event) {
  static const std::map<std::string, void (*)(JournalState&, const Json&)> kEvents = {
      {"planned", apply_planned}, {"added", apply_added},       {"started", apply_started},
      {"epoch", apply_epoch},     {"finished", apply_finished}, {"ended", apply_ended}};
  kEvents.at(event.at("event").get<std::string>())(state, event);
}

Json planned_event(const JournalHeader& header, const std::vector<Case>& cases,
                   const std::vector<CaseRecord>& rows) {
  Json list = Json::array();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    list.push_back(entry_json(cases[i], rows[i]));
  }
  return {{"event", "planned"},
          {"journal_version", kVersion},
          {"tool", to_json(header.tool)},
          {"plan", to_json(header.plan)},
          {"environment", to_json(header.environment)},
          {"cases", list}};
}

Json added_event(const Case& c, const CaseRecord& row) {
  Json event = entry_json(c, row);
  event["event"] = "added";
  return event;
}

Json started_event(std::size_t position) {
  return {{"event", "started"}, {"position", position}, {"at", utc_timestamp_milliseconds()}};
}

Json epoch_event(std::size_t position, const EpochRecord& epoch) {
  return {{"event", "epoch"}, {"position", position}, {"record", epoch_json(epoch)}};
}

Json finished_event(std::size_t position, const CaseRecord& record) {
  return {{"event", "finished"}, {"position", position}, {"record", to_json(record)}};
}

Json ended_event() { return {{"event", "ended"}, {"at", utc_timestamp()}}; }

}  // namespace gpubench
