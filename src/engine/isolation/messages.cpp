#include "engine/isolation/messages.h"

#include "engine/execution/seat_wire.h"
#include "engine/execution/tagged_lines.h"

namespace gpubench {

// --- Words and members. What wire.h finds by its argument cannot be in a namespace without a name.

static constexpr std::array kErrorKindNames{"internal", "usage", "data", "device"};
static EnumNames<ErrorKind> names_of(ErrorKind) { return {"kind of error", kErrorKindNames}; }

static constexpr std::array kStopRequestNames{"none", "interrupt", "deadline"};
static EnumNames<StopRequest> names_of(StopRequest) { return {"request", kStopRequestNames}; }

static constexpr std::array kTaskNames{"classification", "pairs", "images", "language"};
static EnumNames<Task> names_of(Task) { return {"task", kTaskNames}; }

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

static void parts(auto& visit, Like<TriedModes> auto& modes) {
  visit("layout", modes.layout);
  visit("execution", modes.execution);
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
  visit("seat", request.seat);
  visit("process_start_seconds", request.process_start);
}

static void parts(auto& visit, Like<OpMessage> auto& request) {
  visit("operation", request.plan);
  visit("threads", request.threads);
  visit("seat", request.seat);
}

static void parts(auto& visit, Like<StopMessage> auto& message) { visit("why", message.why); }

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
  visit("item", entry.item);
  visit("options", entry.options);
}

static void parts(auto& visit, Like<EngineFacts> auto& facts) {
  visit("models", facts.models);
  visit("devices", facts.devices);
  visit("environment", facts.environment);
  visit("gpus", facts.gpus);
}

static void parts(auto& visit, Like<StepsReply> auto& reply) {
  visit("steps", reply.steps);
  visit("is_waiting", reply.is_waiting);
}

template <class Reply>
concept HasRecord = requires(Reply& reply) {
  reply.record;
};

static void parts(auto& visit, HasRecord auto& reply) { visit("record", reply.record); }

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

namespace {

/// In the order of the variants.
struct RequestKinds {
  static constexpr const char* kTag = "request";
  static constexpr const char* kNames[] = {"facts", "case", "operation", "stop"};
};
struct ReplyKinds {
  static constexpr const char* kTag = "reply";
  static constexpr const char* kNames[] = {"facts",     "steps", "opened", "epoch", "case",
                                           "operation", "pilot", "modes",  "error"};
};

}  // namespace

std::string to_line(const Request& request) { return tagged_line<RequestKinds>(request); }
std::string to_line(const Reply& reply) { return tagged_line<ReplyKinds>(reply); }
Request request_from(const std::string& line) { return message_in<RequestKinds, Request>(line); }
Reply reply_from(const std::string& line) { return message_in<ReplyKinds, Reply>(line); }

}  // namespace gpubench
