#include "engine/isolation/worker_session.h"

namespace gpubench {
namespace {

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

}  // namespace

WorkerOutcome WorkerSession::ask(const Request& request, std::optional<Seconds> timeout,
                                 RowControl& control) {
  Conversation conversation(child_, timeout, control);
  child_.send(to_line(request));
  conversation.hold();
  return std::move(conversation.outcome);
}

void WorkerSession::finish(WorkerOutcome& outcome) {
  child_.close_requests();
  outcome.end = child_.wait();
  outcome.duration = clock_.now() - start_;
  outcome.last_lines = child_.last_lines();
}

WorkerOutcome converse(WorkerSource& workers, const Request& request, const std::vector<int>& inherited,
                       std::optional<Seconds> timeout, RowControl& control) {
  WorkerSession session(workers, inherited);
  WorkerOutcome outcome = session.ask(request, timeout, control);
  session.finish(outcome);
  return outcome;
}

}  // namespace gpubench
