#pragma once
// A simulated machine with known run times and memory use, on a fake clock.

#include <string>
#include <vector>

#include "engine/execution/executor.h"
#include "support/fake_clock.h"

namespace gpubench::test {

/// Never interrupts.
class QuietInterrupts : public Interrupts {
 public:
  int count() override { return 0; }
  int wake_descriptor() const override { return -1; }
};

/// Starting a process and a set-up take 1 s each, a step 0.01 s plus 0.001 s per sample. A case needs 1,000
/// bytes plus 10 per sample, and fails above `memory`. "net" is ten times as slow as "flat", and its epoch
/// times vary.
class SimulatedMachine : public Executor {
 public:
  explicit SimulatedMachine(FakeClock& clock) : clock_(clock) {}

  static double step_seconds(const Case& c) {
    return (c.model->name == "net" ? 10 : 1) * (0.01 + 0.001 * static_cast<double>(c.asked.batch_size));
  }
  static std::int64_t bytes(std::int64_t batch_size) { return 1000 + 10 * batch_size; }

  Result run(const Work& work, const Result& planned, RowControl& control) override {
    const auto& c = std::get<Case>(work);
    ran.push_back(c.model->name + ":" + std::to_string(c.asked.batch_size) + "#" +
                  std::to_string(c.asked.repeat));
    auto row = std::get<CaseRecord>(planned);
    const double epoch =
        step_seconds(c) * static_cast<double>(row.train_samples) / static_cast<double>(c.asked.batch_size);
    clock_.advance(Seconds{2});
    while (static_cast<std::int64_t>(row.epoch_seconds.size()) < row.epochs) {
      const double noise = c.model->name == "net" && row.epoch_seconds.size() % 2 == 1 ? 1.2 : 1;
      row.epoch_seconds.push_back(epoch * noise);
      clock_.advance(Seconds{epoch * noise});
      if (control.stop_request() == StopRequest::kDeadline && row.epoch_seconds.size() > 1) break;
    }
    row.status = RowStatus::kOk;
    row.process = Seconds{2 + static_cast<double>(row.epoch_seconds.size()) * epoch};
    return row;
  }

  Pilot run_pilot(const Case& c, Seconds limit, RowControl& control) override {
    pilots.push_back(c.model->name + ":" + std::to_string(c.asked.batch_size));
    Pilot pilot;
    pilot.setup = {1};
    pilot.step = pilot.first_step = {step_seconds(c)};
    pilot.duration = {1 + std::max(limit.value, 2 * step_seconds(c))};
    pilot.process = Seconds{1} + pilot.duration;
    pilot.peak_host = Bytes{bytes(c.asked.batch_size)};
    clock_.advance(pilot.process);
    if (control.must_abort()) pilot.status = RowStatus::kInterrupted;
    if (bytes(c.asked.batch_size) <= memory) return pilot;
    pilot.status = RowStatus::kOutOfMemory;
    pilot.status_reason = "full";
    return pilot;
  }

  std::int64_t memory = 1'000'000;
  std::vector<std::string> ran;
  std::vector<std::string> pilots;

 private:
  FakeClock& clock_;
};

}  // namespace gpubench::test
