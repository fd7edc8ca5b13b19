#include <ATen/ops/ones.h>
#include <fmt/format.h>

#include "engine/selftest/check.h"
#include "engine/torch/failure.h"

namespace gpubench::out_of_memory_plugin {
namespace {

/// More than any device has.
constexpr Bytes kTooMuch{std::int64_t{1} << 50};

CheckRow refusal(Subject& subject) {
  try {
    subject.allocate(kTooMuch);
  } catch (const std::exception& error) {
    const Failure failure = classify(error);
    return decided("refusal", failure.status == RowStatus::kOutOfMemory,
                   fmt::format("it is told as {}: {}", to_string(failure.status), failure.message));
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

CheckRows run(Subject& subject) { return {refusal(subject), afterwards(subject)}; }

}  // namespace

CheckEntry entry_out_of_memory() {
  return {"out-of-memory", "a refusal of memory is told as one, and the device works afterwards", run};
}

}  // namespace gpubench::out_of_memory_plugin
