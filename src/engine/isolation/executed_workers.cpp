#include <unistd.h>

#include "engine/isolation/process_start.h"
#include "engine/isolation/worker.h"
#include "engine/isolation/worker_source.h"

namespace gpubench {
namespace {

class ExecutedWorkers : public WorkerSource {
 public:
  explicit ExecutedWorkers(std::vector<std::string> command) : command_(std::move(command)) {}

  pid_t start(const WorkerEnds& ends, const std::vector<int>& inherited) override {
    return start_program(command_,
                         {{ends.requests, STDIN_FILENO},
                          {ends.noise, STDOUT_FILENO},
                          {ends.noise, STDERR_FILENO},
                          {ends.replies, kReplyDescriptor}},
                         inherited);
  }

 private:
  std::vector<std::string> command_;
};

}  // namespace

std::unique_ptr<WorkerSource> executed_workers(std::vector<std::string> command) {
  return std::make_unique<ExecutedWorkers>(std::move(command));
}

}  // namespace gpubench
