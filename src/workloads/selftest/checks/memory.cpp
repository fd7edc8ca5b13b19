#include <ATen/ops/ones.h>
#include <fmt/format.h>

#include "device/host/host_process.h"
#include "engine/torch/failure.h"
#include "gpubench/core/text/quantities.h"
#include "workloads/selftest/check.h"

namespace gpubench::memory_plugin {
namespace {

constexpr Bytes kDeviceBytes{64 << 20};
/// Larger than what is free within a process that has begun to work.
constexpr Bytes kHostBytes{512 << 20};
constexpr double kTolerance = 0.05;
/// More than any device has.
constexpr Bytes kTooMuch{std::int64_t{1} << 50};

CheckRow grown(const std::string& what, Bytes before, Bytes after, Bytes allocated) {
  const Bytes growth = after - before;
  return compared(
      what, relative_difference(static_cast<double>(growth.value), static_cast<double>(allocated.value)),
      kTolerance, fmt::format("grew by {} for {}", byte_text(growth), byte_text(allocated)));
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
  if (!before.has_value()) return unchecked("device held", before.reason());
  auto block = subject.allocate(kDeviceBytes);
  const CheckRow row =
      grown("device held", before.value(), subject.device.held_memory().value(), kDeviceBytes);
  block.reset();
  if (subject.device.held_memory() == before) return row;
  return failed("device held", "memory that was let go still counts as held");
}

CheckRow host(Subject& subject) {
  if (!subject.place().is_cpu()) {
    return unchecked("host", "tensors of this device are not in the host's memory");
  }
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
    return decided("refusal", failure.status == RowStatus::kOutOfMemory,
                   fmt::format("it is reported as {}: {}", to_string(failure.status), failure.message));
  }
  return failed("refusal", "a thousand TiB were handed out");
}

CheckRow afterwards(Subject& subject) {
  constexpr std::int64_t kSize = 8;
  const at::Tensor ones = at::ones({kSize, kSize}, at::TensorOptions(subject.place()));
  const double sum = subject.product(ones, ones, false).sum().item<double>();
  if (sum != kSize * kSize * kSize) return failed("afterwards", fmt::format("a product adds up to {}", sum));
  const CaseRecord record = train(subject, {.model = "mlp"});
  return decided("afterwards", record.status == RowStatus::kOk,
                 fmt::format("a training ends as {}", to_string(record.status)));
}

CheckRows check_refusal(Subject& subject) { return {refusal(subject), afterwards(subject)}; }

}  // namespace

CheckEntry entry_memory() {
  return {{"memory", "figures of memory grow by what is allocated, and fall when it is let go"},
          check_figures};
}

CheckEntry entry_out_of_memory() {
  return {{"out-of-memory", "running out of memory is reported as such, and the device works afterwards"},
          check_refusal};
}

}  // namespace gpubench::memory_plugin
