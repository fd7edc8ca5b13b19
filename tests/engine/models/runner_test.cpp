#include "workloads/cases/runner.h"

#include <new>
#include <numeric>

#include "gpubench/record/derived.h"
#include "support/catch.h"
#include "support/fake_clock.h"
#include "support/figure.h"
#include "tiny.h"

namespace gpubench::test::runner_test {

namespace {

CaseRecord run(const Case& c) {
  CountingDevice device;
  CountingMonitor monitor;
  return run_case(c, tiny_dataset(), device, TickingClock(), monitor);
}

/// Returns the tiny case with a model whose constructor throws `Exception`.
template <class Exception>
CaseRecord run_throwing() {
  static const ModelEntry entry{
      "broken",    "",      "broken",
      tiny_spec(), "image", [](const ModelSizes&) -> std::shared_ptr<Model> {
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

TEST_CASE("a case records every epoch, and only epochs after the warm-up count") {
  const CaseRecord record = run(tiny_case());
  CHECK(record.status == RowStatus::kOk);
  CHECK(record.epoch_seconds == std::vector<double>{1, 1, 1});
  CHECK(steady_epochs(record).size() == 2);
  CHECK(samples_per_second(record).value() == 50);
  CHECK(record.setup.value() == Seconds{3});  // Build, transfer, optimizer.
  CHECK(startup(record).value() == Seconds{3});
}

TEST_CASE("the events of all epochs add up to the row") {
  for (const std::string protocol : {"epoch", "fit"}) {
    Case c = tiny_case();
    c.asked.protocol = protocol;
    Dataset dataset = tiny_dataset();
    dataset.validation = dataset.test;
    CountingDevice device;
    CountingMonitor monitor;
    const CaseRecord record = run_case(c, dataset, device, TickingClock(), monitor);
    REQUIRE(record.status == RowStatus::kOk);
    CHECK(monitor.row.epoch_seconds == record.epoch_seconds);
    CHECK(monitor.row.training == record.training);
    CHECK(monitor.row.validation_seconds == record.validation_seconds);
    CHECK(monitor.row.validation_history == record.validation_history);
    CHECK(monitor.row.epoch_host_bytes == record.epoch_host_bytes);
    CHECK(monitor.row.trained_steps == record.trained_steps);
    CHECK(monitor.row.trained_samples == record.trained_samples);
    const std::size_t told = monitor.row.timeline.size();
    REQUIRE(told >= 3);
    REQUIRE(told <= record.timeline.size());
    CHECK(std::equal(monitor.row.timeline.begin(), monitor.row.timeline.end(), record.timeline.begin()));
    CHECK(record.timeline[told].name == "evaluation");
    CHECK(record.validation_seconds.empty() == (protocol == "epoch"));
  }
}

TEST_CASE("timing blocks of an epoch neither waits nor changes the training") {
  MarkingDevice device;
  CountingMonitor monitor;
  const CaseRecord record = run_case(tiny_case(), tiny_dataset(), device, TickingClock(), monitor);
  CHECK(record.blocks_per_epoch.value() == 4);
  CHECK(record.block_steps == std::vector<std::int64_t>{1, 1, 1, 1});
  CHECK(record.block_seconds == std::vector<double>(3 * 4, 1));
  CHECK(monitor.row.block_seconds == record.block_seconds);
  CHECK(monitor.row.block_steps == record.block_steps);
  CHECK(steady_step_seconds(record).value() == std::vector<double>(2 * 4, 1));
  CHECK(device.synchronizations == 2 * (3 + 3 + 2));

  const CaseRecord without = run(tiny_case());
  CHECK(without.training == record.training);
  CHECK(without.parameter_checksum == record.parameter_checksum);
  CHECK(without.block_seconds.empty());
  CHECK_THAT(without.blocks_per_epoch.reason(), contains_text("time stamps"));
}

TEST_CASE("the CPU has a time for every block, and their sum is the epoch") {
  const auto device = open_device("cpu");
  CountingMonitor monitor;
  Case c = tiny_case();
  c.asked.batch_size = 2;
  const CaseRecord record = run_case(c, tiny_dataset(), *device, SteadyClock(), monitor);
  REQUIRE(record.blocks_per_epoch.value() == 10);
  REQUIRE(record.block_seconds.size() == 3 * 10);
  for (std::size_t epoch = 0; epoch < 3; ++epoch) {
    const auto first = record.block_seconds.begin() + static_cast<std::ptrdiff_t>(10 * epoch);
    const double sum = std::accumulate(first, first + 10, 0.0);
    CHECK(sum > 0);
    CHECK(sum <= record.epoch_seconds[epoch]);
  }
}

TEST_CASE("training reduces the loss, and the test split gives the accuracy") {
  Case c = tiny_case();
  c.asked.min_epochs = c.asked.epochs = 10;
  const CaseRecord record = run(c);
  const auto& [name, losses] = record.training.front();
  CHECK(name == "loss");
  CHECK(losses.size() == 10);
  CHECK(losses.back() < losses.front());
  CHECK(find_value(record.test, "accuracy").value() > 0.5);
  CHECK_THAT(record.validation.reason(), contains_text("no such split"));
}

TEST_CASE("a case with an infinite loss stops and has diverged") {
  Case c = tiny_case();
  c.asked.learning_rate = 1e38;
  const CaseRecord record = run(c);
  CHECK(record.status == RowStatus::kDiverged);
  CHECK_THAT(record.status_reason, contains_text("not finite"));
  CHECK(record.epoch_seconds.size() < 3);
}

TEST_CASE("a failure of a case becomes its status and a one-line message") {
  CHECK(run_throwing<std::bad_alloc>().status == RowStatus::kOutOfMemory);
  CHECK(run_throwing<UnsupportedText>().status == RowStatus::kUnsupported);
  CHECK(run_throwing<OtherText>().status == RowStatus::kError);
  const CaseRecord record = run_throwing<OutOfMemoryText>();
  CHECK(record.status == RowStatus::kOutOfMemory);
  CHECK(record.status_reason == "MPS backend out of memory (allocated 3 GB)");
  CHECK(record.model == "broken");
  CHECK(record.epoch_seconds.empty());
}

TEST_CASE("out of memory records requested and free bytes") {
  struct Refused : std::runtime_error {
    Refused()
        : std::runtime_error(
              "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 8.00 GiB "
              "of which 1.50 GiB is free.") {}
  };
  const CaseRecord record = run_throwing<Refused>();
  CHECK(record.status == RowStatus::kOutOfMemory);
  CHECK(record.requested.value() == Bytes{std::int64_t{2} << 30});
  CHECK(record.available.value() == Bytes{std::int64_t{3} << 29});
}

TEST_CASE("the timeline has every phase in order, without overlap") {
  const CaseRecord record = run(tiny_case());
  std::vector<std::string> names;
  Seconds end{0};
  for (const Phase& phase : record.timeline) {
    names.push_back(phase.name);
    CHECK(phase.start >= end);
    end = phase.start + phase.duration;
  }
  CHECK(names == std::vector<std::string>{"build", "transfer", "optimizer", "epoch 1", "epoch 2", "epoch 3",
                                          "evaluation", "counting"});
}

TEST_CASE("protocol fit validates after each epoch, on the test split if validation is missing") {
  Case c = tiny_case();
  c.asked.protocol = "fit";
  const CaseRecord record = run(c);
  CHECK(record.validation_seconds == std::vector<double>{1, 1, 1});
  REQUIRE(record.validation_history.size() == 2);
  CHECK(record.validation_history[0].second.size() == 3);
  CHECK(record.validation_history[0].second.back() == approx(find_value(record.test, "loss").value()));
  CHECK(figure(record, "fit_seconds").value() == 3 + 3 + 3);
}

TEST_CASE("a row documents the work: steps, samples, losses and checksum of the parameters") {
  const CaseRecord record = run(tiny_case());
  CHECK(record.trained_steps == 3 * 4);
  CHECK(record.trained_samples == 3 * 50);
  CHECK(record.initial_loss.value() > figure(record, "final_loss").value());
  CHECK(record.parameter_checksum.value().size() == 64);
  CHECK(run(tiny_case()).parameter_checksum == record.parameter_checksum);
  Case other = tiny_case();
  other.asked.seed = 1;
  CHECK(run(other).parameter_checksum != record.parameter_checksum);
}

TEST_CASE("training that changes nothing is invalid") {
  Case c = tiny_case();
  c.asked.learning_rate = 1e-30;
  const CaseRecord record = run(c);
  CHECK(record.status == RowStatus::kInvalid);
  CHECK_THAT(record.status_reason, contains_text("changed no parameter"));
}

TEST_CASE("an interrupted case keeps its epochs, and a case at its deadline is ok") {
  CountingDevice device;
  CountingMonitor monitor;
  monitor.stop_after = 2;
  monitor.request = StopRequest::kInterrupt;
  const CaseRecord ended = run_case(tiny_case(), tiny_dataset(), device, TickingClock(), monitor);
  CHECK(ended.status == RowStatus::kInterrupted);
  CHECK(ended.epoch_seconds.size() == 2);

  monitor.request = StopRequest::kDeadline;
  const CaseRecord late = run_case(tiny_case(), tiny_dataset(), device, TickingClock(), monitor);
  CHECK(late.status == RowStatus::kOk);
  CHECK(late.stopped_by.value() == "deadline");
}

TEST_CASE("training with a target stops when the interval of the median is narrow enough") {
  Case c = tiny_case();
  c.asked.min_epochs = 5;
  c.asked.epochs = 200;
  c.asked.target_rel_ci95 = 0.02;
  const CaseRecord record = run(c);  // All epochs have equal times on the ticking clock.
  CHECK(record.stopped_by.value() == "target-ci");
  CHECK(record.epoch_seconds.size() < 100);
}

TEST_CASE("a pilot includes the last step of an epoch and the first of the next, for their memory") {
  std::vector<std::int64_t> sizes;
  static std::vector<std::int64_t>* seen;
  seen = &sizes;
  class Sized : public Model {
   public:
    Sized() : weight_(register_parameter("weight", at::ones({1}))) {}
    std::vector<ParameterGroup> parameter_groups() override { return {{"weight", parameters(), {}}}; }
    std::vector<std::string> metrics() const override { return {"loss"}; }
    Results train_step(const Batch& batch, Step& step) override {
      seen->push_back(batch.inputs.size(0));
      return {step.minimise(0, [&] { return weight_.square().sum(); })};
    }
    at::Tensor predict(const at::Tensor& inputs) override { return inputs; }
    Results evaluate(const Batch&) override { return {weight_.detach().sum()}; }

   private:
    at::Tensor weight_;
  };
  ModelEntry entry = tiny_model();
  entry.build = [](const ModelSizes&) -> std::shared_ptr<Model> { return std::make_shared<Sized>(); };
  Case c = tiny_case();
  c.model = &entry;
  CountingDevice device;
  CHECK(run_pilot(c, tiny_dataset(), device, TickingClock(), Seconds{0}).status == RowStatus::kOk);
  CHECK(sizes == std::vector<std::int64_t>{16, 16, 2, 16});
}

}  // namespace gpubench::test::runner_test
