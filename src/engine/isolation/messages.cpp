#include "engine/isolation/messages.h"

#include "engine/execution/tagged_lines.h"

namespace gpubench {

// --- Words and members. What wire.h finds by its argument cannot be in a namespace without a name.

static constexpr std::array kErrorKindNames{"internal", "usage", "data", "device"};
static EnumNames<ErrorKind> enum_names(ErrorKind) { return {"kind of error", kErrorKindNames}; }

static constexpr std::array kStopRequestNames{"none", "interrupt", "deadline"};
static EnumNames<StopRequest> enum_names(StopRequest) { return {"request", kStopRequestNames}; }

static constexpr std::array kTaskNames{"classification", "pairs", "images", "language"};
static EnumNames<Task> enum_names(Task) { return {"task", kTaskNames}; }

static void parts(auto& visit, Like<FactsRequest> auto& request) {
  visit("devices", request.devices);
  visit("threads", request.threads);
  visit("renews_roofs", request.renews_roofs);
}

template <class Mode>
static void parts(auto& visit, Mode& choice) requires kIsA<std::remove_const_t<Mode>, Choice> {
  visit("used", choice.used);
  visit("note", choice.note);
}

static void parts(auto& visit, Like<ResolvedModes> auto& modes) {
  visit("layout", modes.layout);
  visit("execution", modes.execution);
}

static void parts(auto& visit, Like<RankContext> auto& context) {
  visit("rank", context.rank);
  visit("world_size", context.ranks);
  visit("host", context.host);
  visit("port", context.port);
  visit("listener", context.listener);
  visit("group_id", context.group_id);
  visit("timeout_seconds", context.timeout);
}

static void parts(auto& visit, Like<CaseRequest> auto& request) {
  visit("case", request.plan);
  visit("dataset", request.dataset);
  visit("threads", request.threads);
  visit("memory_limit_bytes", request.memory_limit);
  visit("reports_steps", request.reports_steps);
  visit("pilot_limit_seconds", request.pilot_limit);
  visit("tries_modes", request.tries_modes);
  visit("tried", request.tried);
  visit("rank_context", request.rank_context);
  visit("process_start_seconds", request.process_start);
}

static void parts(auto& visit, Like<OpMessage> auto& request) {
  visit("operation", request.plan);
  visit("threads", request.threads);
  visit("rank_context", request.rank_context);
}

static void parts(auto& visit, Like<StopMessage> auto& message) { visit("why", message.why); }

static void parts(auto& visit, Like<PlanMessage> auto& message) {
  visit("devices", message.devices);
  visit("threads", message.threads);
  visit("allocator", message.allocator);
  visit("memory_limit", message.memory_limit);
  visit("is_repeated", message.is_repeated);
  visit("cases", message.cases);
}

static void parts(auto& /*visit*/, Like<AbortMessage> auto& /*message*/) {}

static void parts(auto& visit, Like<EndMessage> auto& message) { visit("why", message.why); }

static void parts(auto& visit, Like<ModelOption> auto& option) {
  visit("name", option.name);
  visit("summary", option.summary);
  visit("value", option.value);
  visit("minimum", option.minimum);
  visit("maximum", option.maximum);
  visit("sample_dimension", option.sample_dimension);
}

static void parts(auto& visit, Like<ModelEntry> auto& entry) {
  visit("name", entry.name);
  visit("summary", entry.summary);
  visit("architecture", entry.architecture);
  visit("task", entry.spec.task);
  visit("sample_shape", entry.spec.sample_shape);
  visit("classes", entry.spec.classes);
  visit("sample_unit", entry.item);
  visit("options", entry.options);
}

static void parts(auto& visit, Like<EngineFacts> auto& facts) {
  visit("models", facts.models);
  visit("devices", facts.devices);
  visit("environment", facts.environment);
  visit("gpus", facts.gpus);
}

static void parts(auto& visit, Like<StepsReply> auto& reply) { visit("steps", reply.steps); }

static void parts(auto& visit, Like<OpenedReply> auto& reply) { visit("record", reply.record); }

template <class Reply>
concept IsRow = Like<Reply, CaseReply> || Like<Reply, OpReply>;

static void parts(auto& visit, IsRow auto& reply) {
  visit("record", reply.record);
  visit("has_lost_connection", reply.has_lost_connection);
}

static void parts(auto& visit, Like<Phase> auto& phase) {
  visit("name", phase.name);
  visit("start", phase.start);
  visit("seconds", phase.duration);
}

static void parts(auto& visit, Like<EpochRecord> auto& epoch) {
  visit("phases", epoch.phases);
  visit("seconds", epoch.duration);
  visit("block_seconds", epoch.block_seconds);
  visit("training", epoch.training);
  visit("steps", epoch.steps);
  visit("samples", epoch.samples);
  visit("host_bytes", epoch.host);
  visit("device_bytes", epoch.device);
  visit("input_wait_seconds", epoch.input_wait);
  visit("validation_seconds", epoch.validation);
  visit("validation", epoch.validation_figures);
  visit("communication_seconds", epoch.communication);
  visit("rank_busy_seconds", epoch.rank_busy_seconds);
  // That of a case whose set-up went wrong would be taken for an epoch.
  if (std::same_as<decltype(visit), WireReader&> && epoch.training.empty())
    throw Error(ErrorKind::kData, "a heartbeat without its epoch");
}

static void parts(auto& visit, Like<Pilot> auto& pilot) {
  visit("status", pilot.status);
  visit("status_message", pilot.status_reason);
  visit("setup_seconds", pilot.setup);
  visit("first_step_seconds", pilot.first_step);
  visit("step_seconds", pilot.step);
  visit("duration_seconds", pilot.duration);
  visit("steps", pilot.steps);
  visit("peak_device_bytes", pilot.peak_device);
}

static void parts(auto& visit, Like<ModesReply> auto& reply) { visit("found", reply.found); }

static void parts(auto& visit, Like<ErrorReply> auto& reply) {
  visit("kind", reply.kind);
  visit("message", reply.message);
}

static void parts(auto& visit, Like<HelloMessage> auto& message) {
  visit("job", message.job);
  visit("rank", message.rank);
  visit("ranks", message.ranks);
  visit("version", message.version);
  visit("host", message.host);
  visit("cores", message.cores);
  visit("available_cores", message.available_cores);
}

static void parts(auto& visit, Like<ReadyMessage> auto& message) {
  visit("environment", message.environment);
}

namespace {

/// In the order of the variants.
struct RequestKinds {
  static constexpr const char* kTag = "request";
  static constexpr const char* kNames[] = {"facts", "case", "operation", "stop", "plan", "abort", "end"};
};
struct ReplyKinds {
  static constexpr const char* kTag = "reply";
  static constexpr const char* kNames[] = {"facts", "steps", "opened", "epoch", "case", "operation",
                                           "pilot", "modes", "error",  "hello", "ready"};
};

}  // namespace

std::string to_line(const Request& request) { return tagged_line<RequestKinds>(request); }
std::string to_line(const Reply& reply) { return tagged_line<ReplyKinds>(reply); }
Request request_from(const std::string& line) { return message_in<RequestKinds, Request>(line); }
Reply reply_from(const std::string& line) { return message_in<ReplyKinds, Reply>(line); }

}  // namespace gpubench
