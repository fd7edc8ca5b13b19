#include "engine/sweep/sweep.h"

#include <map>

#include "gpubench/record/derived.h"
#include "small_run.h"
#include "support/catch.h"
#include "support/fake_clock.h"
#include "support/figure.h"

namespace gpubench::test::sweep_test {
namespace {

class FakeInterrupts : public Interrupts {
 public:
  int count() override { return times; }
  int wake_descriptor() const override { return -1; }
  int times = 0;
};

class CountingProgress : public Progress {
 public:
  void row_started(const Result&, std::size_t index, std::size_t count) override {
    started.push_back(std::to_string(index) + "/" + std::to_string(count));
  }
  void row_finished(const Result& row) override { finished.push_back(to_string(get_row(row).status)); }

  std::vector<std::string> started;
  std::vector<std::string> finished;
};

/// Ends each case after one epoch, with its status in `statuses`. Calls `during` while the case runs.
class FakeExecutor : public Executor {
 public:
  Result run(const Work& work, const Result& planned, RowControl& control) override {
    const auto& c = std::get<Case>(work);
    const std::string name = c.model->name + ":" + std::to_string(c.asked.batch_size);
    order.push_back(name);
    auto row = std::get<CaseRecord>(planned);
    row.warmup_epochs = 0;
    row.train_flop_per_sample = flop;
    const EpochRecord epoch = small_epoch();
    add_epoch(row, epoch);
    control.epoch_finished(epoch);
    if (during) during(name);
    requests.push_back(control.stop_request());
    const auto found = statuses.find(name);
    row.status = found == statuses.end() ? RowStatus::kOk : found->second;
    return row;
  }
  Pilot run_pilot(const Case&, Seconds, RowControl&) override { return {}; }

  std::map<std::string, RowStatus> statuses;
  std::function<void(const std::string&)> during;
  Measured<double> flop = missing("not counted");
  std::vector<std::string> order;
  std::vector<StopRequest> requests;
};

/// A sweep over the cases of a SmallRun, recorded in memory.
struct Sweep {
  using Change = std::function<void(SmallRun&)>;
  explicit Sweep(const std::vector<std::int64_t>& batches = {16, 32}, const Change& change = nullptr)
      : plan(batches), recorder(begin(plan, change)) {}

  SweepServices services() {
    peaks = make_peak_observer(recorder, renew_peak);
    return {executor, {peaks.get()}, recorder, progress, interrupts, clock, [this] { ++kept; }};
  }
  bool run() {
    return run_sweep(plan.work(), unfinished(recorder, execution_order(mapped(plan.work(), get_repeat), 0)),
                     services());
  }

  std::string statuses() const {
    std::string text;
    for (const CaseRecord& row : recorder.document().cases) text += to_string(row.status) + " ";
    return text;
  }

  static Recorder begin(SmallRun& plan, const Change& change) {
    if (change) change(plan);
    return plan.begin();
  }

  SmallRun plan;
  FakeExecutor executor;
  Recorder recorder;
  CountingProgress progress;
  FakeInterrupts interrupts;
  FakeClock clock;
  RenewPeak renew_peak;
  std::unique_ptr<Observer> peaks;
  int kept = 0;
};

DeviceRecord find_cpu(double flops) {
  return {"cpu",
          "Processor 9000",
          missing("unknown"),
          missing("unknown"),
          missing("unknown"),
          NamedValues{{"fp32", flops}}};
}

}  // namespace

TEST_CASE("a sweep runs the cases in order and saves the result after each") {
  Sweep sweep;
  CHECK(sweep.run());
  CHECK(sweep.executor.order == std::vector<std::string>{"flat:16", "flat:32", "net:16", "net:32"});
  CHECK(sweep.statuses() == "ok ok ok ok ");
  CHECK(sweep.kept == 4);
  CHECK(sweep.progress.started == std::vector<std::string>{"0/4", "1/4", "2/4", "3/4"});
  CHECK(sweep.progress.finished == std::vector<std::string>(4, "ok"));
}

TEST_CASE("after running out of memory in one mode, other modes still run") {
  Sweep sweep({16, 32}, [](SmallRun& plan) {
    for (const std::size_t i : {0u, 2u, 3u}) plan.cases[i].asked.mode.precision = Precision::kBf16;
    for (std::size_t i = 0; i < plan.cases.size(); ++i) plan.rows[i].mode = plan.cases[i].asked.mode;
  });
  sweep.executor.statuses = {{"flat:16", RowStatus::kOutOfMemory}, {"net:16", RowStatus::kOutOfMemory}};
  sweep.run();
  CHECK(sweep.statuses() == "oom ok oom skipped ");
  CHECK_THAT(sweep.recorder.document().cases[3].status_reason,
             contains_text("net on cpu, grey-set, batch 16, bf16"));
}

TEST_CASE("larger cases run again if a smaller one no longer runs out of memory") {
  Sweep sweep({16, 32});
  sweep.executor.statuses = {{"flat:16", RowStatus::kOutOfMemory}};
  sweep.run();
  CHECK(sweep.statuses() == "oom skipped ok ok ");
  sweep.executor.statuses.clear();
  sweep.run();
  CHECK(sweep.statuses() == "ok ok ok ok ");
  CHECK(sweep.executor.order.size() == 5);
}

TEST_CASE("after the deadline, a case is stopped at the end of its epoch") {
  Sweep sweep;
  const Seconds deadline = sweep.clock.now() + Seconds{10};
  run_position(sweep.plan.cases[0], 0, 0, 2, deadline, sweep.services());
  sweep.executor.during = [&](const std::string&) { sweep.clock.advance(Seconds{11}); };
  run_position(sweep.plan.cases[1], 1, 1, 2, deadline, sweep.services());
  CHECK(sweep.executor.requests == std::vector<StopRequest>{StopRequest::kNone, StopRequest::kDeadline});
}

TEST_CASE("a rate that the device cannot reach makes a case invalid, with the ratio as the reason") {
  Sweep sweep({16});
  sweep.executor.flop = 6e8;  // 96 samples in 0.5 s, on a device with a peak of 1e9 FLOP/s.
  CHECK(sweep.run());
  CHECK(sweep.statuses() == "invalid invalid ");
  CHECK_THAT(sweep.recorder.document().cases[0].status_reason, contains_text("115.2 times"));
}

TEST_CASE("a rate a little above the peak is within the tolerance") {
  Sweep sweep({16});
  sweep.executor.flop = 1e7;  // 96 samples in 0.5 s: 1.92e9 FLOP/s, with a peak of 1e9.
  CHECK(sweep.run());
  CHECK(sweep.statuses() == "ok ok ");
}

TEST_CASE("the peak is measured again before a rate makes a case invalid") {
  Sweep sweep({16});
  sweep.executor.flop = 1e8;  // 1.92e10 FLOP/s, with a peak of 1e9.
  std::vector<std::string> renewed;
  sweep.renew_peak = [&](const std::string& device) {
    renewed.push_back(device);
    return find_cpu(1e10);
  };
  CHECK(sweep.run());
  CHECK(sweep.statuses() == "ok ok ");
  CHECK(renewed == std::vector<std::string>{"cpu"});
  const RunRecord run = sweep.recorder.document();
  CHECK(figure(run.cases[0], "mfu").value() == 1);
  CHECK(run.cases[0].peak_source == Measured<std::string>("row"));
}

TEST_CASE("a rate far above a repeated peak measurement is invalid, and the reason names the remedy") {
  Sweep sweep({16});
  sweep.executor.flop = 1e8;
  sweep.renew_peak = [](const std::string&) { return find_cpu(2e9); };
  CHECK(sweep.run());
  CHECK(sweep.statuses() == "invalid invalid ");
  const RunRecord run = sweep.recorder.document();
  CHECK_THAT(run.cases[0].status_reason, contains_text("9.6 times"));
  CHECK_THAT(run.cases[0].status_reason, contains_text("gpubench peak"));
  CHECK(run.cases[0].peak_flops_per_second.value() == 2e9);
}

TEST_CASE("a row with an implausible rate runs again and is validated with the new peak") {
  Sweep sweep({16});
  sweep.executor.flop = 1e8;
  CHECK(sweep.run());
  CHECK(sweep.statuses() == "invalid invalid ");
  sweep.renew_peak = [](const std::string&) { return find_cpu(2e10); };
  CHECK(sweep.run());
  CHECK(sweep.statuses() == "ok ok ");
  CHECK(figure(sweep.recorder.document().cases[1], "mfu").value() == approx(0.96));
}

}  // namespace gpubench::test::sweep_test
