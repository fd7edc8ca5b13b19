#include "engine/isolation/isolated_executor.h"

#include <signal.h>
#include <string.h>

#include <algorithm>
#include <bit>
#include <concepts>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "device/host/host.h"
#include "engine/isolation/messages.h"
#include "gpubench/core/clock.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/names.h"
#include "gpubench/record/workload.h"

namespace gpubench {
namespace {

struct WorkerOutcome {
  HostState before = read_host_state();
  std::optional<Reply> answer{};       ///< Final reply: RowReply, Pilot, EngineFacts, ModesReply, ErrorReply.
  std::optional<CaseRecord> so_far{};  ///< Row with the finished epochs; unset before the end of the set-up.

  // Failure of a row without the expected reply.
  RowStatus status = RowStatus::kCrashed;
  std::string reason{};  ///< Empty until known.

  // Set when the process has ended.
  HostState after{};
  ChildEnd end{};

  /// Returns nullptr if the answer is missing or of another type.
  template <class Answer>
  const Answer* answer_as() const {
    return answer ? std::get_if<Answer>(&*answer) : nullptr;
  }
};

constexpr Seconds kPollInterval{1};
constexpr Seconds kMaxSuspension{10};    // A longer suspension spoils the measurement.
constexpr Seconds kFactsTimeout{300};    // Loading from a slow disk, and a peak trial per device.
constexpr Seconds kMinFactsTimeout{20};  // A case's --timeout may be too short for the facts.
constexpr std::size_t kShownGarbage = 80;

/// Time limit of a row, shared by all its processes.
struct Budget {
  std::optional<Seconds> timeout{};
  Deadline deadline = timeout ? Deadline(*timeout) : Deadline();
};

/// One request to a worker. `unit` names the work in messages: "case" or "row".
class WorkerCall {
 public:
  WorkerCall(ChildProcess& child, std::string_view unit, const Budget& budget, RowControl& control)
      : child_(child), unit_(unit), budget_(budget), control_(control) {}

  /// Sends `request`, forwards stop requests, and waits until the worker has answered or ended.
  WorkerOutcome ask(const Request& request) {
    child_.send(to_line(request));
    for (bool is_open = true; is_open && !is_over_;) {
      if (const StopRequest wanted = control_.stop_request(); wanted != sent_) {
        sent_ = wanted;
        child_.send(to_line(Request(StopMessage{wanted})));
      }
      check_limits();
      if (is_over_) break;
      is_open = child_.read(std::min(kPollInterval, budget_.deadline.left()), control_.wake_descriptors());
      while (const auto line = is_over_ ? std::nullopt : child_.next_reply()) take(*line);
    }
    if (!child_.oversized_output().empty()) refuse(child_.oversized_output());
    return std::move(outcome_);
  }

 private:
  void check_limits() {
    end_of_stop_ = child_.is_stopped() ? end_of_stop_.at_most(kMaxSuspension) : Deadline();
    const std::size_t epochs = outcome_.so_far ? outcome_.so_far->epoch_seconds.size() : 0;
    const std::string done = unit_ == "case" ? fmt::format(", {} epochs finished", epochs) : "";
    if (control_.must_abort())
      break_off(RowStatus::kInterrupted, "the run was aborted" + done);
    else if (budget_.deadline.is_over())
      break_off(RowStatus::kTimeout,
                fmt::format("not finished after {}{} (--timeout)", duration_text(*budget_.timeout), done));
    else if (end_of_stop_.is_over())
      break_off(RowStatus::kTimeout,
                fmt::format("suspended by SIGSTOP for {}{}", duration_text(kMaxSuspension), done));
  }

  void take(const std::string& line) {
    try {
      std::visit([this](auto&& reply) { note(std::move(reply)); }, reply_from(line));
    } catch (const Error&) {
      refuse(line.substr(0, kShownGarbage));
    }
  }

  void refuse(std::string_view garbage) {
    break_off(RowStatus::kError, fmt::format("the {}'s process sent an invalid message: {}", unit_, garbage));
  }

  void break_off(RowStatus status, const std::string& reason) {
    child_.kill();
    outcome_.status = status;
    outcome_.reason = reason;
    is_over_ = true;
  }

  void note(StepsReply&& reply) { control_.steps_finished(reply.steps); }
  void note(OpenedReply&& reply) { outcome_.so_far = std::move(reply.record); }
  void note(EpochRecord&& epoch) {
    if (!outcome_.so_far) throw Error(ErrorKind::kData, "epoch before the start of its case");
    add_epoch(*outcome_.so_far, epoch);
    control_.epoch_finished(epoch);
  }
  template <class Answer>
  void note(Answer&& answer) {
    // The caller replaces these if the reply has the expected type.
    outcome_.status = RowStatus::kError;
    outcome_.reason = fmt::format("the {}'s process sent an unexpected reply", unit_);
    if constexpr (std::same_as<Answer, ErrorReply>) outcome_.reason = answer.message;
    outcome_.answer = std::forward<Answer>(answer);
    is_over_ = true;
  }

  ChildProcess& child_;
  std::string_view unit_;
  const Budget& budget_;
  RowControl& control_;
  Deadline end_of_stop_;  // Never expires unless the child is suspended.
  WorkerOutcome outcome_;
  StopRequest sent_ = StopRequest::kNone;
  bool is_over_ = false;
};

/// Waits for the end of the process, and finds the reason if it did not answer.
void finish(ChildProcess& worker, const char* unit, WorkerOutcome& outcome) {
  worker.close_requests();
  outcome.end = worker.wait();
  outcome.after = read_host_state();
  if (outcome.answer || !outcome.reason.empty()) return;
  const auto mentions_memory = [](const std::string& line) {
    return line.find("bad_alloc") != std::string::npos || line.find("out of memory") != std::string::npos ||
           line.find("annot allocate memory") != std::string::npos;
  };
  const ChildEnd& end = outcome.end;
  const auto& kills_before = outcome.before.out_of_memory_kills;
  const auto& kills_after = outcome.after.out_of_memory_kills;
  if (end.signal == SIGKILL && kills_before.has_value() && kills_after.has_value() &&
      kills_after.value() > kills_before.value()) {
    outcome.status = RowStatus::kOutOfMemory;
    outcome.reason = fmt::format("the system killed the {}'s process: host memory ran out", unit);
  } else if (std::ranges::any_of(end.stderr_tail, mentions_memory)) {
    outcome.status = RowStatus::kOutOfMemory;
    outcome.reason = "host memory ran out: " + end.stderr_tail.back();
  } else if (end.signal == 0) {
    outcome.reason =
        fmt::format("the {}'s process ended with exit code {} and without a result", unit, end.exit_code);
  } else {
    outcome.reason =
        fmt::format("the {}'s process was ended by signal {} ({})", unit, end.signal, strsignal(end.signal));
  }
}

WorkerOutcome ask_new_worker(const ProcessFactory& workers, Request request,
                             const std::vector<int>& inherited, const Budget& budget, RowControl& control) {
  ChildProcess worker(workers, inherited, budget.deadline);
  if (auto* of_row = std::get_if<RowRequest>(&request)) of_row->process_start = worker.start();
  WorkerOutcome outcome = WorkerCall(worker, "case", budget, control).ask(request);
  finish(worker, "case", outcome);
  return outcome;
}

std::vector<int> listeners(const std::optional<RankContext>& context) {
  return context && context->listener >= 0 ? std::vector{context->listener} : std::vector<int>();
}

/// Modes that trials chose for `auto` on this machine, cached as machine facts.
class TriedModes {
 public:
  TriedModes(MachineFacts& facts, const Environment& environment)
      : facts_(facts), environment_(environment) {}

  ResolvedModes find(const Case& c) const {
    Case one = alone(c);
    ResolvedModes found;
    found.layout = find_choice<Layout>("layout", one);
    if (found.layout) one.asked.mode.layout = found.layout->used;
    found.execution = find_choice<Execution>("execution", one);
    return found;
  }

  void keep(const Case& c, const ResolvedModes& modes) {
    Case one = alone(c);
    keep_choice("layout", one, modes.layout);
    if (modes.layout) one.asked.mode.layout = modes.layout->used;
    keep_choice("execution", one, modes.execution);
  }

 private:
  template <class Mode>
  std::optional<Choice<Mode>> find_choice(const char* name, const Case& c) const {
    const std::string text = facts_.find_fact(make_key(name, c)).value_or("");
    const std::size_t line = std::min(text.find('\n'), text.size());
    const auto mode = enum_names(Mode{}).find(text.substr(0, line));
    if (!mode) return std::nullopt;
    return Choice<Mode>{*mode, text.substr(std::min(line + 1, text.size()))};
  }

  /// Stores the mode on the first line, then its note.
  template <class Mode>
  void keep_choice(const char* name, const Case& c, const std::optional<Choice<Mode>>& choice) {
    if (choice && choice->is_lasting)
      facts_.keep_fact(make_key(name, c), to_string(choice->used) + "\n" + choice->note);
  }

  /// Batch sizes between two powers of two share a choice. On a CPU, so do all from 256 on, since trials use
  /// only a part of a large batch.
  std::string make_key(const char* name, const Case& c) const {
    constexpr std::uint64_t kLargeBatch = 256;
    const TrainingMode& mode = c.asked.mode;
    const auto batch = static_cast<std::uint64_t>(c.asked.batch_size);
    const auto& devices = environment_.devices;
    const auto device = std::ranges::find(devices, c.asked.device, &DeviceRecord::name);
    return fmt::format("{} 2; {}; {}; {}; {} threads; LibTorch {}; {}; batch {}; {}; {}; {}", name,
                       workload_for(c.asked.protocol).name, c.asked.device,
                       device == devices.end() ? "" : device->model, environment_.threads,
                       environment_.libtorch_version, model_text(c),
                       std::bit_floor(c.asked.device == "cpu" ? std::min(batch, kLargeBatch) : batch),
                       to_string(mode.precision), to_string(mode.execution), to_string(mode.layout));
  }

  MachineFacts& facts_;
  const Environment& environment_;
};

class IsolatedExecutor : public Executor {
 public:
  IsolatedExecutor(const ProcessFactory& workers, const SharedDatasets& datasets, MachineFacts& facts,
                   const Environment& environment, const ExecutionOptions& options)
      : workers_(workers), datasets_(datasets), tried_modes_(facts, environment), options_(options) {}

  Result run(const Work& work, const Result& planned, RowControl& control) override {
    return std::visit([&](const auto& row) { return run_row(row, planned, control); }, work);
  }

  Pilot run_pilot(const Case& c, Seconds limit, RowControl& control) override {
    const WorkerOutcome outcome =
        ask(c, {.pilot_limit = limit, .tried = tried_modes_.find(c)}, Budget{options_.timeout}, control);
    const auto* const answer = outcome.answer_as<Pilot>();
    Pilot pilot =
        answer != nullptr ? *answer : Pilot{.status = outcome.status, .status_reason = outcome.reason};
    if (answer != nullptr) tried_modes_.keep(c, pilot.modes);
    pilot.process = outcome.end.duration;
    pilot.peak_host = outcome.end.peak_resident;
    return pilot;
  }

 private:
  Result run_row(const Case& c, const Result& planned, RowControl& control) {
    const Budget budget{options_.timeout};
    WorkerOutcome outcome = ask(c, {.tried = tried_modes_.find(c)}, budget, control);
    if (const auto* known = outcome.answer_as<ModesReply>())
      outcome = ask(c, {.tried = try_modes(c, known->modes, budget, control)}, budget, control);
    CaseRecord record = outcome.so_far.value_or(std::get<CaseRecord>(planned));
    if (const auto* reply = outcome.answer_as<RowReply>()) {
      record = std::get<CaseRecord>(reply->record);
      if (reply->has_lost_connection) control.connection_lost();
    } else {
      note_failure(record, outcome);
      const Missing ended = missing("the case ended as " + to_string(record.status));
      record.stopped_by = ended;
      record.process_start = ended;
    }
    if (record.status != RowStatus::kOk) record.stderr_tail = outcome.end.stderr_tail;
    record.process = outcome.end.duration;
    record.peak_host = outcome.end.peak_resident;
    append(record.warnings, host_warnings(outcome.before, outcome.after, outcome.end.cpu));
    return record;
  }

  static void note_failure(RowRecord& row, const WorkerOutcome& outcome) {
    row.status = outcome.status;
    row.status_reason = outcome.reason;
    row.stderr_tail = outcome.end.stderr_tail;
  }

  WorkerOutcome ask(const Case& c, RowRequest request, const Budget& budget, RowControl& control) const {
    const SharedDataset& dataset = datasets_.at(data_key(c));
    request.work = to_json(c);
    request.dataset = dataset.layout;
    request.threads = options_.threads;
    request.memory_limit = options_.memory_limit;
    const Measured<Bytes> available = available_memory();
    // GPU drivers reserve too much address space for a limit.
    if (!request.memory_limit && c.asked.device == "cpu" && available.has_value())
      request.memory_limit = available.value();
    request.reports_steps = options_.reports_steps;
    request.rank_context = c.rank_context;
    std::vector<int> inherited = listeners(c.rank_context);
    inherited.push_back(dataset.memory.get());
    try {
      return ask_new_worker(workers_, std::move(request), inherited, budget, control);
    } catch (const Error& error) {  // The next row's process may start.
      return {.status = RowStatus::kError, .reason = error.what()};
    }
  }

  /// Runs trials in a separate process, so that the measured one starts cold. Falls back to the default modes
  /// on failure.
  ResolvedModes try_modes(const Case& c, ResolvedModes modes, const Budget& budget, RowControl& control) {
    const WorkerOutcome outcome = ask(c, {.tries_modes = true, .tried = modes}, budget, control);
    if (const auto* reply = outcome.answer_as<ModesReply>()) {
      tried_modes_.keep(c, reply->modes);
      modes = reply->modes;
    }
    const std::string why = "the trial ended as " + to_string(outcome.status) + ": " + outcome.reason;
    if (!modes.layout) modes.layout = {Layout::kNchw, why};
    if (!modes.execution) modes.execution = {Execution::kEager, why};
    return modes;
  }

  Result run_row(const OpWork& work, const Result& planned, RowControl& control) {
    const WorkerOutcome outcome = ask(work, control);
    if (const auto* reply = outcome.answer_as<RowReply>()) {
      if (reply->has_lost_connection) control.connection_lost();
      return reply->record;
    }
    Result row = planned;
    note_failure(get_row(row), outcome);
    return row;
  }

  WorkerOutcome ask(const OpWork& work, RowControl& control) {
    const Budget budget{options_.timeout};
    try {
      const std::pair key(work.asked.repeat, work.rank_context ? work.rank_context->group_id : "");
      if (!worker_ || key != worker_key_) {
        worker_.reset();
        worker_ = std::make_unique<ChildProcess>(workers_, listeners(work.rank_context), budget.deadline);
        worker_key_ = key;
      }
    } catch (const Error& error) {  // The next row's process may start.
      return {.status = RowStatus::kError, .reason = error.what()};
    }
    const RowRequest request{to_json(work), options_.threads, work.rank_context};
    WorkerOutcome outcome = WorkerCall(*worker_, "row", budget, control).ask(request);
    // A group cannot continue after a rank is lost.
    const auto* const reply = outcome.answer_as<RowReply>();
    if (reply != nullptr && (!work.rank_context || get_row(reply->record).status != RowStatus::kError))
      return outcome;
    finish(*worker_, "row", outcome);
    worker_.reset();
    return outcome;
  }

  const ProcessFactory& workers_;
  const SharedDatasets& datasets_;
  TriedModes tried_modes_;
  ExecutionOptions options_;
  // For operations only:
  std::unique_ptr<ChildProcess> worker_;             // Null before the first row and after a failed row.
  std::pair<std::int64_t, std::string> worker_key_;  // Its repeat number, and its group for collectives.
};

}  // namespace

std::unique_ptr<Executor> make_isolated_executor(const ProcessFactory& workers,
                                                 const SharedDatasets& datasets, MachineFacts& facts,
                                                 const Environment& environment,
                                                 const ExecutionOptions& options) {
  return std::make_unique<IsolatedExecutor>(workers, datasets, facts, environment, options);
}

EngineFacts ask_worker_for_facts(const ProcessFactory& workers, FactsRequest request, MachineFacts& stored,
                                 std::optional<Seconds> timeout) {
  request.stored_peaks = stored.find_facts(PeakStore::kKeyPrefix);
  RowControl control;
  const Budget budget{timeout ? std::max(kMinFactsTimeout, *timeout) : kFactsTimeout};
  const WorkerOutcome outcome = ask_new_worker(workers, std::move(request), {}, budget, control);
  if (const auto* facts = outcome.answer_as<EngineFacts>()) {
    for (const auto& [key, text] : facts->new_peaks) stored.keep_fact(key, text);
    return *facts;
  }
  if (const auto* error = outcome.answer_as<ErrorReply>()) throw Error(error->kind, error->message);
  std::string message = "cannot query the devices: " + outcome.reason;
  if (outcome.status == RowStatus::kTimeout)
    throw Error(ErrorKind::kDevice, message + "; check for a hanging driver");
  if (outcome.status == RowStatus::kOutOfMemory) throw Error(ErrorKind::kUsage, message);
  if (!outcome.end.stderr_tail.empty()) message += ": " + outcome.end.stderr_tail.back();
  if (outcome.status == RowStatus::kCrashed) {
    throw Error(ErrorKind::kDevice,
                message + "; check for free memory, then reinstall LibTorch and the driver");
  }
  throw Error(ErrorKind::kInternal, message);
}

}  // namespace gpubench
