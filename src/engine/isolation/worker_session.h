#pragma once
// Conversations with a worker, from its start to its end.

#include <optional>
#include <string>
#include <vector>

#include "engine/execution/executor.h"
#include "engine/isolation/child_process.h"
#include "engine/isolation/messages.h"
#include "gpubench/core/clock.h"

namespace gpubench {

/// Why a conversation ended without the answer.
enum class Ending { kAnswered, kEnded, kTimeout, kAborted, kGarbage };

/// What a conversation came to.
struct WorkerOutcome {
  Ending ending = Ending::kEnded;
  std::optional<Reply> answer;       ///< A CaseReply, OpReply, PilotReply, EngineFacts or ErrorReply.
  std::optional<CaseRecord> so_far;  ///< With the epochs done; unset where the case was not set up.
  std::string garbage;               ///< What the worker sent that is no message.

  // Once the process has ended.
  ChildEnd end;
  Seconds duration;  ///< Whole life of the process.
  std::vector<std::string> last_lines;
};

/// A worker that is asked one thing after the other. Not thread-safe.
class WorkerSession {
 public:
  /// Throws an internal Error where the process cannot be started.
  WorkerSession(WorkerSource& workers, const std::vector<int>& inherited)
      : child_(workers, inherited), start_(clock_.now()) {}

  /// Sends `request`, passes on what `control` wants, and waits for the answer. Any other end than kAnswered
  /// is the last of the session.
  WorkerOutcome ask(const Request& request, std::optional<Seconds> timeout, RowControl& control);

  /// Waits for the end of the process and notes what it took.
  void finish(WorkerOutcome& outcome);

 private:
  ChildProcess child_;
  SteadyClock clock_;
  Seconds start_;
};

/// A session of a single request.
WorkerOutcome converse(WorkerSource& workers, const Request& request, const std::vector<int>& inherited,
                       std::optional<Seconds> timeout, RowControl& control);

}  // namespace gpubench
