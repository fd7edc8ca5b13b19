#include "engine/isolation/worker.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "device/host/host_process.h"
#include "engine/execution/executor.h"
#include "engine/isolation/child_process.h"
#include "engine/isolation/isolated_executor.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/files.h"

namespace gpubench {

std::optional<std::string> Inbox::next() {
  std::unique_lock lock(mutex_);
  is_busy_ = false;
  changed_.wait(lock, [this] { return is_ended_ || !lines_.empty(); });
  if (lines_.empty()) return std::nullopt;
  is_busy_ = true;
  std::string line = std::move(lines_.front());
  lines_.pop_front();
  return line;
}

void Inbox::read_until_end() {
  // Drops a last line without its end.
  for (std::string line; std::getline(std::cin, line) && !std::cin.eof();) take(std::move(line));
  const std::lock_guard lock(mutex_);
  // The result has no reader, and the training thread cannot be stopped from here otherwise.
  if (is_busy_) std::_Exit(static_cast<int>(ExitCode::kInternal));
  is_ended_ = true;
  changed_.notify_one();
}

void Inbox::take(std::string line) {
  if (line.find("\"stop\"") != std::string::npos) {
    const Request request = request_from(line);
    if (const auto* message = std::get_if<StopMessage>(&request))
      return stop_.store(message->why, std::memory_order_relaxed);
  }
  const std::lock_guard lock(mutex_);
  lines_.push_back(std::move(line));
  changed_.notify_one();
}

namespace {

/// Sends whole lines, from any thread.
class Outbox {
 public:
  void send(const Reply& reply) { send(std::vector{reply}); }

  void send(const std::vector<Reply>& replies) {
    std::string text;
    for (const Reply& reply : replies) text += to_line(reply) + "\n";
    const std::lock_guard lock(mutex_);
    if (!write_all(kReplyDescriptor, text))
      throw Error(ErrorKind::kUsage, "an answer cannot be sent: {}", std::strerror(errno));
  }

 private:
  std::mutex mutex_;
};

/// Waking the supervisor for each of many short epochs would take time from the next one.
constexpr std::chrono::milliseconds kBetweenEpochs{100};
constexpr std::chrono::milliseconds kBetweenSteps{500};
constexpr std::chrono::hours kBetweenNothing{24};

/// Reports the progress of a case from its own thread, every 100 ms; the destructor sends the rest.
class Reporter : public CaseMonitor {
 public:
  Reporter(const Inbox& inbox, Outbox& outbox, bool reports_steps)
      : inbox_(inbox), outbox_(outbox), reports_steps_(reports_steps), sender_([this] { send_news(); }) {}
  ~Reporter() override {
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
    }
    has_news_.notify_one();
    stop_signal_.notify_one();
    sender_.join();
  }

  void connection_lost() override { has_lost_connection_ = true; }
  bool has_lost_connection() const { return has_lost_connection_; }
  void steps_finished(std::int64_t count) override { steps_.fetch_add(count, std::memory_order_relaxed); }
  void case_opened(const CaseRecord& opened) override { outbox_.send(OpenedReply{opened}); }
  void epoch_finished(const EpochRecord& epoch) override {
    {
      const std::lock_guard lock(mutex_);
      epochs_.push_back(epoch);
    }
    has_news_.notify_one();
  }
  StopRequest stop_request() override { return inbox_.stop_request(); }

 private:
  void send_news() {
    std::unique_lock lock(mutex_);
    while (!is_stopping_ || !epochs_.empty()) {
      has_news_.wait_for(lock, reports_steps_ ? kBetweenSteps : kBetweenNothing,
                         [this] { return is_stopping_ || !epochs_.empty(); });
      std::vector<Reply> news = std::exchange(epochs_, {});
      if (reports_steps_ && !is_stopping_)
        news.push_back(StepsReply{steps_.exchange(0, std::memory_order_relaxed)});
      lock.unlock();
      outbox_.send(news);
      lock.lock();
      stop_signal_.wait_for(lock, kBetweenEpochs, [this] { return is_stopping_; });
    }
  }

  const Inbox& inbox_;
  Outbox& outbox_;
  const bool reports_steps_;
  std::atomic<std::int64_t> steps_ = 0;
  bool has_lost_connection_ = false;
  std::mutex mutex_;  // Guards epochs_ and is_stopping_.
  std::condition_variable has_news_;
  std::condition_variable stop_signal_;
  std::vector<Reply> epochs_;  // Not sent yet.
  bool is_stopping_ = false;
  std::thread sender_;  // Last, because it uses the other members.
};

/// oneDNN reports "could not create a primitive" when memory is refused. Result: a CaseRecord or a Pilot.
template <class Answer>
Answer with_likely_cause(Answer result) {
  if (result.status != RowStatus::kError || !has_neared_memory_limit()) return result;
  result.status = RowStatus::kOutOfMemory;
  result.status_reason += " (close to the case's memory limit)";
  return result;
}

/// Launchers send signals to all processes; a worker ends with its input.
void leave_signals_to_rank_0() {
  for (const int each : {SIGINT, SIGTERM, SIGHUP}) std::signal(each, SIG_IGN);
}

class Worker {
 public:
  Worker(const std::function<const Engine&()>& load_engine, Seconds loaded_in)
      : load_engine_(load_engine), loaded_in_(loaded_in) {}

  /// Ends the process if a reply cannot be sent: the inbox would wait for an end of its input.
  void serve() noexcept {
    while (const auto line = inbox_.next()) {
      try {
        std::visit([this](const auto& request) { meet(request); }, request_from(*line));
      } catch (const Error& error) {
        outbox_.send(ErrorReply{error.kind(), error.what()});
      } catch (const std::exception& error) {
        outbox_.send(ErrorReply{ErrorKind::kInternal, error.what()});
      }
    }
  }

 private:
  void meet(const FactsRequest& request) { outbox_.send(gather_facts(load_engine_(), clock_, request)); }

  void meet(const RowRequest& request) {
    const Engine& engine = load_engine_();
    engine.configure(request.threads);
    if (request.rank_context) leave_signals_to_rank_0();
    Work work = work_from_json(request.work, engine.models(), datasets());
    if (auto* const c = std::get_if<Case>(&work))
      meet(request, std::move(*c), engine);
    else
      meet(request, std::get<OpWork>(work), engine);
  }

  void meet(const RowRequest& request, Case c, const Engine& engine) {
    c.tried = request.tried;
    c.rank_context = request.rank_context;
    const auto device = engine.open_device(c.asked.device);
    try {
      device->synchronize();  // Makes its context.
    } catch (const std::exception&) {
      // Fails in the case as well, and becomes its status.
    }
    const Seconds ready = clock_.now();
    const MappedDataset mapped(request.dataset, c.dataset->spec);
    const Dataset dataset = arrange(mapped.dataset, make_spec(c), static_cast<std::uint64_t>(c.asked.seed));
    if (request.memory_limit) limit_memory(*request.memory_limit);
    if (request.tries_modes)
      return outbox_.send(ModesReply{engine.try_modes(alone(c), dataset, *device, clock_)});
    c.tried = engine.known_modes(alone(c), *device);
    if (request.pilot_limit) {
      const auto pilot = engine.run_pilot(alone(c), dataset, *device, clock_, *request.pilot_limit);
      return outbox_.send(with_likely_cause(pilot));
    }
    // Trials must leave nothing warm in the process that is measured.
    if (!c.tried.is_whole()) return outbox_.send(ModesReply{c.tried});
    CaseRecord record;
    bool has_lost_connection = false;
    {
      Reporter reporter(inbox_, outbox_, request.reports_steps);
      record = engine.run_case(c, dataset, *device, clock_, reporter);
      has_lost_connection = reporter.has_lost_connection();
    }
    record.process_start = loaded_in_ + ready - request.process_start;
    outbox_.send(RowReply{with_likely_cause(std::move(record)), has_lost_connection});
  }

  void meet(const RowRequest& request, const OpWork& work, const Engine& engine) {
    std::unique_ptr<Device>& device = devices_[work.asked.device];
    if (!device) device = engine.open_device(work.asked.device);
    if (!request.rank_context)
      return outbox_.send(RowReply{engine.run_operation(work.asked, *device, clock_)});
    const RankContext& context = *request.rank_context;
    if (!network_ || group_id_ != context.group_id) {
      network_ = nullptr;
      network_ = engine.join_network(context, *device, clock_, network_monitor_);
      group_id_ = context.group_id;
    }
    const OpRecord record = network_(work);
    outbox_.send(RowReply{record, network_monitor_.has_lost_connection});
  }

  /// Stop requests are read by the inbox; others are for the supervisors of ranks.
  void meet(const auto&) {}

  const std::function<const Engine&()>& load_engine_;
  Seconds loaded_in_;
  SteadyClock clock_;
  Inbox inbox_;
  Outbox outbox_;
  std::map<std::string, std::unique_ptr<Device>> devices_;  // Of operations, which share a worker.
  struct : CaseMonitor {
    void connection_lost() override { has_lost_connection = true; }
    bool has_lost_connection = false;
  } network_monitor_;
  Network network_;       // Of collectives; kept for all rows of a group.
  std::string group_id_;  // Of network_.
};

}  // namespace

void serve(const std::function<const Engine&()>& load_engine, Seconds loaded_in) {
  Worker(load_engine, loaded_in).serve();
}

}  // namespace gpubench
