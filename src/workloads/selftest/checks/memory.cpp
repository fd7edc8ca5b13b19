#include <ATen/ops/ones.h>
#include <fmt/format.h>

#include "device/host/host_process.h"
#include "engine/torch/failure.h"
#include "gpubench/core/text/quantities.h"
#include "workloads/selftest/check.h"

namespace gpubench::memory_plugin {
namespace {

constexpr Bytes kDeviceBytes{64 << 20};
/// Too large for the free memory that the process already has.
constexpr Bytes kHostBytes{512 << 20};
constexpr double kTolerance = 0.05;
/// Larger than the memory of any device.
constexpr Bytes kTooMuch{std::int64_t{1} << 50};

CheckRow grown(const std::string& what, Bytes before, Bytes after, Bytes allocated) {
  const Bytes growth = after - before;
  return compared(
      what, relative_difference(static_cast<double>(growth.value), static_cast<double>(allocated.value)),
      kTolerance, fmt::format("grew by {} for an allocation of {}", byte_text(growth), byte_text(allocated)));
}

CheckRow device_peak(Subject& subject) {
  Device& device = subject.device;
  device.reset_peak_memory();
  const Measured<Bytes> before = device.peak_memory();
  if (!before.has_value()) return unchecked("device peak", before.reason());
  subject.allocate(kDeviceBytes);  // Freed at once.
  return grown("device peak", before.value(), device.peak_memory().value(), kDeviceBytes);
}

CheckRow device_held(Subject& subject) {
  const Measured<Bytes> before = subject.device.held_memory();
  if (!before.has_value()) return unchecked("device allocated", before.reason());
  auto block = subject.allocate(kDeviceBytes);
  const CheckRow row =
      grown("device allocated", before.value(), subject.device.held_memory().value(), kDeviceBytes);
  block.reset();
  if (subject.device.held_memory() == before) return row;
  return failed("device allocated", "freed memory still counts as allocated");
}

CheckRow host(Subject& subject) {
  if (!subject.place().is_cpu()) return unchecked("host", "tensors of this device are not in host memory");
  const Bytes before = current_resident();
  const auto block = subject.allocate(kHostBytes);
  return grown("host", before, current_resident(), kHostBytes);
}

CheckRows check_figures(Subject& subject) {
  subject.allocate(kDeviceBytes);  // The first tensor starts the allocator.
  return {device_peak(subject), device_held(subject), host(subject)};
}

CheckRow refusal(Subject& subject) {
  try {
    subject.allocate(kTooMuch);
  } catch (const std::exception& error) {
    const Failure failure = classify(error);
    return decided("oversized allocation", failure.status == RowStatus::kOutOfMemory,
                   fmt::format("reported as {}: {}", to_string(failure.status), failure.message));
  }
  return failed("oversized allocation", "an allocation of 1,024 TiB succeeded");
}

CheckRow afterwards(Subject& subject) {
  constexpr std::int64_t kSize = 8;
  const at::Tensor ones = at::ones({kSize, kSize}, at::TensorOptions(subject.place()));
  const double sum = subject.product(ones, ones, false).sum().item<double>();
  if (sum != kSize * kSize * kSize)
    return failed("training afterwards", fmt::format("wrong matrix product: sum {}", sum));
  const CaseRecord record = train(subject, {.model = "mlp"});
  return decided("training afterwards", record.status == RowStatus::kOk,
                 fmt::format("status {}", to_string(record.status)));
}

CheckRows check_refusal(Subject& subject) { return {refusal(subject), afterwards(subject)}; }

}  // namespace

CheckEntry entry_memory() {
  return {{"memory", "reported memory grows by the allocated size and falls after freeing"}, check_figures};
}

CheckEntry entry_out_of_memory() {
  return {{"out-of-memory", "out of memory is reported as oom, and the device works afterwards"},
          check_refusal};
}

}  // namespace gpubench::memory_plugin
