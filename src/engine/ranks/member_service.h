#pragma once
// The part of a rank other than 0 in the rows of several ranks.

#include <functional>
#include <string>

#include "engine/execution/executor.h"
#include "engine/ranks/channel.h"
#include "engine/ranks/rank_messages.h"

namespace gpubench {

/// What a rank other than 0 runs rows with, and reads them as it runs them. All of it outlives the service.
struct MemberWork {
  CaseExecutor* cases = nullptr;
  std::function<Case(const Json&)> case_in{};
  OpExecutor* collectives = nullptr;
  std::function<OpWork(const Json&)> collective_in{};
};

/// Runs what rank 0 asks for, until that says that nothing more comes, or is gone. Returns why it ended;
/// empty where all went well.
std::string serve_rows(Channel& channel, const MemberWork& work);

}  // namespace gpubench
