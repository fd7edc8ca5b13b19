#include "engine/ranks/rank_messages.h"

#include "engine/execution/seat_wire.h"
#include "engine/execution/tagged_lines.h"
#include "gpubench/core/error.h"

namespace gpubench {

// Found by their arguments; see wire.h.

static void parts(auto& visit, Like<HelloMessage> auto& message) {
  visit("job", message.job);
  visit("rank", message.rank);
  visit("ranks", message.ranks);
  visit("version", message.version);
  visit("arguments", message.arguments);
  visit("host", message.host);
  visit("cores", message.cores);
  visit("available_cores", message.available_cores);
}

static void parts(auto& visit, Like<DataDigest> auto& digest) {
  visit("name", digest.name);
  visit("content", digest.content);
}

static void parts(auto& visit, Like<RankRecord> auto& rank) {
  visit("rank", rank.rank);
  visit("host", rank.host);
  visit("os", rank.os);
  visit("kernel", rank.kernel);
  visit("cpu", rank.cpu);
  visit("device", rank.device);
  visit("device_model", rank.device_model);
  visit("driver", rank.driver);
  visit("libtorch_build", rank.libtorch_build);
  visit("threads", rank.threads);
  visit("address", rank.address);
  visit("link", rank.link);
  visit("device_link", rank.device_link);
  visit("device_uuid", rank.device_uuid);
  visit("device_pci_address", rank.device_pci_address);
  visit("visible_devices", rank.visible_devices);
}

static void parts(auto& visit, Like<ReadyMessage> auto& message) {
  visit("ready", message.rank);
  visit("libtorch_version", message.libtorch_version);
  visit("data", message.data);
}

static void parts(auto& visit, Like<FailedMessage> auto& message) { visit("message", message.message); }

static void parts(auto& visit, Like<DoneMessage> auto& message) {
  visit("status", message.status);
  visit("reason", message.reason);
  visit("last_lines", message.last_lines);
  visit("is_waiting", message.is_waiting);
  visit("record", message.record);
}

static void parts(auto& visit, Like<PlanMessage> auto& message) {
  visit("devices", message.devices);
  visit("threads", message.threads);
  visit("allocator", message.allocator);
  visit("memory_limit", message.memory_limit);
  visit("is_repeated", message.is_repeated);
  visit("cases", message.cases);
}

static void parts(auto& visit, Like<CaseMessage> auto& message) {
  visit("case", message.plan);
  visit("seat", message.seat);
}

static void parts(auto& visit, Like<CollectiveMessage> auto& message) {
  visit("collective", message.plan);
  visit("seat", message.seat);
}

static void parts(auto& /*visit*/, Like<AbortMessage> auto& /*message*/) {}

static void parts(auto& visit, Like<EndMessage> auto& message) { visit("why", message.why); }

namespace {

struct FromRankKinds {
  static constexpr const char* kTag = "told";
  static constexpr const char* kNames[] = {"hello", "ready", "failed", "done"};
};
struct ToRankKinds {
  static constexpr const char* kTag = "order";
  static constexpr const char* kNames[] = {"plan", "run", "collective", "abort", "end"};
};

}  // namespace

std::string to_line(const FromRank& message) { return tagged_line<FromRankKinds>(message); }
std::string to_line(const ToRank& message) { return tagged_line<ToRankKinds>(message); }
FromRank from_rank(const std::string& line) { return message_in<FromRankKinds, FromRank>(line); }
ToRank to_rank(const std::string& line) { return message_in<ToRankKinds, ToRank>(line); }

void fail_unexpected(const std::string& from) {
  throw Error(
      ErrorKind::kUsage,
      "{}: does not say what is due; see whether it is gpubench of the same version, started together "
      "with this one",
      from);
}

}  // namespace gpubench
