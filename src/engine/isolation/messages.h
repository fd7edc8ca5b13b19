#pragma once
// What a supervising process and a worker say to each other: one JSON object a line. docs/isolation.md has
// the list.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/api/case_monitor.h"
#include "engine/execution/work_json.h"
#include "engine/machine/facts.h"

namespace gpubench {

// --- What the supervisor sends.

/// Run a case, or some of its steps.
struct CaseRequest {
  Json plan{};     ///< As from to_json(const Case&).
  Json dataset{};  ///< That of a SharedDataset.
  int threads = 0;
  std::optional<Bytes> memory_limit{};   ///< Host memory that the case may allocate.
  bool reports_steps = false;            ///< Whether a person watches.
  std::optional<Seconds> pilot_limit{};  ///< Set: a pilot of about this length instead of the whole case.
  bool tries_modes = false;              ///< Trials of its modes instead of the case.
  std::optional<TriedModes> tried{};     ///< What such trials found.
  Seconds process_start{};               ///< When the process was started, by the machine's monotonic clock.
  std::optional<RankSeat> seat{};        ///< Set: the case has other ranks, and this one's place is there.
};

/// Run an operation.
struct OpMessage {
  Json plan;  ///< As from to_json(const OpWork&).
  int threads = 0;
  std::optional<RankSeat> seat{};  ///< Of a collective.
};

/// End the case after its current epoch.
struct StopMessage {
  StopRequest why = StopRequest::kInterrupt;
};

using Request = std::variant<FactsRequest, CaseRequest, OpMessage, StopMessage>;

// --- What the worker sends.

struct StepsReply {
  std::int64_t steps = 0;   ///< Since the last such message.
  bool is_waiting = false;  ///< For other ranks, now.
};

/// Before the first epoch: the row as it would be if nothing came after.
struct OpenedReply {
  CaseRecord record;
};

struct CaseReply {
  CaseRecord record;
};

struct OpReply {
  OpRecord record;
};

/// Of trials of modes: what they found. Of a case: that it needs some, in another process, and has done
/// nothing.
struct ModesReply {
  std::optional<TriedModes> found;
};

/// The request could not be met; the same Error is to be thrown by the supervisor.
struct ErrorReply {
  ErrorKind kind = ErrorKind::kInternal;
  std::string message;
};

/// An EpochRecord comes after each epoch.
using Reply = std::variant<EngineFacts, StepsReply, OpenedReply, EpochRecord, CaseReply, OpReply, Pilot,
                           ModesReply, ErrorReply>;

/// One line, without its end.
std::string to_line(const Request& request);
std::string to_line(const Reply& reply);

/// Throw a data Error for what is no such message.
Request request_from(const std::string& line);
Reply reply_from(const std::string& line);

}  // namespace gpubench
