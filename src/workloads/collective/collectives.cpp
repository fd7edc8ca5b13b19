// Collectives between the ranks of a group, timed and checked like nccl-tests.

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include <ATen/ATen.h>

#include "engine/api/engine.h"
#include "engine/group/rank_group.h"
#include "engine/timing/timing.h"
#include "engine/torch/failure.h"

namespace gpubench {
namespace {

constexpr std::int64_t kElement = 4;  // Bytes of an fp32.
constexpr std::size_t kLeastSamples = 3;
constexpr Seconds kLongestLeast{10};  // Time limit for the first kLeastSamples.
constexpr std::int64_t kMostCalls = 1 << 16;

/// Returns a rank's input: integers that fp32 adds exactly, different for each rank and position.
at::Tensor make_input(std::int64_t count, std::int64_t rank, c10::Device device) {
  constexpr std::int64_t kPeriod = 251;
  const at::Tensor positions = at::arange(count, at::TensorOptions(device).dtype(at::kLong));
  return positions.remainder(kPeriod).add_(1).mul_(rank + 1).to(at::kFloat);
}

/// A collective with its buffers.
struct Exchange {
  std::int64_t bytes = 0;        ///< Message size as nccl-tests defines it.
  std::function<void()> call{};  ///< Runs or queues the collective.
  at::Tensor result{};           ///< Output buffer.
  at::Tensor expected{};         ///< Correct result of the first call.
};

std::int64_t find_part(std::int64_t count, const RankGroup& ranks) {
  return std::max<std::int64_t>(1, count / ranks.ranks());
}

at::Tensor make_sum(std::int64_t count, std::int64_t ranks, c10::Device device) {
  return make_input(count, 0, device).mul_(static_cast<double>(ranks * (ranks + 1)) / 2);
}

// Collectives of about `count` elements, the same number for each rank.

Exchange all_reduce(RankGroup& ranks, std::int64_t count, c10::Device device) {
  const at::Tensor buffer = make_input(count, ranks.share().rank, device);
  return {count * kElement, [&ranks, buffer] { ranks.sum(buffer); }, buffer,
          make_sum(count, ranks.ranks(), device)};
}

Exchange all_gather(RankGroup& ranks, std::int64_t count, c10::Device device) {
  const std::int64_t part = find_part(count, ranks);
  const at::Tensor own = make_input(part, ranks.share().rank, device);
  const at::Tensor all = at::zeros({part * ranks.ranks()}, own.options());
  const at::Tensor expected = at::zeros_like(all);
  for (std::int64_t rank = 0; rank < ranks.ranks(); ++rank)
    expected.narrow(0, rank * part, part).copy_(make_input(part, rank, device));
  return {all.numel() * kElement, [&ranks, own, all] { ranks.gather_into(all, own); }, all, expected};
}

Exchange reduce_scatter(RankGroup& ranks, std::int64_t count, c10::Device device) {
  const std::int64_t part = find_part(count, ranks);
  const at::Tensor all = make_input(part * ranks.ranks(), ranks.share().rank, device);
  const at::Tensor own = at::zeros({part}, all.options());
  const at::Tensor expected =
      make_sum(all.numel(), ranks.ranks(), device).narrow(0, ranks.share().rank * part, part).clone();
  return {all.numel() * kElement, [&ranks, own, all] { ranks.scatter_sum(own, all); }, own, expected};
}

Exchange broadcast(RankGroup& ranks, std::int64_t count, c10::Device device) {
  const at::Tensor buffer = make_input(count, ranks.share().rank, device);
  return {count * kElement, [&ranks, buffer] { ranks.broadcast({buffer}); }, buffer,
          make_input(count, 0, device)};
}

Exchange send_receive(RankGroup& ranks, std::int64_t count, c10::Device device) {
  const std::int64_t rank = ranks.share().rank;
  const std::int64_t before = (rank + ranks.ranks() - 1) % ranks.ranks();
  const at::Tensor sent = make_input(count, rank, device);
  const at::Tensor received = at::zeros_like(sent);
  return {count * kElement, [&ranks, sent, received] { ranks.pass_on(sent, received); }, received,
          make_input(count, before, device)};
}

/// Makes a call and compares its result. Sets error and status of the record.
void check(Exchange& exchange, RankGroup& ranks, Device& device, OpRecord& record) {
  exchange.call();
  device.synchronize();
  const double largest = exchange.expected.abs().max().item<double>();
  const double error =
      exchange.result.sub(exchange.expected).abs().max().item<double>() / std::max(1.0, largest);
  record.error = ranks.maxima({error}).front();
  record.tolerance = 0.0;
  const bool is_right = record.error.value() == 0;
  record.status = is_right ? RowStatus::kOk : RowStatus::kIncorrect;
  if (!is_right) record.status_reason = "the result of the collective is wrong";
  exchange.result.zero_();  // Repeated sums would overflow.
  exchange.expected = at::Tensor();
}

void measure(const Exchange& exchange, const OpPoint& asked, RankGroup& ranks, Device& device,
             const Clock& clock, OpRecord& record) {
  const auto find_time = [&](std::int64_t calls) {
    ranks.barrier();
    const Seconds own = time_work(device, clock, [&] {
      for (std::int64_t i = 0; i < calls; ++i) exchange.call();
    });
    return ranks.maxima({own.value / static_cast<double>(calls)}).front();
  };
  find_time(1);
  const double once = std::max(1e-9, find_time(1));
  const double wanted = std::ceil(asked.sample.value / once);
  record.calls_per_sample = std::clamp<std::int64_t>(std::llround(wanted), 1, kMostCalls);
  std::vector<double>& samples = record.call_seconds;
  const Seconds start = clock.now();
  const auto is_due = [&] {
    const double since = ranks.maxima({(clock.now() - start).value}).front();  // Equal on all ranks.
    if (samples.size() < kLeastSamples) return samples.empty() || since < kLongestLeast.value;
    return std::ssize(samples) < asked.most_samples && since < asked.limit.value;
  };
  while (is_due()) samples.push_back(find_time(record.calls_per_sample));
}

}  // namespace

Network join_network(const RankContext& context, Device& device, const Clock& clock, CaseMonitor& monitor) {
  static const std::map<std::string, decltype(&all_reduce)> collectives{{"all_reduce", all_reduce},
                                                                        {"all_gather", all_gather},
                                                                        {"reduce_scatter", reduce_scatter},
                                                                        {"broadcast", broadcast},
                                                                        {"send_receive", send_receive}};
  const auto ranks = std::make_shared<std::optional<RankGroup>>();
  return [=, &device, &clock, &monitor](const OpWork& work) {
    OpRecord record = describe(work);
    try {
      const c10::Device place(device.name());
      if (!*ranks) ranks->emplace(context, place, monitor);
      record.backend = (*ranks)->backend();
      const std::int64_t count = std::max<std::int64_t>(1, std::stoll(work.asked.sizes) / kElement);
      Exchange exchange = collectives.at(work.asked.op)(**ranks, count, place);
      record.traffic = Bytes{exchange.bytes};
      record.sizes = std::to_string(exchange.bytes);
      check(exchange, **ranks, device, record);
      if (record.status == RowStatus::kOk) measure(exchange, work.asked, **ranks, device, clock, record);
    } catch (const std::exception& error) {
      const Failure failure = classify(error);
      record.status = failure.status;
      record.status_reason = failure.message;
    }
    return record;
  };
}

}  // namespace gpubench
