#include "engine/isolation/isolated_executor.h"

#include <signal.h>
#include <string.h>

#include <algorithm>

#include <fmt/format.h>

#include "device/host/host.h"
#include "device/host/host_process.h"
#include "engine/isolation/shared_dataset.h"
#include "engine/isolation/shared_datasets.h"
#include "engine/isolation/worker_session.h"
#include "gpubench/core/text/duration.h"

namespace gpubench {
namespace {

/// What a process says on stderr when it could not take a refusal of memory.
bool mentions_memory(const std::vector<std::string>& lines) {
  const auto mentions = [](const std::string& line) {
    return line.find("bad_alloc") != std::string::npos || line.find("out of memory") != std::string::npos ||
           line.find("annot allocate memory") != std::string::npos;
  };
  return std::any_of(lines.begin(), lines.end(), mentions);
}

bool has_grown(const Reading<std::int64_t>& before, const Reading<std::int64_t>& after) {
  return before.has_value() && after.has_value() && after.value() > before.value();
}

void conclude(CaseRecord& record, CaseStatus status, std::string reason) {
  record.status = status;
  record.status_reason = std::move(reason);
}

/// A process that ended by itself and without a result.
void conclude_crash(const WorkerOutcome& outcome, const HostState& before, const HostState& after,
                    CaseRecord& record) {
  const ChildEnd& end = outcome.end;
  if (end.signal == SIGKILL && has_grown(before.out_of_memory_kills, after.out_of_memory_kills)) {
    conclude(record, CaseStatus::kOutOfMemory, "the system killed the case's process: host memory ran out");
  } else if (end.signal != 0 && mentions_memory(outcome.last_lines)) {
    conclude(record, CaseStatus::kOutOfMemory, "host memory ran out: " + outcome.last_lines.back());
  } else if (end.signal != 0) {
    conclude(
        record, CaseStatus::kCrashed,
        fmt::format("the case's process was ended by signal {} ({})", end.signal, strsignal(end.signal)));
  } else {
    conclude(record, CaseStatus::kCrashed,
             fmt::format("the case's process ended with exit code {} and without a result", end.exit_code));
  }
}

std::string message_of(const Reply& answer) {
  const auto* error = std::get_if<ErrorReply>(&answer);
  return error ? error->message : "the case's process gave another answer than was asked for";
}

/// The row where the worker gave none.
CaseRecord record_without_answer(const WorkerOutcome& outcome, const CaseRecord& planned,
                                 const ExecutionOptions& options, const HostState& before,
                                 const HostState& after) {
  CaseRecord record = outcome.so_far.value_or(planned);
  const auto epochs = record.epoch_seconds.size();
  switch (outcome.ending) {
    case Ending::kTimeout:
      conclude(record, CaseStatus::kTimeout,
               fmt::format("not finished after {}, with {} epochs done (--timeout)",
                           duration_text(*options.timeout), epochs));
      break;
    case Ending::kAborted:
      conclude(record, CaseStatus::kInterrupted,
               fmt::format("the run was ended at once, with {} epochs done", epochs));
      break;
    case Ending::kGarbage:
      conclude(record, CaseStatus::kError,
               fmt::format("the case's process sent what is no message: {}", outcome.garbage));
      break;
    case Ending::kAnswered:
      conclude(record, CaseStatus::kError, message_of(*outcome.answer));
      break;
    case Ending::kEnded:
      conclude_crash(outcome, before, after, record);
      break;
  }
  record.stopped_by = absent("the case ended as " + to_string(record.status));
  return record;
}

class IsolatedExecutor : public CaseExecutor {
 public:
  IsolatedExecutor(WorkerSource& workers, const SharedDatasets& datasets, const ExecutionOptions& options)
      : workers_(workers), datasets_(datasets), options_(options) {}

  CaseRecord run(const Case& c, CaseControl& control) override {
    const HostState before = read_host_state();
    const WorkerOutcome outcome = ask(c, std::nullopt, control);
    const HostState after = read_host_state();
    const auto* reply = outcome.answer ? std::get_if<CaseReply>(&*outcome.answer) : nullptr;
    CaseRecord record =
        reply ? reply->record
              : record_without_answer(outcome, describe(c, datasets_.at(c.dataset->name).facts()), options_,
                                      before, after);
    if (record.status != CaseStatus::kOk) record.last_lines = outcome.last_lines;
    record.process = outcome.duration;
    record.peak_host = outcome.end.peak_resident;
    const auto warnings = host_warnings(before, after, outcome.end.cpu);
    record.warnings.insert(record.warnings.end(), warnings.begin(), warnings.end());
    return record;
  }

  PilotResult run_pilot(const Case& c, Seconds limit, CaseControl& control) override {
    const HostState before = read_host_state();
    const WorkerOutcome outcome = ask(c, limit, control);
    PilotResult result{{}, outcome.duration, outcome.end.peak_resident};
    if (const auto* reply = outcome.answer ? std::get_if<PilotReply>(&*outcome.answer) : nullptr) {
      result.pilot = reply->pilot;
    } else {
      const CaseRecord failed = record_without_answer(outcome, {}, options_, before, read_host_state());
      result.pilot.status = failed.status;
      result.pilot.status_reason = failed.status_reason;
    }
    return result;
  }

 private:
  WorkerOutcome ask(const Case& c, std::optional<Seconds> pilot_limit, CaseControl& control) {
    const SharedDataset& dataset = datasets_.at(c.dataset->name);
    const CaseRequest request{to_json(c),          dataset.layout(),       options_.threads,
                              memory_limit_for(c), options_.reports_steps, pilot_limit};
    return converse(workers_, request, {dataset.descriptor()}, options_.timeout, control);
  }

  /// On a CPU a case that wants more than there is must be refused it: the system would kill something else.
  /// Other devices reserve address space as they like.
  std::optional<Bytes> memory_limit_for(const Case& c) const {
    if (options_.memory_limit || c.device != "cpu") return options_.memory_limit;
    const Reading<Bytes> available = available_memory();
    return available.has_value() ? std::optional(available.value()) : std::nullopt;
  }

  WorkerSource& workers_;
  const SharedDatasets& datasets_;
  ExecutionOptions options_;
};

}  // namespace

std::unique_ptr<CaseExecutor> make_isolated_executor(WorkerSource& workers, const SharedDatasets& datasets,
                                                     const ExecutionOptions& options) {
  return std::make_unique<IsolatedExecutor>(workers, datasets, options);
}

EngineFacts ask_worker_for_facts(WorkerSource& workers, const FactsRequest& request) {
  CaseControl control;
  const WorkerOutcome outcome = converse(workers, request, {}, std::nullopt, control);
  if (outcome.answer) {
    if (const auto* facts = std::get_if<EngineFacts>(&*outcome.answer)) return *facts;
    if (const auto* error = std::get_if<ErrorReply>(&*outcome.answer))
      throw Error(error->kind, error->message);
  }
  const HostState now = read_host_state();
  const CaseRecord failed = record_without_answer(outcome, {}, {}, now, now);
  std::string message = "asking the engine for devices: " + failed.status_reason;
  if (!outcome.last_lines.empty()) message += ": " + outcome.last_lines.back();
  throw Error(ErrorKind::kInternal, message);
}

}  // namespace gpubench
