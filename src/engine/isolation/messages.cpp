#include "engine/isolation/messages.h"

#include "record/document/json.h"

namespace gpubench {

// wire.h finds these by argument-dependent lookup, so no anonymous namespace.

static constexpr std::array kErrorKindNames{"internal", "usage", "data", "device"};
static EnumNames<ErrorKind> enum_names(ErrorKind) { return {"kind of error", kErrorKindNames}; }

static constexpr std::array kStopRequestNames{"none", "interrupt", "deadline"};
static EnumNames<StopRequest> enum_names(StopRequest) { return {"request", kStopRequestNames}; }

static constexpr std::array kTaskNames{"classification", "pairs", "images", "language"};
static EnumNames<Task> enum_names(Task) { return {"task", kTaskNames}; }

template <class Mode>
static void parts(auto& visit, Mode& choice) requires kIsA<std::remove_const_t<Mode>, Choice> {
  visit("used", choice.used);
  visit("note", choice.note);
}

GPUBENCH_PARTS(ResolvedModes, layout, execution)
GPUBENCH_PARTS(RankContext, rank, ranks, host, port, listener, group_id, timeout)

GPUBENCH_PARTS(FactsRequest, devices, threads, renews_peaks)
GPUBENCH_PARTS(CaseRequest, plan, dataset, threads, memory_limit, reports_steps, pilot_limit, tries_modes,
               tried, rank_context, process_start)
GPUBENCH_PARTS(OpMessage, plan, threads, rank_context)
GPUBENCH_PARTS(StopMessage, why)
GPUBENCH_PARTS(PlanMessage, devices, threads, allocator, memory_limit, is_repeated, cases)
static void parts(auto& /*visit*/, Like<AbortMessage> auto& /*message*/) {}
GPUBENCH_PARTS(EndMessage, why)

GPUBENCH_PARTS(DataSpec, task, sample_shape, classes)
GPUBENCH_PARTS(ModelOption, name, summary, value, minimum, maximum, sample_dimension)
GPUBENCH_PARTS(ModelEntry, name, summary, architecture, spec, item, options)
GPUBENCH_PARTS(EngineFacts, models, devices, environment, gpus)
GPUBENCH_PARTS(StepsReply, steps)
GPUBENCH_PARTS(OpenedReply, record)
GPUBENCH_PARTS(CaseReply, record, has_lost_connection)
GPUBENCH_PARTS(OpReply, record, has_lost_connection)
GPUBENCH_PARTS(Pilot, status, status_reason, setup, first_step, step, duration, steps, peak_device)
GPUBENCH_PARTS(ModesReply, found)
GPUBENCH_PARTS(ErrorReply, kind, message)
GPUBENCH_PARTS(HelloMessage, job, rank, ranks, version, host, cores, available_cores)
GPUBENCH_PARTS(ReadyMessage, environment)

namespace {

/// The key that names the alternative of a variant, and the names in the variant's order.
struct RequestKinds {
  static constexpr const char* kTag = "request";
  static constexpr const char* kNames[] = {"facts", "case", "operation", "stop", "plan", "abort", "end"};
};
struct ReplyKinds {
  static constexpr const char* kTag = "reply";
  static constexpr const char* kNames[] = {"facts", "steps", "opened", "epoch", "case", "operation",
                                           "pilot", "modes", "error",  "hello", "ready"};
};

template <class Kinds, class Message>
std::string tagged_line(const Message& message) {
  static_assert(std::size(Kinds::kNames) == std::variant_size_v<Message>);
  Json json{{Kinds::kTag, Kinds::kNames[message.index()]}};
  json.update(std::visit([](const auto& alternative) { return wire_json(alternative); }, message));
  return json_text(json);
}

template <class Kinds, class Message, std::size_t kIndex = 0>
Message alternative_in(const std::string& name, const Json& json) {
  if constexpr (kIndex == std::variant_size_v<Message>) {
    throw Error(ErrorKind::kData, "an unknown name");
  } else {
    if (name != Kinds::kNames[kIndex]) return alternative_in<Kinds, Message, kIndex + 1>(name, json);
    std::variant_alternative_t<kIndex, Message> alternative;
    read_wire(json, alternative);
    return alternative;
  }
}

template <class Kinds, class Message>
Message message_in(const std::string& line) {
  const std::string tag = Kinds::kTag;
  try {
    const Json json = parse_document(line);
    return alternative_in<Kinds, Message>(json.at(tag).template get<std::string>(), json);
  } catch (const std::exception&) {
    throw Error(ErrorKind::kData, "'" + line.substr(0, 80) + "' is no " + tag);
  }
}

}  // namespace

std::string to_line(const Request& request) { return tagged_line<RequestKinds>(request); }
std::string to_line(const Reply& reply) { return tagged_line<ReplyKinds>(reply); }
Request request_from(const std::string& line) { return message_in<RequestKinds, Request>(line); }

Reply reply_from(const std::string& line) {
  Reply reply = message_in<ReplyKinds, Reply>(line);
  // A case whose set-up failed sends none; an empty one would be counted as an epoch.
  if (const auto* epoch = std::get_if<EpochRecord>(&reply); epoch != nullptr && epoch->training.empty())
    throw Error(ErrorKind::kData, "a heartbeat without its epoch");
  return reply;
}

}  // namespace gpubench
