#include "engine/isolation/messages.h"

#include "record/document/json.h"
#include "record/document/wire.h"

namespace gpubench {

// wire.h finds these by argument-dependent lookup, so no anonymous namespace.

static constexpr std::array kErrorKindNames{"internal", "usage", "data", "device"};
static EnumNames<ErrorKind> enum_names(ErrorKind) { return {"error kind", kErrorKindNames}; }

static constexpr std::array kStopRequestNames{"none", "interrupt", "deadline"};
static EnumNames<StopRequest> enum_names(StopRequest) { return {"stop request", kStopRequestNames}; }

template <class Mode>
static void parts(auto& visit, Mode& choice) requires kIsA<std::remove_const_t<Mode>, Choice> {
  visit("used", choice.used);
  visit("note", choice.note);
  visit("is_lasting", choice.is_lasting);
}

GPUBENCH_PARTS(ResolvedModes, layout, execution)
GPUBENCH_PARTS(RankContext, rank, ranks, host, port, listener, group_id, timeout)

GPUBENCH_PARTS(FactsRequest, devices, threads, renews_peaks, op, shapes, stored_peaks)
GPUBENCH_PARTS(RowRequest, work, threads, rank_context, dataset, memory_limit, reports_steps, pilot_limit,
               tries_modes, tried, process_start)
GPUBENCH_PARTS(StopMessage, why)
GPUBENCH_PARTS(PlanMessage, devices, threads, allocator, memory_limit, is_repeated, cases)
static void parts(auto& /*visit*/, Like<AbortMessage> auto& /*message*/) {}
GPUBENCH_PARTS(EndMessage, why)

GPUBENCH_PARTS(EngineFacts, devices, environment, gpus, new_peaks)
GPUBENCH_PARTS(StepsReply, steps)
GPUBENCH_PARTS(OpenedReply, record)
GPUBENCH_PARTS(RowReply, record, has_lost_connection)
GPUBENCH_PARTS(Pilot, status, status_reason, setup, first_step, step, duration, steps, peak_device, modes)
GPUBENCH_PARTS(ModesReply, modes)
GPUBENCH_PARTS(ErrorReply, kind, message)
GPUBENCH_PARTS(HelloMessage, job, rank, ranks, version, host, cores, available_cores)
GPUBENCH_PARTS(ReadyMessage, environment)

namespace {

constexpr const char* kRequest = "request";
constexpr std::array kRequestNames{"facts", "row", "stop", "plan", "abort", "end"};
constexpr const char* kReply = "reply";
constexpr std::array kReplyNames{"facts", "steps", "opened", "epoch", "row",
                                 "pilot", "modes", "error",  "hello", "ready"};

/// Returns the JSON of the active alternative, with its entry of `names` under `tag`.
template <class Message, std::size_t kSize>
Json tagged_json(const char* tag, const std::array<const char*, kSize>& names, const Message& message) {
  static_assert(kSize == std::variant_size_v<Message>);
  Json json{{tag, names.at(message.index())}};
  json.update(std::visit([](const auto& alternative) { return wire_json(alternative); }, message));
  return json;
}

/// Reads the result of tagged_json(). Throws an exception of any type for other JSON.
template <class Message, std::size_t kSize, std::size_t kIndex = 0>
Message read_tagged(const char* tag, const std::array<const char*, kSize>& names, const Json& json) {
  if constexpr (kIndex == kSize) {
    throw Error(ErrorKind::kData, "unknown {}: '{}'", tag, json.at(tag).template get<std::string>());
  } else {
    if (json.at(tag) != names.at(kIndex)) return read_tagged<Message, kSize, kIndex + 1>(tag, names, json);
    std::variant_alternative_t<kIndex, Message> alternative;
    read_wire(json, alternative);
    return alternative;
  }
}

template <class Message, std::size_t kSize>
Message read_line(const char* tag, const std::array<const char*, kSize>& names, const std::string& line) {
  try {
    return read_tagged<Message>(tag, names, parse_document(line));
  } catch (const std::exception&) {
    throw Error(ErrorKind::kData, "invalid {}: '{}'", tag, line.substr(0, 80));
  }
}

}  // namespace

std::string to_line(const Request& request) {
  return json_text(tagged_json(kRequest, kRequestNames, request));
}
std::string to_line(const Reply& reply) { return json_text(tagged_json(kReply, kReplyNames, reply)); }
Request request_from(const std::string& line) { return read_line<Request>(kRequest, kRequestNames, line); }

Reply reply_from(const std::string& line) {
  Reply reply = read_line<Reply>(kReply, kReplyNames, line);
  // An empty message would be counted as an epoch.
  if (const auto* epoch = std::get_if<EpochRecord>(&reply); epoch != nullptr && epoch->phases.empty())
    throw Error(ErrorKind::kData, "epoch message without a time");
  return reply;
}

}  // namespace gpubench
