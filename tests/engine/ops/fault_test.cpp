// Operations and devices with planted faults: none of them gets a time.

#include <functional>
#include <future>
#include <memory>
#include <vector>

#include <ATen/ops/cumsum.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/sum.h>
#include <c10/util/Exception.h>

#include "engine/ops/quick_run.h"
#include "support/catch.h"
#include "support/fake_clock.h"

namespace gpubench::test::fault_test {

namespace {

OpEntry with_call(const std::string& name, at::Tensor (*call)(const Tensors&, const OpCase&)) {
  OpEntry entry = ops().require(name, "--op");
  entry.call = call;
  return entry;
}

OpRecord run_planted(const std::string& name, const std::string& sizes,
                     at::Tensor (*call)(const Tensors&, const OpCase&)) {
  return run_on_cpu(with_call(name, call), quick_request(sizes));
}

void check_refused(const OpRecord& record, RowStatus status, const std::string& why) {
  INFO(record.status_reason);
  CHECK(record.status == status);
  CHECK(record.call_seconds.empty());
  CHECK_THAT(record.status_reason, contains_text(why));
}

/// Work that runs in the destructor, which waits for it: LibTorch must not be called while the process exits.
class LateWork {
 public:
  ~LateWork() { begin_.set_value(); }
  void add(const std::function<void()>& work) {
    const auto after = [work, begin = has_begun_] { begin.wait(), work(); };
    results_.push_back(std::async(std::launch::async, after));
  }
  std::size_t count() const { return results_.size(); }

 private:
  std::promise<void> begin_;
  std::shared_future<void> has_begun_{begin_.get_future()};
  std::vector<std::future<void>> results_;
};

std::unique_ptr<LateWork> late_work;

/// Returns a result that becomes correct only after the check.
at::Tensor relu_later(const Tensors& inputs, const OpCase&) {
  at::Tensor result = at::full_like(inputs[0], 0);
  late_work->add([result, input = inputs[0]] { result.copy_(input.clamp_min(0)); });
  return result;
}

/// Returns a correct result only in the first call.
at::Tensor relu_once(const Tensors& inputs, const OpCase&) {
  static int calls = 0;
  return calls++ == 0 ? inputs[0].clamp_min(0) : inputs[0].clamp_min(1);
}

/// Device whose clock advances only during synchronize().
class LazyDevice : public Device {
 public:
  explicit LazyDevice(FakeClock& clock) : clock_(clock) {}
  std::string name() const override { return "cpu"; }
  DeviceRecord record() const override { return {"cpu", "lazy", {}, {}, {}}; }
  void queue(Seconds work) { queued_ = queued_ + work; }
  void synchronize() override {
    clock_.advance(queued_);
    queued_ = {};
  }

 private:
  FakeClock& clock_;
  Seconds queued_;
};

/// Marks with a fixed time between them.
class FixedMarks : public DeviceMarks {
 public:
  explicit FixedMarks(Seconds time) : time_(time) {}
  void mark(std::size_t) override {}
  Measured<Seconds> between(std::size_t, std::size_t) const override { return time_; }

 private:
  Seconds time_;
};

/// CPU with a device clock.
class TimedDevice : public Device {
 public:
  explicit TimedDevice(Seconds window) : window_(window) {}
  std::string name() const override { return "cpu"; }
  DeviceRecord record() const override { return {"cpu", "timed", {}, {}, {}}; }
  void synchronize() override {}
  bool has_own_clock() const override { return true; }
  std::unique_ptr<DeviceMarks> make_marks(const Clock&, std::size_t) override {
    return std::make_unique<FixedMarks>(window_);
  }

 private:
  Seconds window_;
};

}  // namespace

TEST_CASE("an operation that ignores its axis is incorrect") {
  const auto sum = [](const Tensors& inputs, const OpCase&) {
    return at::sum(inputs[0], at::IntArrayRef{0});
  };
  check_refused(run_planted("sum", "8x8x8 axis=2", sum), RowStatus::kIncorrect, "differs from fp64");
  const auto sort = [](const Tensors& inputs, const OpCase&) { return std::get<0>(inputs[0].sort(0)); };
  check_refused(run_planted("sort", "8x8x8 axis=1", sort), RowStatus::kIncorrect, "differs from fp64");
  const auto softmax = [](const Tensors& inputs, const OpCase&) { return inputs[0].softmax(0); };
  check_refused(run_planted("softmax", "8x8 axis=-1", softmax), RowStatus::kIncorrect, "differs from fp64");
  const auto argmax = [](const Tensors& inputs, const OpCase&) { return inputs[0].argmax(0); };
  check_refused(run_planted("argmax", "8x8 axis=1", argmax), RowStatus::kIncorrect, "differs from fp64");
}

TEST_CASE("an operation that continues after the device has synchronized is incorrect") {
  late_work = std::make_unique<LateWork>();
  check_refused(run_planted("relu", "64x64", relu_later), RowStatus::kIncorrect, "differs from fp64");
  CHECK(late_work->count() > 0);
  late_work.reset();
}

TEST_CASE("an operation that is correct only during the check is incorrect") {
  check_refused(run_planted("relu", "64x64", relu_once), RowStatus::kIncorrect, "differs from fp64");
}

TEST_CASE("a result on another device is a CPU fallback") {
  const auto elsewhere = [](const Tensors& inputs, const OpCase&) { return inputs[0].to(at::kMeta); };
  check_refused(run_planted("relu", "64x64", elsewhere), RowStatus::kCpuFallback, "the result is on meta");
}

TEST_CASE("operations without gradients and integers are unsupported backward") {
  OpPoint request = quick_request("8x8", OpType::kInt32);
  request.direction = OpDirection::kForwardBackward;
  check_refused(run_on_cpu(ops().require("relu", "--op"), request), RowStatus::kUnsupported, "no gradient");
}

TEST_CASE("an exception sets the status by its message, which becomes the reason") {
  const auto float64 = [](const Tensors& inputs, const OpCase&) -> at::Tensor {
    TORCH_CHECK_TYPE(inputs.empty(),
                     "Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't ",
                     "support float64. Please use float32 instead.");
    return {};
  };
  check_refused(run_planted("relu", "4x4", float64), RowStatus::kUnsupported, "MPS framework");
  const auto memory = [](const Tensors&, const OpCase&) -> at::Tensor { throw std::bad_alloc(); };
  check_refused(run_planted("relu", "4x4", memory), RowStatus::kOutOfMemory, "bad_alloc");
  const auto other = [](const Tensors&, const OpCase&) -> at::Tensor { throw std::runtime_error("no luck"); };
  check_refused(run_planted("relu", "4x4", other), RowStatus::kError, "no luck");
}

TEST_CASE("a row that needs too much memory is skipped, and the reason has the bytes") {
  const OpPoint request = quick_request("4000000x4000 4000x1000000");
  const OpRecord record = run_on_cpu(ops().require("matmul", "--op"), request);
  check_refused(record, RowStatus::kSkipped, "of host memory");
  CHECK(record.needed_host.value().value > std::int64_t{4000000} * 1000000 * 4);
  CHECK_FALSE(record.needed_device.has_value());
}

TEST_CASE("the device's clock is preferred, and a different host time is a warning") {
  TimedDevice device(Seconds{0.5});
  OpPoint request = quick_request("512x512 512x512");
  request.sample = Seconds{0.002};
  const OpRecord record = run_op(ops().require("matmul", "--op"), request, device, SteadyClock());
  REQUIRE(record.status == RowStatus::kOk);
  CHECK(record.clock == "device");
  CHECK(record.call_seconds.front() == approx(0.5 / static_cast<double>(record.calls_per_sample)));
  CHECK(record.host_call_seconds.size() == record.call_seconds.size());
  REQUIRE(record.warnings.size() == 1);
  CHECK_THAT(record.warnings.front().text, contains_text("times the host clock times"));
}

TEST_CASE("the published protocol times the second of two calls") {
  OpPoint request = quick_request("64x64");
  request.protocol = OpProtocol::kS4;
  static int calls;
  calls = 0;
  const OpEntry entry = with_call("relu", [](const Tensors& inputs, const OpCase&) {
    calls += inputs[0].is_meta() ? 0 : 1;
    return inputs[0].clamp_min(0);
  });
  const OpRecord record = run_on_cpu(entry, request);
  CHECK(record.status == RowStatus::kOk);
  CHECK(record.call_seconds.size() == 1);
  CHECK(record.calls_per_sample == 1);
  CHECK(calls == 2);
}

TEST_CASE("timing includes work that continues after a call returns") {
  static FakeClock clock;
  static LazyDevice device(clock);
  const OpEntry entry = with_call("relu", [](const Tensors& inputs, const OpCase&) {
    if (!inputs[0].is_meta()) device.queue(Seconds{0.25});
    return inputs[0].clamp_min(0);
  });
  const OpRecord record = run_op(entry, quick_request("64x64"), device, clock);
  CHECK(record.status == RowStatus::kOk);
  CHECK(record.call_seconds == std::vector<double>{0.25, 0.25, 0.25});
}

TEST_CASE("very long calls are repeated for ten seconds") {
  static FakeClock clock;
  const OpEntry entry = with_call("relu", [](const Tensors& inputs, const OpCase&) {
    if (!inputs[0].is_meta()) clock.advance(Seconds{6});
    return inputs[0].clamp_min(0);
  });
  OpPoint request;
  request.sizes = "64x64";
  const OpRecord record = run_op(entry, request, *open_device("cpu"), clock);
  CHECK(record.status == RowStatus::kOk);
  CHECK(record.call_seconds == std::vector<double>{6, 6});
}

TEST_CASE("a sample with cold caches is a single call") {
  OpPoint request = quick_request("64x64");
  request.cache = OpCache::kCold;
  const OpRecord record = run_on_cpu(ops().require("relu", "--op"), request);
  CHECK(record.status == RowStatus::kOk);
  CHECK(record.calls_per_sample == 1);
}

}  // namespace gpubench::test::fault_test
