#include "engine/isolation/messages.h"

#include <limits>
#include <map>

#include "record/document/ops_file.h"

namespace gpubench {
namespace {

constexpr ErrorKind kKinds[] = {ErrorKind::kInternal, ErrorKind::kUsage, ErrorKind::kData,
                                ErrorKind::kDevice};

template <class T>
Json optional_json(const std::optional<T>& value) {
  return value ? Json(value->value) : Json(nullptr);
}

template <class T>
std::optional<T> optional_from(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return T{json.get<decltype(T::value)>()};
}

Json json_of(const FactsRequest& request) {
  return {{"request", "facts"}, {"devices", request.devices}, {"threads", request.threads}};
}

Json json_of(const CaseRequest& request) {
  return {{"request", "case"},
          {"case", request.plan},
          {"dataset", request.dataset},
          {"threads", request.threads},
          {"memory_limit_bytes", optional_json(request.memory_limit)},
          {"reports_steps", request.reports_steps},
          {"pilot_limit_seconds", optional_json(request.pilot_limit)}};
}

Json json_of(const OpMessage& request) {
  return {{"request", "operation"}, {"operation", request.plan}, {"threads", request.threads}};
}

Json json_of(const StopMessage& message) {
  return {{"request", "stop"}, {"why", message.why == StopRequest::kDeadline ? "deadline" : "interrupt"}};
}

Json json_of(const ModelOption& option) {
  return {{"name", option.name},       {"summary", option.summary},
          {"value", option.value},     {"minimum", option.minimum},
          {"maximum", option.maximum}, {"sample_dimension", option.sample_dimension}};
}

Json json_of(const ModelEntry& entry) {
  Json options = Json::array();
  for (const ModelOption& option : entry.options) options.push_back(json_of(option));
  return {{"name", entry.name},
          {"summary", entry.summary},
          {"architecture", entry.architecture},
          {"task", static_cast<int>(entry.spec.task)},
          {"sample_shape", entry.spec.sample_shape},
          {"classes", entry.spec.classes},
          {"item", entry.item},
          {"options", options}};
}

Json json_of(const EngineFacts& facts) {
  Json models = Json::array();
  for (const ModelEntry& entry : facts.models) models.push_back(json_of(entry));
  return {{"reply", "facts"},
          {"models", models},
          {"devices", facts.devices},
          {"environment", to_json(facts.environment)}};
}

Json json_of(const StepsReply& reply) { return {{"reply", "steps"}, {"steps", reply.steps}}; }
Json json_of(const OpenedReply& reply) { return {{"reply", "opened"}, {"record", to_json(reply.record)}}; }
Json json_of(const CaseReply& reply) { return {{"reply", "case"}, {"record", to_json(reply.record)}}; }
Json json_of(const OpReply& reply) { return {{"reply", "operation"}, {"record", to_json(reply.record)}}; }

Json json_of(const NamedValues& values) {
  Json object = Json::object();
  for (const auto& [name, value] : values) object[name] = value;
  return object;
}

Json json_of(const EpochReply& reply) {
  const EpochRecord& epoch = reply.epoch;
  Json phases = Json::array();
  for (const Phase& phase : epoch.phases) {
    phases.push_back({phase.name, phase.start.value, phase.duration.value});
  }
  return {{"reply", "epoch"},
          {"phases", phases},
          {"seconds", epoch.duration.value},
          {"training", json_of(epoch.training)},
          {"steps", epoch.steps},
          {"samples", epoch.samples},
          {"host_bytes", optional_json(epoch.host)},
          {"device_bytes", optional_json(epoch.device)},
          {"input_wait_seconds", optional_json(epoch.input_wait)},
          {"validation_seconds", optional_json(epoch.validation)},
          {"validation", json_of(epoch.validation_figures)}};
}

Json json_of(const PilotReply& reply) {
  const Reading<Bytes>& peak = reply.pilot.peak_device;
  return {{"reply", "pilot"},
          {"status", to_string(reply.pilot.status)},
          {"status_message", reply.pilot.status_reason},
          {"setup_seconds", reply.pilot.setup.value},
          {"first_step_seconds", reply.pilot.first_step.value},
          {"step_seconds", reply.pilot.step.value},
          {"duration_seconds", reply.pilot.duration.value},
          {"steps", reply.pilot.steps},
          {"peak_device_bytes", peak.has_value() ? Json(peak.value().value) : Json(nullptr)},
          {"peak_device_bytes_reason", peak.reason()}};
}

Json json_of(const ErrorReply& reply) {
  return {{"reply", "error"}, {"kind", static_cast<int>(reply.kind)}, {"message", reply.message}};
}

Request facts_request(const Json& json) {
  return FactsRequest{json.at("devices").get<std::vector<std::string>>(), json.at("threads").get<int>()};
}

Request case_request(const Json& json) {
  return CaseRequest{json.at("case"),
                     json.at("dataset"),
                     json.at("threads").get<int>(),
                     optional_from<Bytes>(json.at("memory_limit_bytes")),
                     json.at("reports_steps").get<bool>(),
                     optional_from<Seconds>(json.at("pilot_limit_seconds"))};
}

Request op_message(const Json& json) {
  return OpMessage{json.at("operation"), json.at("threads").get<int>()};
}

Request stop_message(const Json& json) {
  return StopMessage{json.at("why") == "deadline" ? StopRequest::kDeadline : StopRequest::kInterrupt};
}

ModelOption option_from(const Json& json) {
  return {json.at("name").get<std::string>(),     json.at("summary").get<std::string>(),
          json.at("value").get<std::int64_t>(),   json.at("minimum").get<std::int64_t>(),
          json.at("maximum").get<std::int64_t>(), json.at("sample_dimension").get<int>()};
}

ModelEntry model_from(const Json& json) {
  ModelEntry entry{
      json.at("name").get<std::string>(),
      json.at("summary").get<std::string>(),
      json.at("architecture").get<std::string>(),
      {static_cast<Task>(json.at("task").get<int>()),
       json.at("sample_shape").get<std::vector<std::int64_t>>(), json.at("classes").get<std::int64_t>()},
      json.at("item").get<std::string>(),
      nullptr};
  for (const Json& option : json.at("options")) entry.options.push_back(option_from(option));
  return entry;
}

Reply facts_reply(const Json& json) {
  EngineFacts facts;
  for (const Json& entry : json.at("models")) facts.models.push_back(model_from(entry));
  facts.devices = json.at("devices").get<std::vector<std::string>>();
  facts.environment = environment_from_json(json.at("environment"));
  return facts;
}

Reply steps_reply(const Json& json) { return StepsReply{json.at("steps").get<std::int64_t>()}; }
Reply case_reply(const Json& json) { return CaseReply{case_from_json(json.at("record"))}; }

Reply op_reply(const Json& json) { return OpReply{op_from_json(json.at("record"))}; }
Reply opened_reply(const Json& json) { return OpenedReply{case_from_json(json.at("record"))}; }

/// A figure that is no number is null in JSON.
NamedValues named_from(const Json& json) {
  NamedValues values;
  for (const auto& [name, value] : json.items()) {
    values.emplace_back(name,
                        value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
  }
  return values;
}

Reply epoch_reply(const Json& json) {
  EpochReply reply;
  EpochRecord& epoch = reply.epoch;
  for (const Json& phase : json.at("phases")) {
    epoch.phases.push_back(
        {phase.at(0).get<std::string>(), {phase.at(1).get<double>()}, {phase.at(2).get<double>()}});
  }
  epoch.duration = {json.at("seconds").get<double>()};
  epoch.training = named_from(json.at("training"));
  epoch.steps = json.at("steps").get<std::int64_t>();
  epoch.samples = json.at("samples").get<std::int64_t>();
  epoch.host = optional_from<Bytes>(json.at("host_bytes"));
  epoch.device = optional_from<Bytes>(json.at("device_bytes"));
  epoch.input_wait = optional_from<Seconds>(json.at("input_wait_seconds"));
  epoch.validation = optional_from<Seconds>(json.at("validation_seconds"));
  epoch.validation_figures = named_from(json.at("validation"));
  if (epoch.training.empty()) throw Error(ErrorKind::kData, "a heartbeat without its epoch");
  return reply;
}

Reply pilot_reply(const Json& json) {
  PilotReply reply;
  reply.pilot.status = row_status(json.at("status").get<std::string>());
  reply.pilot.status_reason = json.at("status_message").get<std::string>();
  reply.pilot.setup = {json.at("setup_seconds").get<double>()};
  reply.pilot.first_step = {json.at("first_step_seconds").get<double>()};
  reply.pilot.step = {json.at("step_seconds").get<double>()};
  reply.pilot.duration = {json.at("duration_seconds").get<double>()};
  reply.pilot.steps = json.at("steps").get<std::int64_t>();
  const Json& peak = json.at("peak_device_bytes");
  if (!peak.is_null()) reply.pilot.peak_device = Bytes{peak.get<std::int64_t>()};
  if (peak.is_null())
    reply.pilot.peak_device = absent(json.at("peak_device_bytes_reason").get<std::string>());
  return reply;
}

Reply error_reply(const Json& json) {
  const auto kind = json.at("kind").get<std::size_t>();
  return ErrorReply{kind < std::size(kKinds) ? kKinds[kind] : ErrorKind::kInternal,
                    json.at("message").get<std::string>()};
}

/// The message in `line`, read by the function that `readers` has for the value of its key `tag`.
template <class Message>
Message read(const std::string& line, const char* tag,
             const std::map<std::string, Message (*)(const Json&)>& readers) {
  try {
    const Json json = Json::parse(line);
    return readers.at(json.at(tag).get<std::string>())(json);
  } catch (const std::exception&) {
    throw Error(ErrorKind::kData, "'" + line.substr(0, 80) + "' is no " + tag);
  }
}

}  // namespace

std::string to_line(const Request& request) {
  return std::visit([](const auto& message) { return json_text(json_of(message)); }, request);
}

std::string to_line(const Reply& reply) {
  return std::visit([](const auto& message) { return json_text(json_of(message)); }, reply);
}

Request request_from(const std::string& line) {
  static const std::map<std::string, Request (*)(const Json&)> readers = {
      {"facts", facts_request}, {"case", case_request}, {"operation", op_message}, {"stop", stop_message}};
  return read<Request>(line, "request", readers);
}

Reply reply_from(const std::string& line) {
  static const std::map<std::string, Reply (*)(const Json&)> readers = {
      {"facts", facts_reply}, {"steps", steps_reply},  {"opened", opened_reply}, {"epoch", epoch_reply},
      {"case", case_reply},   {"operation", op_reply}, {"pilot", pilot_reply},   {"error", error_reply}};
  return read<Reply>(line, "reply", readers);
}

}  // namespace gpubench
