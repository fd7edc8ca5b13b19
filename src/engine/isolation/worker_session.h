#pragma once
// One conversation with a worker, from its start to its end.

#include <functional>

#include "engine/execution/case_executor.h"
#include "engine/isolation/child_process.h"
#include "engine/isolation/messages.h"

namespace gpubench {

/// Why a conversation ended without the answer.
enum class Ending { kAnswered, kEnded, kTimeout, kAborted, kGarbage };

/// What a conversation came to.
struct WorkerOutcome {
  Ending ending = Ending::kEnded;
  std::optional<Reply> answer;       ///< A CaseReply, PilotReply, EngineFacts or ErrorReply.
  std::optional<CaseRecord> so_far;  ///< With the epochs done; unset where the case was not set up.
  std::string garbage;               ///< What the worker sent that is no message.
  ChildEnd end;
  Seconds duration;  ///< Whole life of the process.
  std::vector<std::string> last_lines;
};

/// Starts a worker, sends `request`, passes on what `control` wants, and waits for the answer and for the end
/// of the process. Throws an internal Error only where the process cannot be started.
WorkerOutcome converse(WorkerSource& workers, const Request& request, const std::vector<int>& inherited,
                       std::optional<Seconds> timeout, CaseControl& control);

}  // namespace gpubench
