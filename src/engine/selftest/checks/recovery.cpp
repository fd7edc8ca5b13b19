#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include "engine/selftest/cases.h"
#include "engine/selftest/checks/entries.h"

namespace gpubench {
namespace {

/// The device, on which recording fails: in the middle of its work something reads a result, as a model that
/// breaks the rules would.
class SpoiledRecordings : public Device {
 public:
  explicit SpoiledRecordings(Device& device) : device_(device) {}
  std::string name() const override { return device_.name(); }
  DeviceRecord record() const override { return device_.record(); }
  void synchronize() override { device_.synchronize(); }
  std::string why_no_marks() const override { return device_.why_no_marks(); }
  std::unique_ptr<DeviceMarks> make_marks(const Clock& clock, std::size_t count) override {
    return device_.make_marks(clock, count);
  }
  std::string why_no_graph() const override { return device_.why_no_graph(); }
  std::unique_ptr<RecordedWork> record_graph(const std::function<void()>& warm_up,
                                             const std::function<void()>& work) override {
    const at::Tensor result = at::zeros({1}, at::TensorOptions(c10::Device(name())));
    return device_.record_graph(warm_up, [&] {
      work();
      result.item<float>();
      // Where that was let pass, the recording fails all the same.
      throw Error(ErrorKind::kDevice, "a result was read while work was recorded");
    });
  }

 private:
  Device& device_;
};

SmallTraining training(Execution execution) {
  SmallTraining made{.model = "cnn"};
  made.mode.execution = execution;
  return made;
}

CheckRow fall_back(Subject& subject) {
  SpoiledRecordings spoiled(subject.device);
  const CaseRecord record = train(subject, training(Execution::kAuto), spoiled);
  const bool is_eager = record.execution_used == Reading<std::string>("eager");
  return decided("fall-back", record.status == RowStatus::kOk && is_eager,
                 fmt::format("the case ended as {} {}", to_string(record.status),
                             record.status == RowStatus::kOk ? record.execution_note : record.status_reason));
}

CheckRow random_numbers(Subject& subject) {
  const double sum = subject.noise(1).sum().item<double>();
  return passed("random numbers", fmt::format("one was drawn: {:.3g}", sum));
}

CheckRow next_case(Subject& subject) {
  constexpr double kTolerance = 1e-3;
  TrainingMode graph = training(Execution::kGraph).mode;
  TrainingMode eager = training(Execution::kEager).mode;
  CheckRow row = compared_modes(subject, "cnn", graph, eager, kTolerance);
  row.subject = "next case";
  return row;
}

CheckRows run(Subject& subject) {
  const std::string why_not = subject.device.why_no_graph();
  if (!why_not.empty()) return {unchecked("", why_not)};
  return {fall_back(subject), random_numbers(subject), next_case(subject)};
}

}  // namespace

CheckEntry check_recovery() {
  return {"recovery", "a recording that fails falls back, and the next case is unharmed", run};
}

}  // namespace gpubench
