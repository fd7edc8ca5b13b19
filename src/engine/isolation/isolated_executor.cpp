#include "engine/isolation/isolated_executor.h"

#include <signal.h>
#include <string.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "device/host/host.h"
#include "device/host/host_process.h"
#include "engine/execution/executor.h"
#include "engine/isolation/child_process.h"
#include "engine/isolation/messages.h"
#include "engine/isolation/shared_datasets.h"
#include "gpubench/core/clock.h"
#include "gpubench/core/text/quantities.h"

namespace gpubench {
namespace {

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

constexpr Seconds kBetweenLooks{1};  // Deadlines are to the second.

class Conversation {
 public:
  Conversation(ChildProcess& child, std::optional<Seconds> timeout, RowControl& control)
      : child_(child), timeout_(timeout), control_(control), start_(clock_.now()) {}

  /// Until the worker has answered or never will.
  void hold() {
    bool is_open = true;
    while (is_open && !is_over_) {
      pass_on_stop();
      if (is_cut_short()) return child_.kill();
      is_open = child_.read(kBetweenLooks, control_.wake_descriptor());
      while (const auto line = is_over_ ? std::nullopt : child_.next_reply()) take(*line);
    }
    if (child_.has_endless_line()) note_garbage("a line without an end");
    if (outcome.ending == Ending::kGarbage) child_.kill();
  }

  WorkerOutcome outcome;

 private:
  void pass_on_stop() {
    const StopRequest wanted = control_.stop_request();
    if (wanted == sent_) return;
    sent_ = wanted;
    child_.send(to_line(Request(StopMessage{wanted})));
  }

  bool is_cut_short() {
    if (control_.must_abort())
      outcome.ending = Ending::kAborted;
    else if (timeout_ && clock_.now() - start_ > *timeout_)
      outcome.ending = Ending::kTimeout;
    else
      return false;
    return true;
  }

  void take(const std::string& line) {
    try {
      std::visit([this](auto&& reply) { note(std::move(reply)); }, reply_from(line));
    } catch (const Error&) {
      note_garbage(line.substr(0, kShownGarbage));
    }
  }

  void note_garbage(const std::string& text) {
    outcome.ending = Ending::kGarbage;
    outcome.garbage = text;
    is_over_ = true;
  }

  void note(StepsReply&& reply) { control_.steps_finished(reply.steps); }
  void note(OpenedReply&& reply) { outcome.so_far = std::move(reply.record); }
  void note(EpochReply&& reply) {
    if (!outcome.so_far) throw Error(ErrorKind::kData, "an epoch of a case that was not opened");
    add_epoch(*outcome.so_far, reply.epoch);
    control_.epoch_finished(reply.epoch);
  }
  template <class Answer>
  void note(Answer&& answer) {
    outcome.answer = std::move(answer);
    outcome.ending = Ending::kAnswered;
    is_over_ = true;
  }

  static constexpr std::size_t kShownGarbage = 80;

  ChildProcess& child_;
  std::optional<Seconds> timeout_;
  RowControl& control_;
  SteadyClock clock_;
  Seconds start_;
  StopRequest sent_ = StopRequest::kNone;
  bool is_over_ = false;
};

/// A worker that is asked one thing after the other. Not thread-safe.
class WorkerSession {
 public:
  /// Throws an internal Error where the process cannot be started.
  WorkerSession(WorkerSource& workers, const std::vector<int>& inherited)
      : child_(workers, inherited), start_(clock_.now()) {}

  /// Sends `request`, passes on what `control` wants, and waits for the answer. Any other end than kAnswered
  /// is the last of the session.
  WorkerOutcome ask(const Request& request, std::optional<Seconds> timeout, RowControl& control) {
    Conversation conversation(child_, timeout, control);
    child_.send(to_line(request));
    conversation.hold();
    return std::move(conversation.outcome);
  }

  /// Waits for the end of the process and notes what it took.
  void finish(WorkerOutcome& outcome) {
    child_.close_requests();
    outcome.end = child_.wait();
    outcome.duration = clock_.now() - start_;
    outcome.last_lines = child_.last_lines();
  }

 private:
  ChildProcess child_;
  SteadyClock clock_;
  Seconds start_;
};

/// A session of a single request.
WorkerOutcome converse(WorkerSource& workers, const Request& request, const std::vector<int>& inherited,
                       std::optional<Seconds> timeout, RowControl& control) {
  WorkerSession session(workers, inherited);
  WorkerOutcome outcome = session.ask(request, timeout, control);
  session.finish(outcome);
  return outcome;
}

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

void conclude(RowRecord& row, RowStatus status, std::string reason) {
  row.status = status;
  row.status_reason = std::move(reason);
}

/// A row whose worker gave none, and what is said of it.
struct Unanswered {
  const WorkerOutcome& outcome;
  std::string kind;  ///< "case", "row".
  std::string done;  ///< ", with 3 epochs done"; empty for an operation.
  HostState before;
  HostState after;
};

/// A process that ended by itself and without a result.
void conclude_crash(const Unanswered& lost, RowRecord& row) {
  const ChildEnd& end = lost.outcome.end;
  const std::vector<std::string>& lines = lost.outcome.last_lines;
  if (end.signal == SIGKILL && has_grown(lost.before.out_of_memory_kills, lost.after.out_of_memory_kills)) {
    conclude(row, RowStatus::kOutOfMemory,
             fmt::format("the system killed the {}'s process: host memory ran out", lost.kind));
  } else if (end.signal != 0 && mentions_memory(lines)) {
    conclude(row, RowStatus::kOutOfMemory, "host memory ran out: " + lines.back());
  } else if (end.signal != 0) {
    conclude(row, RowStatus::kCrashed,
             fmt::format("the {}'s process was ended by signal {} ({})", lost.kind, end.signal,
                         strsignal(end.signal)));
  } else {
    conclude(row, RowStatus::kCrashed,
             fmt::format("the {}'s process ended with exit code {} and without a result", lost.kind,
                         end.exit_code));
  }
}

std::string message_of(const Unanswered& lost) {
  const auto* error = std::get_if<ErrorReply>(&*lost.outcome.answer);
  return error ? error->message
               : fmt::format("the {}'s process gave another answer than was asked for", lost.kind);
}

void conclude_unanswered(const Unanswered& lost, const ExecutionOptions& options, RowRecord& row) {
  switch (lost.outcome.ending) {
    case Ending::kTimeout:
      return conclude(
          row, RowStatus::kTimeout,
          fmt::format("not finished after {}{} (--timeout)", duration_text(*options.timeout), lost.done));
    case Ending::kAborted:
      return conclude(row, RowStatus::kInterrupted, "the run was ended at once" + lost.done);
    case Ending::kGarbage:
      return conclude(
          row, RowStatus::kError,
          fmt::format("the {}'s process sent what is no message: {}", lost.kind, lost.outcome.garbage));
    case Ending::kAnswered:
      return conclude(row, RowStatus::kError, message_of(lost));
    case Ending::kEnded:
      return conclude_crash(lost, row);
  }
}

/// The row where the worker gave none.
CaseRecord record_without_answer(const WorkerOutcome& outcome, const CaseRecord& planned,
                                 const ExecutionOptions& options, const HostState& before,
                                 const HostState& after) {
  CaseRecord record = outcome.so_far.value_or(planned);
  const std::string done = fmt::format(", with {} epochs done", record.epoch_seconds.size());
  conclude_unanswered({outcome, "case", done, before, after}, options, record);
  record.stopped_by = absent("the case ended as " + to_string(record.status));
  return record;
}

class IsolatedExecutor : public CaseExecutor {
 public:
  IsolatedExecutor(WorkerSource& workers, const SharedDatasets& datasets, const ExecutionOptions& options)
      : workers_(workers), datasets_(datasets), options_(options) {}

  CaseRecord run(const Case& c, RowControl& control) override {
    const HostState before = read_host_state();
    const WorkerOutcome outcome = ask(c, std::nullopt, control);
    const HostState after = read_host_state();
    const auto* reply = outcome.answer ? std::get_if<CaseReply>(&*outcome.answer) : nullptr;
    CaseRecord record =
        reply ? reply->record
              : record_without_answer(outcome, describe(c, datasets_.at(c.dataset->name).facts()), options_,
                                      before, after);
    if (record.status != RowStatus::kOk) record.last_lines = outcome.last_lines;
    record.process = outcome.duration;
    record.peak_host = outcome.end.peak_resident;
    const auto warnings = host_warnings(before, after, outcome.end.cpu);
    record.warnings.insert(record.warnings.end(), warnings.begin(), warnings.end());
    return record;
  }

  PilotResult run_pilot(const Case& c, Seconds limit, RowControl& control) override {
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
  WorkerOutcome ask(const Case& c, std::optional<Seconds> pilot_limit, RowControl& control) {
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

class IsolatedOpExecutor : public OpExecutor {
 public:
  IsolatedOpExecutor(WorkerSource& workers, const ExecutionOptions& options)
      : workers_(workers), options_(options) {}

  OpRecord run(const OpWork& work, RowControl& control) override {
    if (!session_ || repeat_ != work.repeat)
      session_ = std::make_unique<WorkerSession>(workers_, std::vector<int>());
    repeat_ = work.repeat;
    const HostState before = read_host_state();
    WorkerOutcome outcome =
        session_->ask(OpMessage{to_json(work), options_.threads}, options_.timeout, control);
    if (const auto* reply = outcome.answer ? std::get_if<OpReply>(&*outcome.answer) : nullptr)
      return reply->record;
    session_->finish(outcome);
    session_.reset();
    OpRecord row = describe(work);
    conclude_unanswered({outcome, "row", "", before, read_host_state()}, options_, row);
    row.last_lines = outcome.last_lines;
    return row;
  }

 private:
  WorkerSource& workers_;
  ExecutionOptions options_;
  std::unique_ptr<WorkerSession> session_;  // Null before the first row, and after one that it ended with.
  std::int64_t repeat_ = 0;                 // Of the last row.
};

}  // namespace

std::unique_ptr<OpExecutor> make_isolated_op_executor(WorkerSource& workers,
                                                      const ExecutionOptions& options) {
  return std::make_unique<IsolatedOpExecutor>(workers, options);
}

std::unique_ptr<CaseExecutor> make_isolated_executor(WorkerSource& workers, const SharedDatasets& datasets,
                                                     const ExecutionOptions& options) {
  return std::make_unique<IsolatedExecutor>(workers, datasets, options);
}

EngineFacts ask_worker_for_facts(WorkerSource& workers, const FactsRequest& request) {
  RowControl control;
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
