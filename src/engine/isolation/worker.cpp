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
  // Drops an incomplete last line.
  for (std::string line; std::getline(std::cin, line) && !std::cin.eof();) take(std::move(line));
  const std::lock_guard lock(mutex_);
  // The result has no reader, and a busy training thread cannot be stopped in another way.
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

/// Sends whole lines. Thread-safe.
class Outbox {
 public:
  void send(const Reply& reply) { send(std::vector{reply}); }

  void send(const std::vector<Reply>& replies) {
    std::string text;
    for (const Reply& reply : replies) text += to_line(reply) + "\n";
    const std::lock_guard lock(mutex_);
    if (!write_all(kReplyDescriptor, text))
      throw Error(ErrorKind::kUsage, "cannot send a reply: {}", std::strerror(errno));
  }

 private:
  std::mutex mutex_;
};

/// Waking the supervisor after each of many short epochs would slow down the next one.
constexpr std::chrono::milliseconds kEpochInterval{100};
constexpr std::chrono::milliseconds kStepInterval{500};
constexpr std::chrono::hours kNoStepInterval{24};

/// Sends the progress of a case every 100 ms from its own thread; the destructor sends the rest.
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
      has_news_.wait_for(lock, reports_steps_ ? kStepInterval : kNoStepInterval,
                         [this] { return is_stopping_ || !epochs_.empty(); });
      std::vector<Reply> news = std::exchange(epochs_, {});
      if (reports_steps_ && !is_stopping_)
        news.push_back(StepsReply{steps_.exchange(0, std::memory_order_relaxed)});
      lock.unlock();
      outbox_.send(news);
      lock.lock();
      stop_signal_.wait_for(lock, kEpochInterval, [this] { return is_stopping_; });
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
  std::vector<Reply> epochs_;  // Unsent epochs.
  bool is_stopping_ = false;
  std::thread sender_;  // Declared last because it uses the other members.
};

/// Changes `error` to `oom` near the memory limit, where oneDNN reports "could not create a primitive".
template <class Answer>
Answer with_likely_cause(Answer result) {
  if (result.status != RowStatus::kError || !has_neared_memory_limit()) return result;
  result.status = RowStatus::kOutOfMemory;
  result.status_reason += " (host memory was near its limit)";
  return result;
}

class Worker {
 public:
  Worker(const std::function<const Engine&()>& load_engine, Seconds loaded_in)
      : load_engine_(load_engine), loaded_in_(loaded_in) {}

  /// Terminates the process if a reply cannot be sent (noexcept): the inbox would wait for more input.
  void serve() noexcept {
    while (const auto line = inbox_.next()) {
      try {
        std::visit([this](const auto& request) { handle(request); }, request_from(*line));
      } catch (const Error& error) {
        outbox_.send(ErrorReply{error.kind(), error.what()});
      } catch (const std::exception& error) {
        outbox_.send(ErrorReply{ErrorKind::kInternal, error.what()});
      }
    }
  }

 private:
  void handle(const FactsRequest& request) { outbox_.send(gather_facts(load_engine_(), clock_, request)); }

  void handle(const RowRequest& request) {
    const Engine& engine = load_engine_();
    engine.configure(request.threads);
    if (request.rank_context) {
      // Launchers send signals to all processes. A worker ends with its input instead.
      for (const int each : {SIGINT, SIGTERM, SIGHUP}) std::signal(each, SIG_IGN);
    }
    Work work = work_from_json(request.work, engine.models(), datasets());
    std::visit([&](auto& row) { handle(request, row, engine); }, work);
  }

  void handle(const RowRequest& request, Case& c, const Engine& engine) {
    c.tried = request.tried;
    c.rank_context = request.rank_context;
    const auto device = engine.open_device(c.asked.device);
    try {
      device->synchronize();  // Creates the device context.
    } catch (const std::exception&) {
      // The case fails in the same way and reports it in its status.
    }
    const Seconds ready = clock_.now();
    const MappedDataset mapped(request.dataset, data_spec(c));
    const Dataset dataset =
        with_timed_split(c, arrange(mapped.dataset, make_spec(c), static_cast<std::uint64_t>(c.asked.seed)));
    if (request.memory_limit) limit_memory(*request.memory_limit);
    if (request.tries_modes)
      return outbox_.send(ModesReply{engine.try_modes(alone(c), dataset, *device, clock_)});
    c.tried = engine.known_modes(alone(c), *device);
    if (request.pilot_limit) {
      const auto pilot = engine.run_pilot(alone(c), dataset, *device, clock_, *request.pilot_limit);
      return outbox_.send(with_likely_cause(pilot));
    }
    // Trials need another process: they would warm up this one.
    if (!c.tried.is_whole()) return outbox_.send(ModesReply{c.tried});
    RowReply reply;
    {
      Reporter reporter(inbox_, outbox_, request.reports_steps);
      CaseRecord record = with_likely_cause(engine.run_case(c, dataset, *device, clock_, reporter));
      record.process_start = loaded_in_ + ready - request.process_start;
      reply = {std::move(record), reporter.has_lost_connection()};
    }
    outbox_.send(reply);
  }

  void handle(const RowRequest& request, const OpWork& work, const Engine& engine) {
    std::unique_ptr<Device>& device = devices_[work.asked.device];
    if (!device) device = engine.open_device(work.asked.device);
    if (!request.rank_context)
      return outbox_.send(RowReply{engine.run_operation(work.asked, *device, clock_)});
    if (!network_) network_ = engine.join_network(*request.rank_context, *device, clock_, network_monitor_);
    const OpRecord record = network_(work);
    outbox_.send(RowReply{record, network_monitor_.has_lost_connection});
  }

  /// Ignores other requests: the inbox reads stop requests, supervisors of ranks the rest.
  void handle(const auto&) {}

  const std::function<const Engine&()>& load_engine_;
  Seconds loaded_in_;
  SteadyClock clock_;
  Inbox inbox_;
  Outbox outbox_;
  std::map<std::string, std::unique_ptr<Device>> devices_;  // Open devices of operations.
  struct : CaseMonitor {
    void connection_lost() override { has_lost_connection = true; }
    bool has_lost_connection = false;
  } network_monitor_;
  Network network_;  // For collectives. Each group has its own worker.
};

}  // namespace

void serve(const std::function<const Engine&()>& load_engine, Seconds loaded_in) {
  Worker(load_engine, loaded_in).serve();
}

}  // namespace gpubench
