#include "engine/isolation/isolated_executor.h"

#include <signal.h>
#include <string.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "device/host/host.h"
#include "engine/execution/executor.h"
#include "engine/isolation/child_process.h"
#include "engine/isolation/messages.h"
#include "engine/isolation/shared_datasets.h"
#include "gpubench/core/clock.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/text/quantities.h"

namespace gpubench {
namespace {

/// What became of a request.
struct WorkerOutcome {
  HostState before = read_host_state();
  std::optional<Reply> answer;       ///< A CaseReply, OpReply, Pilot, EngineFacts or ErrorReply.
  std::optional<CaseRecord> so_far;  ///< With the epochs done; unset where the case was not set up.

  // Of a row without the answer that was asked for.
  RowStatus status = RowStatus::kCrashed;
  std::string reason;  ///< Empty until it is known.

  // Once the process has ended.
  HostState after;
  ChildEnd end;

  /// The answer of that kind; nullptr where the worker gave none, or another.
  template <class Answer>
  const Answer* answer_as() const {
    return answer ? std::get_if<Answer>(&*answer) : nullptr;
  }
};

constexpr Seconds kBetweenLooks{1};
constexpr Seconds kLongestStop{10};    // After which what is measured is spoilt anyway.
constexpr Seconds kLongestFacts{300};  // The engine off a slow disk, and a trial of each device's peak.
constexpr Seconds kLeastForFacts{20};  // A limit that is meant for a case may be shorter than these take.

/// How long a row may take, all its processes together.
struct Budget {
  explicit Budget(std::optional<Seconds> time)
      : timeout(time), deadline(time ? Deadline(*time) : Deadline()) {}

  std::optional<Seconds> timeout;
  Deadline deadline;
};

/// One thing that a worker is asked. `unit` is what a row is called: "case", "row".
class WorkerCall {
 public:
  WorkerCall(ChildProcess& child, std::string_view unit, const Budget& budget, RowControl& control)
      : child_(child), unit_(unit), budget_(budget), control_(control) {}

  /// Sends `request`, passes on what the control wants, and waits until the worker has answered or never
  /// will.
  WorkerOutcome ask(const Request& request) {
    child_.send(to_line(request));
    for (bool is_open = true; is_open && !is_over_;) {
      pass_on_stop();
      if (is_cut_short()) break;
      std::vector<int> wake;
      control_.add_wake_descriptors(wake);
      is_open = child_.read(std::min(kBetweenLooks, budget_.deadline.left()), wake);
      while (const auto line = is_over_ ? std::nullopt : child_.next_reply()) take(*line);
    }
    if (!child_.oversized_output().empty()) refuse(child_.oversized_output());
    return std::move(outcome_);
  }

 private:
  void pass_on_stop() {
    const StopRequest wanted = control_.stop_request();
    if (wanted == sent_) return;
    sent_ = wanted;
    child_.send(to_line(Request(StopMessage{wanted})));
  }

  bool is_cut_short() {
    const std::size_t epochs = outcome_.so_far ? outcome_.so_far->epoch_seconds.size() : 0;
    const std::string done = unit_ == "case" ? fmt::format(", with {} epochs done", epochs) : "";
    if (control_.must_abort())
      break_off(RowStatus::kInterrupted, "the run was ended at once" + done);
    else if (budget_.deadline.is_over())
      break_off(RowStatus::kTimeout,
                fmt::format("not finished after {}{} (--timeout)", duration_text(*budget_.timeout), done));
    else if (is_stopped_for_long())
      break_off(RowStatus::kTimeout,
                fmt::format("stopped from outside (SIGSTOP) for {}{}", duration_text(kLongestStop), done));
    return is_over_;
  }

  bool is_stopped_for_long() {
    if (!child_.is_stopped()) {
      end_of_stop_.reset();
    } else if (!end_of_stop_) {
      end_of_stop_ = Deadline(kLongestStop);
    }
    return end_of_stop_ && end_of_stop_->is_over();
  }

  void take(const std::string& line) {
    try {
      std::visit([this](auto&& reply) { note(std::move(reply)); }, reply_from(line));
    } catch (const Error&) {
      refuse(line.substr(0, kShownGarbage));
    }
  }

  void refuse(std::string_view garbage) {
    break_off(RowStatus::kError, fmt::format("the {}'s process sent what is no message: {}", unit_, garbage));
  }

  void break_off(RowStatus status, const std::string& reason) {
    child_.kill();
    conclude(status, reason);
  }

  void conclude(RowStatus status, const std::string& reason) {
    outcome_.status = status;
    outcome_.reason = reason;
    is_over_ = true;
  }

  void note(StepsReply&& reply) { control_.steps_finished(reply.steps); }
  void note(OpenedReply&& reply) { outcome_.so_far = std::move(reply.record); }
  void note(EpochRecord&& epoch) {
    if (!outcome_.so_far) throw Error(ErrorKind::kData, "an epoch of a case that was not opened");
    add_epoch(*outcome_.so_far, epoch);
    control_.epoch_finished(epoch);
  }
  void note(ErrorReply&& reply) {
    conclude(RowStatus::kError, reply.message);
    outcome_.answer = std::move(reply);
  }
  template <class Answer>
  void note(Answer&& answer) {
    conclude(RowStatus::kError,
             fmt::format("the {}'s process gave another answer than was asked for", unit_));
    outcome_.answer = std::forward<Answer>(answer);
  }

  static constexpr std::size_t kShownGarbage = 80;

  ChildProcess& child_;
  std::string_view unit_;
  const Budget& budget_;
  RowControl& control_;
  std::optional<Deadline> end_of_stop_;  // Set while the child is stopped.
  WorkerOutcome outcome_;
  StopRequest sent_ = StopRequest::kNone;
  bool is_over_ = false;
};

/// What a process says on stderr when it could not take a refusal of memory.
bool mentions_memory(const std::vector<std::string>& lines) {
  return std::ranges::any_of(lines, [](const std::string& line) {
    return line.find("bad_alloc") != std::string::npos || line.find("out of memory") != std::string::npos ||
           line.find("annot allocate memory") != std::string::npos;
  });
}

bool has_grown(const Measured<std::int64_t>& before, const Measured<std::int64_t>& after) {
  return before.has_value() && after.has_value() && after.value() > before.value();
}

/// Of a process that ended by itself and without a result.
void note_crash(const char* unit, WorkerOutcome& outcome) {
  const ChildEnd& end = outcome.end;
  if (end.signal == SIGKILL &&
      has_grown(outcome.before.out_of_memory_kills, outcome.after.out_of_memory_kills)) {
    outcome.status = RowStatus::kOutOfMemory;
    outcome.reason = fmt::format("the system killed the {}'s process: host memory ran out", unit);
  } else if (mentions_memory(outcome.end.stderr_tail)) {
    outcome.status = RowStatus::kOutOfMemory;
    outcome.reason = "host memory ran out: " + outcome.end.stderr_tail.back();
  } else if (end.signal == 0) {
    outcome.reason =
        fmt::format("the {}'s process ended with exit code {} and without a result", unit, end.exit_code);
  } else {
    outcome.reason =
        fmt::format("the {}'s process was ended by signal {} ({})", unit, end.signal, strsignal(end.signal));
  }
}

/// Waits for the end of a worker that is asked nothing more, or did not answer.
void finish(ChildProcess& worker, const char* unit, WorkerOutcome& outcome) {
  worker.close_requests();
  outcome.end = worker.wait();
  outcome.after = read_host_state();
  if (!outcome.answer && outcome.reason.empty()) note_crash(unit, outcome);
}

/// Asks a worker of its own one thing about a case.
WorkerOutcome converse(const ProcessFactory& workers, Request request, const std::vector<int>& inherited,
                       const Budget& budget, RowControl& control) {
  ChildProcess worker(workers, inherited, budget.deadline);
  if (auto* of_case = std::get_if<CaseRequest>(&request)) of_case->process_start = worker.start();
  WorkerOutcome outcome = WorkerCall(worker, "case", budget, control).ask(request);
  finish(worker, "case", outcome);
  return outcome;
}

/// Of a row whose process could not be started: the next one may have better luck.
WorkerOutcome not_started(const Error& error) {
  WorkerOutcome outcome;
  outcome.status = RowStatus::kError;
  outcome.reason = error.what();
  outcome.after = outcome.before;
  return outcome;
}

/// What needs no trial, for modes whose trial told nothing.
ResolvedModes plain_modes(const TrainingMode& asked, const std::string& why) {
  ResolvedModes modes{{asked.layout, {}}, {asked.execution, {}}};
  if (asked.layout == Layout::kAuto) modes.layout = {Layout::kNchw, why};
  if (asked.execution == Execution::kAuto) modes.execution = {Execution::kEager, why};
  return modes;
}

class IsolatedExecutor : public CaseExecutor {
 public:
  IsolatedExecutor(const ProcessFactory& workers, const SharedDatasets& datasets,
                   const ExecutionOptions& options)
      : workers_(workers), datasets_(datasets), options_(options) {}

  CaseRecord run(const Case& c, RowControl& control) override {
    const Budget budget(options_.timeout);
    WorkerOutcome outcome = ask(c, {}, budget, control);
    if (outcome.answer_as<ModesReply>())
      outcome = ask(c, {.tried = try_modes(c, budget, control)}, budget, control);
    CaseRecord record;
    if (const auto* reply = outcome.answer_as<CaseReply>()) {
      record = reply->record;
      if (reply->has_lost_connection) control.connection_lost();
    } else {
      record = outcome.so_far ? *outcome.so_far : describe(c, datasets_.at(c.dataset->name).facts);
      record.status = outcome.status;
      record.status_reason = outcome.reason;
      record.stopped_by = missing("the case ended as " + to_string(record.status));
      record.process_start = record.context = missing("the case ended as " + to_string(record.status));
    }
    if (record.status != RowStatus::kOk) record.stderr_tail = outcome.end.stderr_tail;
    record.process = outcome.end.duration;
    record.peak_host = outcome.end.peak_resident;
    append(record.warnings, host_warnings(outcome.before, outcome.after, outcome.end.cpu));
    return record;
  }

  PilotResult run_pilot(const Case& c, Seconds limit, RowControl& control) override {
    const WorkerOutcome outcome = ask(c, {.pilot_limit = limit}, Budget(options_.timeout), control);
    PilotResult result{{}, outcome.end.duration, outcome.end.peak_resident};
    if (const auto* pilot = outcome.answer_as<Pilot>()) {
      result.pilot = *pilot;
    } else {
      result.pilot.status = outcome.status;
      result.pilot.status_reason = outcome.reason;
    }
    return result;
  }

 private:
  /// `request` says what of the case is asked for.
  WorkerOutcome ask(const Case& c, CaseRequest request, const Budget& budget, RowControl& control) {
    const SharedDataset& dataset = datasets_.at(c.dataset->name);
    request.plan = to_json(c);
    request.dataset = dataset.layout;
    request.threads = options_.threads;
    request.memory_limit = memory_limit_for(c);
    request.reports_steps = options_.reports_steps;
    request.rank_context = c.rank_context;
    std::vector<int> inherited{dataset.memory.get()};
    if (c.rank_context && c.rank_context->listener >= 0) inherited.push_back(c.rank_context->listener);
    try {
      return converse(workers_, std::move(request), inherited, budget, control);
    } catch (const Error& error) {
      return not_started(error);
    }
  }

  /// In a process apart, so that the one that is measured is as cold as without a trial.
  ResolvedModes try_modes(const Case& c, const Budget& budget, RowControl& control) {
    const WorkerOutcome outcome = ask(c, {.tries_modes = true}, budget, control);
    const auto* reply = outcome.answer_as<ModesReply>();
    if (reply != nullptr && reply->found) return *reply->found;
    return plain_modes(c.mode, "the trial ended as " + to_string(outcome.status) + ": " + outcome.reason);
  }

  /// On a CPU a case that wants more than there is must be refused it: the system would kill something else.
  /// Other devices reserve address space as they like.
  std::optional<Bytes> memory_limit_for(const Case& c) const {
    if (options_.memory_limit || c.device != "cpu") return options_.memory_limit;
    const Measured<Bytes> available = available_memory();
    return available.has_value() ? std::optional(available.value()) : std::nullopt;
  }

  const ProcessFactory& workers_;
  const SharedDatasets& datasets_;
  ExecutionOptions options_;
};

class IsolatedOpExecutor : public OpExecutor {
 public:
  IsolatedOpExecutor(const ProcessFactory& workers, const ExecutionOptions& options)
      : workers_(workers), options_(options) {}

  OpRecord run(const OpWork& work, RowControl& control) override {
    const WorkerOutcome outcome = ask(work, control);
    if (const auto* reply = outcome.answer_as<OpReply>()) {
      if (reply->has_lost_connection) control.connection_lost();
      return reply->record;
    }
    OpRecord row = describe(work);
    row.status = outcome.status;
    row.status_reason = outcome.reason;
    row.stderr_tail = outcome.end.stderr_tail;
    return row;
  }

 private:
  WorkerOutcome ask(const OpWork& work, RowControl& control) {
    const Budget budget(options_.timeout);
    try {
      const std::string group_id = work.rank_context ? work.rank_context->group_id : "";
      if (!worker_ || repeat_ != work.repeat || group_id_ != group_id) {
        const bool has_listener = work.rank_context && work.rank_context->listener >= 0;
        const std::vector<int> inherited(has_listener ? 1 : 0,
                                         has_listener ? work.rank_context->listener : -1);
        worker_.reset();
        worker_ = std::make_unique<ChildProcess>(workers_, inherited, budget.deadline);
        group_id_ = group_id;
      }
    } catch (const Error& error) {
      return not_started(error);
    }
    repeat_ = work.repeat;
    const OpMessage request{to_json(work), options_.threads, work.rank_context};
    WorkerOutcome outcome = WorkerCall(*worker_, "row", budget, control).ask(request);
    // Ranks that have lost one are of no further use to each other.
    const auto* const reply = outcome.answer_as<OpReply>();
    if (reply != nullptr && (!work.rank_context || reply->record.status != RowStatus::kError)) return outcome;
    finish(*worker_, "row", outcome);
    worker_.reset();
    return outcome;
  }

  const ProcessFactory& workers_;
  ExecutionOptions options_;
  std::unique_ptr<ChildProcess> worker_;  // Null before the first row, and after one that it ended with.
  std::int64_t repeat_ = 0;               // Of the last row,
  std::string group_id_;                  // as is this, of a collective.
};

}  // namespace

std::unique_ptr<OpExecutor> make_isolated_op_executor(const ProcessFactory& workers,
                                                      const ExecutionOptions& options) {
  return std::make_unique<IsolatedOpExecutor>(workers, options);
}

std::unique_ptr<CaseExecutor> make_isolated_executor(const ProcessFactory& workers,
                                                     const SharedDatasets& datasets,
                                                     const ExecutionOptions& options) {
  return std::make_unique<IsolatedExecutor>(workers, datasets, options);
}

EngineFacts ask_worker_for_facts(const ProcessFactory& workers, const FactsRequest& request,
                                 std::optional<Seconds> timeout) {
  RowControl control;
  const Budget budget(timeout ? std::max(kLeastForFacts, *timeout) : kLongestFacts);
  const WorkerOutcome outcome = converse(workers, request, {}, budget, control);
  if (const auto* facts = outcome.answer_as<EngineFacts>()) return *facts;
  if (const auto* error = outcome.answer_as<ErrorReply>()) throw Error(error->kind, error->message);
  std::string message = "asking the engine for devices: " + outcome.reason;
  if (outcome.status == RowStatus::kTimeout)
    throw Error(ErrorKind::kDevice, message + "; see whether a driver hangs");
  if (outcome.status == RowStatus::kOutOfMemory) throw Error(ErrorKind::kUsage, message);
  if (!outcome.end.stderr_tail.empty()) message += ": " + outcome.end.stderr_tail.back();
  if (outcome.status == RowStatus::kCrashed) {
    throw Error(ErrorKind::kDevice,
                message + "; see whether memory is free; else reinstall LibTorch and the driver");
  }
  throw Error(ErrorKind::kInternal, message);
}

}  // namespace gpubench
