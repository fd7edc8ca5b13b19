#pragma once
// Cases of several ranks: rank 0's part of each, and what becomes of the others'.

#include <functional>
#include <memory>

#include "engine/execution/executor.h"
#include "engine/ranks/crew.h"

namespace gpubench {

/// Runs a case's rank 0 by `inner` and has the crew's members run the others. The row is rank 0's where all
/// ends well, with what the others' meters measured and `warnings`; else it has the status of the rank that
/// failed first, by name. A case of a single rank is left to `inner`. `timeout` is that of a row. `crew`
/// outlives it.
std::unique_ptr<CaseExecutor> make_group_executor(std::unique_ptr<CaseExecutor> inner, Crew& crew,
                                                  std::vector<Warning> warnings,
                                                  std::optional<Seconds> timeout);

/// The same of collectives, whose rows are all of several ranks.
std::unique_ptr<OpExecutor> make_group_op_executor(std::unique_ptr<OpExecutor> inner, Crew& crew,
                                                   std::optional<Seconds> timeout);

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
