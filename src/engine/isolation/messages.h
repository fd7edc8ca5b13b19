#pragma once
// Messages between supervisors and workers, one JSON object a line: docs/isolation.md, docs/ranks.md.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/api/case_monitor.h"
#include "engine/machine/facts.h"
#include "engine/plan/work.h"

namespace gpubench {

struct RowRequest {
  Json work{};  ///< From to_json(const Work&).
  int threads = 0;
  std::optional<RankContext> rank_context{};  ///< Set for a row of several ranks.

  // Training cases only:
  Json dataset{};                       ///< Layout of a SharedDataset.
  std::optional<Bytes> memory_limit{};  ///< Host memory that the case may allocate.
  bool reports_steps = false;
  std::optional<Seconds> pilot_limit{};  ///< Set: a pilot of about this length instead of the whole case.
  bool tries_modes = false;              ///< Trials of its modes instead of the case.
  ResolvedModes tried{};                 ///< Results of earlier trials.
  Seconds process_start{};               ///< By the machine's monotonic clock.
};

/// End the case after its current epoch.
struct StopMessage {
  StopRequest why = StopRequest::kInterrupt;
};

// --- Rank 0 sends RowRequest to the supervisors of other ranks too, and these:

/// First message of rank 0.
struct PlanMessage {
  std::vector<std::string> devices;  ///< Of rank 0.
  int threads = 0;
  std::string allocator;     ///< See allocator_setting().
  std::string memory_limit;  ///< Value of --memory-limit.
  bool is_repeated = false;  ///< Each worker begins with its own program.
  std::vector<Json> cases;   ///< From to_json(const Work&).
};

/// End the row at once.
struct AbortMessage {};

/// Last message of rank 0.
struct EndMessage {
  std::string why;  ///< Empty after success.
};

using Request = std::variant<FactsRequest, RowRequest, StopMessage, PlanMessage, AbortMessage, EndMessage>;

struct StepsReply {
  std::int64_t steps = 0;  ///< Since the last such message.
};

/// Before the first epoch: the row as it would be if nothing came after.
struct OpenedReply {
  CaseRecord record;
};

struct RowReply {
  Result record;
  bool has_lost_connection = false;  ///< The row failed because another rank could not be reached.
};

/// Result of trials of modes; not whole if a case needs trials, in another process, and has done nothing.
struct ModesReply {
  ResolvedModes modes;
};

/// The request failed; the supervisor throws the same Error.
struct ErrorReply {
  ErrorKind kind = ErrorKind::kInternal;
  std::string message;
};

// --- The supervisors of other ranks send RowReply and ErrorReply to rank 0, and these:

/// First message of a rank.
struct HelloMessage {
  std::string job{};  ///< As Launch::job.
  std::int64_t rank = 0;
  std::int64_t ranks = 0;
  std::string version{};  ///< Of gpubench, with its commit.
  std::string host{};
  std::string cores{};         ///< CPUs that it may use; ranks of one host with equal texts share them.
  double available_cores = 0;  ///< Number of these, limited by a quota.
};

/// Answer to a PlanMessage.
struct ReadyMessage {
  Environment environment;  ///< With datasets, and with this rank alone in `ranks`.
};

/// An EpochRecord comes after each epoch.
using Reply = std::variant<EngineFacts, StepsReply, OpenedReply, EpochRecord, RowReply, Pilot, ModesReply,
                           ErrorReply, HelloMessage, ReadyMessage>;

/// Returns one line, without its end.
std::string to_line(const Request& request);
std::string to_line(const Reply& reply);

/// Throw a data Error for any other line.
Request request_from(const std::string& line);
Reply reply_from(const std::string& line);

}  // namespace gpubench
