#include "gpubench/engine/runner.h"

#include <new>

#include "gpubench/record/derived.h"
#include "support/catch.h"
#include "support/fake_clock.h"
#include "tiny.h"

using namespace gpubench;
using namespace gpubench::test;

namespace {

/// A clock on which every look takes a second, so that each window lasts exactly one.
class TickingClock : public Clock {
 public:
  Seconds now() const override { return {++ticks_}; }

 private:
  mutable double ticks_ = 0;
};

CaseRecord run(const Case& c) {
  CountingDevice device;
  CountingProgress progress;
  return run_case(c, tiny_dataset(), device, TickingClock(), progress);
}

/// The tiny case with a model whose building throws `Exception`.
template <class Exception>
CaseRecord run_throwing() {
  static const ModelEntry entry{"broken",    "",      "broken",
                                tiny_spec(), "image", []() -> std::shared_ptr<Model> {
                                  throw Exception(); }};
  Case c = tiny_case();
  c.model = &entry;
  return run(c);
}

struct OutOfMemoryText : std::runtime_error {
  OutOfMemoryText() : std::runtime_error("MPS backend out of memory (allocated 3 GB)\nbacktrace") {}
};
struct UnsupportedText : std::runtime_error {
  UnsupportedText() : std::runtime_error("\"conv\" not implemented for 'Half'") {}
};
struct OtherText : std::runtime_error {
  OtherText() : std::runtime_error("cable unplugged") {}
};

}  // namespace

TEST_CASE("a case records every epoch, and only the steady ones count") {
  const CaseRecord record = run(tiny_case());
  CHECK(record.status == CaseStatus::kOk);
  CHECK(record.epoch_seconds == std::vector<double>{1, 1, 1});
  CHECK(steady_epochs(record).size() == 2);
  CHECK(samples_per_second(record).value() == 50);
  CHECK(record.setup.value() == Seconds{1});
  CHECK(startup(record).value() == Seconds{1});
}

TEST_CASE("the short last batch is trained on and recorded") {
  CountingDevice device;
  CountingProgress progress;
  const CaseRecord record = run_case(tiny_case(), tiny_dataset(), device, TickingClock(), progress);
  CHECK(record.train_samples == 50);
  CHECK(record.steps_per_epoch == 4);
  CHECK(record.last_batch_size == 2);
  CHECK_FALSE(record.is_last_batch_dropped);
  CHECK(progress.steps == 3 * 4);
}

TEST_CASE("the device is waited for at the ends of windows only, never inside an epoch") {
  CountingDevice device;
  CountingProgress progress;
  run_case(tiny_case(), tiny_dataset(), device, TickingClock(), progress);
  CHECK(device.synchronizations == 2 * (1 + 3));  // Set-up and three epochs.
}

TEST_CASE("the limit cuts every split") {
  Case c = tiny_case();
  c.limit = 8;
  const CaseRecord record = run(c);
  CHECK(record.train_samples == 8);
  CHECK(record.steps_per_epoch == 1);
  CHECK(record.last_batch_size == 8);
}

TEST_CASE("training lowers the loss, and the test split gives the accuracy") {
  Case c = tiny_case();
  c.epochs = 10;
  const CaseRecord record = run(c);
  const auto& [name, losses] = record.training.front();
  CHECK(name == "loss");
  CHECK(losses.size() == 10);
  CHECK(losses.back() < losses.front());
  CHECK(value_of(record.test, "accuracy").value() > 0.5);
  CHECK_THAT(record.validation.reason(), contains_text("no such split"));
}

TEST_CASE("the same seed gives the same losses, another seed others") {
  Case c = tiny_case();
  c.seed = 3;
  const NamedSeries first = run(c).training;
  CHECK(run(c).training == first);
  c.seed = 4;
  CHECK(run(c).training != first);
}

TEST_CASE("a run whose loss is no longer finite stops there and has diverged") {
  Case c = tiny_case();
  c.learning_rate = 1e38;
  const CaseRecord record = run(c);
  CHECK(record.status == CaseStatus::kDiverged);
  CHECK_THAT(record.status_reason, contains_text("not finite"));
  CHECK(record.epoch_seconds.size() < 3);
}

TEST_CASE("what goes wrong in a case becomes its status and one line of message") {
  CHECK(run_throwing<std::bad_alloc>().status == CaseStatus::kOutOfMemory);
  CHECK(run_throwing<UnsupportedText>().status == CaseStatus::kUnsupported);
  CHECK(run_throwing<OtherText>().status == CaseStatus::kError);
  const CaseRecord record = run_throwing<OutOfMemoryText>();
  CHECK(record.status == CaseStatus::kOutOfMemory);
  CHECK(record.status_reason == "MPS backend out of memory (allocated 3 GB)");
  CHECK(record.model == "broken");
  CHECK(record.epoch_seconds.empty());
}

TEST_CASE("a failing case is a row, and the rest of the plan goes on") {
  static const ModelEntry broken{"broken",    "",      "broken",
                                 tiny_spec(), "image", []() -> std::shared_ptr<Model> { throw OtherText(); }};
  Case bad = tiny_case();
  bad.model = &broken;
  const Dataset dataset = tiny_dataset();
  const TickingClock clock;
  CountingProgress progress;
  std::size_t kept = 0;
  RunRecord run;
  run_plan({bad, tiny_case()},
           {clock, progress, [&](const Case&) -> const Dataset& { return dataset; },
            [&](const RunRecord& so_far) { kept += so_far.cases.size(); }},
           run);
  REQUIRE(run.cases.size() == 2);
  CHECK(run.cases[0].status == CaseStatus::kError);
  CHECK(run.cases[1].status == CaseStatus::kOk);
  CHECK(kept == 1 + 2);
  CHECK(progress.started == 2);
  CHECK(progress.finished == 2);
}
