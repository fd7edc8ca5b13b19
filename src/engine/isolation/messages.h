#pragma once
// Messages between supervisors, workers and ranks: one JSON object per line.

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
  std::optional<RankContext> rank_context{};  ///< Unset for a single rank.

  // For training cases only:
  Json dataset{};                       ///< Layout of a SharedDataset.
  std::optional<Bytes> memory_limit{};  ///< Host memory that the case may allocate.
  bool reports_steps = false;
  std::optional<Seconds> pilot_limit{};  ///< If set, run only a pilot of about this length.
  bool tries_modes = false;              ///< Run only the trials of its modes.
  ResolvedModes tried{};                 ///< Results of earlier trials.
  Seconds process_start{};               ///< Start of the worker, by the machine's monotonic clock.
};

/// Requests the end of the case after its current epoch.
struct StopMessage {
  StopRequest why = StopRequest::kInterrupt;
};

// --- Messages from rank 0 to the supervisors of other ranks, besides RowRequest:

/// First message of rank 0.
struct PlanMessage {
  std::vector<std::string> devices;  ///< Devices of rank 0.
  int threads = 0;
  std::string allocator;     ///< See allocator_setting().
  std::string memory_limit;  ///< Value of --memory-limit.
  bool is_repeated = false;  ///< Execute workers instead of forking, to vary memory layouts.
  std::vector<Json> cases;   ///< From to_json(const Work&).
};

/// Requests the immediate end of the row.
struct AbortMessage {};

/// Last message of rank 0.
struct EndMessage {
  std::string why;  ///< Reason for the end; empty after success.
};

using Request = std::variant<FactsRequest, RowRequest, StopMessage, PlanMessage, AbortMessage, EndMessage>;

struct StepsReply {
  std::int64_t steps = 0;  ///< Steps since the last StepsReply.
};

/// Row before the first epoch.
struct OpenedReply {
  CaseRecord record;
};

struct RowReply {
  Result record;
  bool has_lost_connection = false;  ///< True if the connection to another rank was lost.
};

/// Result of mode trials. Also the reply to a case that needs trials first: then `modes` is incomplete.
struct ModesReply {
  ResolvedModes modes;
};

/// Failure of a request; the supervisor throws the same Error.
struct ErrorReply {
  ErrorKind kind = ErrorKind::kInternal;
  std::string message;
};

// --- Messages from the supervisors of other ranks to rank 0, besides RowReply and ErrorReply:

/// First message of a rank.
struct HelloMessage {
  std::string job{};  ///< See Launch::job.
  std::int64_t rank = 0;
  std::int64_t ranks = 0;
  std::string version{};  ///< gpubench version with its commit.
  std::string host{};
  std::string cores{};         ///< Allowed CPUs; ranks of one host with equal text share them.
  double available_cores = 0;  ///< Number of allowed CPUs, or the CPU quota if lower.
};

/// Answer to a PlanMessage.
struct ReadyMessage {
  Environment environment;  ///< Includes the datasets; `ranks` has only this rank.
};

/// EpochRecord is sent after each epoch.
using Reply = std::variant<EngineFacts, StepsReply, OpenedReply, EpochRecord, RowReply, Pilot, ModesReply,
                           ErrorReply, HelloMessage, ReadyMessage>;

/// Returns one line, without the line break.
std::string to_line(const Request& request);
std::string to_line(const Reply& reply);

/// Parses a line. Throws a data Error for an invalid line.
Request request_from(const std::string& line);
Reply reply_from(const std::string& line);

}  // namespace gpubench
