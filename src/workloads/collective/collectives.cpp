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

using Make = Exchange (*)(RankGroup& ranks, std::int64_t bytes, c10::Device device);

std::int64_t count_elements(std::int64_t bytes) { return std::max<std::int64_t>(1, bytes / kElement); }

std::int64_t find_part(std::int64_t bytes, std::int64_t ranks) {
  return std::max<std::int64_t>(1, count_elements(bytes) / ranks);
}

at::Tensor make_sum(std::int64_t count, std::int64_t ranks, c10::Device device) {
  return make_input(count, 0, device).mul_(static_cast<double>(ranks * (ranks + 1)) / 2);
}

Exchange all_reduce(RankGroup& ranks, std::int64_t bytes, c10::Device device) {
  const std::int64_t count = count_elements(bytes);
  const at::Tensor buffer = make_input(count, ranks.share().rank, device);
  return {count * kElement, [&ranks, buffer] { ranks.sum(buffer); }, buffer,
          make_sum(count, ranks.ranks(), device)};
}

Exchange all_gather(RankGroup& ranks, std::int64_t bytes, c10::Device device) {
  const std::int64_t part = find_part(bytes, ranks.ranks());
  const at::Tensor own = make_input(part, ranks.share().rank, device);
  const at::Tensor all = at::zeros({part * ranks.ranks()}, own.options());
  const at::Tensor expected = at::zeros_like(all);
  for (std::int64_t rank = 0; rank < ranks.ranks(); ++rank)
    expected.narrow(0, rank * part, part).copy_(make_input(part, rank, device));
  return {all.numel() * kElement, [&ranks, own, all] { ranks.gather_into(all, own); }, all, expected};
}

Exchange reduce_scatter(RankGroup& ranks, std::int64_t bytes, c10::Device device) {
  const std::int64_t part = find_part(bytes, ranks.ranks());
  const std::int64_t count = part * ranks.ranks();
  const at::Tensor all = make_input(count, ranks.share().rank, device);
  const at::Tensor own = at::zeros({part}, all.options());
  const at::Tensor expected =
      make_sum(count, ranks.ranks(), device).narrow(0, ranks.share().rank * part, part).clone();
  return {count * kElement, [&ranks, own, all] { ranks.scatter_sum(own, all); }, own, expected};
}

Exchange broadcast(RankGroup& ranks, std::int64_t bytes, c10::Device device) {
  const std::int64_t count = count_elements(bytes);
  const at::Tensor buffer = make_input(count, ranks.share().rank, device);
  return {count * kElement, [&ranks, buffer] { ranks.broadcast({buffer}); }, buffer,
          make_input(count, 0, device)};
}

Exchange send_receive(RankGroup& ranks, std::int64_t bytes, c10::Device device) {
  const std::int64_t count = count_elements(bytes);
  const std::int64_t rank = ranks.share().rank;
  const std::int64_t before = (rank + ranks.ranks() - 1) % ranks.ranks();
  const at::Tensor sent = make_input(count, rank, device);
  const at::Tensor received = at::zeros_like(sent);
  return {count * kElement, [&ranks, sent, received] { ranks.pass_on(sent, received); }, received,
          make_input(count, before, device)};
}

class TorchNetwork {
 public:
  TorchNetwork(const RankContext& context, Device& device, const Clock& clock, CaseMonitor& monitor)
      : context_(context), device_(device), clock_(clock), place_(device.name()), monitor_(monitor) {}

  OpRecord run(const OpWork& work) {
    static const std::map<std::string, Make> collectives{{"all_reduce", all_reduce},
                                                         {"all_gather", all_gather},
                                                         {"reduce_scatter", reduce_scatter},
                                                         {"broadcast", broadcast},
                                                         {"send_receive", send_receive}};
    OpRecord record = describe(work);
    try {
      if (!ranks_) ranks_.emplace(context_, place_, monitor_);
      record.backend = ranks_->backend();
      Exchange exchange = collectives.at(work.asked.op)(*ranks_, std::stoll(work.asked.sizes), place_);
      record.traffic = Bytes{exchange.bytes};
      record.sizes = std::to_string(exchange.bytes);
      check(exchange, record);
      if (record.status != RowStatus::kOk) return record;
      measure(exchange, work.asked, record);
    } catch (const std::exception& error) {
      const Failure failure = classify(error);
      record.status = failure.status;
      record.status_reason = failure.message;
    }
    return record;
  }

 private:
  void check(Exchange& exchange, OpRecord& record) {
    exchange.call();
    device_.synchronize();
    const double largest = exchange.expected.abs().max().item<double>();
    const double error =
        exchange.result.sub(exchange.expected).abs().max().item<double>() / std::max(1.0, largest);
    record.error = ranks_->maxima({error}).front();
    record.tolerance = 0.0;
    const bool is_right = record.error.value() == 0;
    record.status = is_right ? RowStatus::kOk : RowStatus::kIncorrect;
    if (!is_right) record.status_reason = "the result of the collective is wrong";
    exchange.result.zero_();  // Repeated sums would overflow.
    exchange.expected = at::Tensor();
  }

  double find_time(const Exchange& exchange, std::int64_t calls) {
    ranks_->barrier();
    const Seconds own = time_work(device_, clock_, [&] {
      for (std::int64_t i = 0; i < calls; ++i) exchange.call();
    });
    return ranks_->maxima({own.value / static_cast<double>(calls)}).front();
  }

  void measure(const Exchange& exchange, const OpPoint& asked, OpRecord& record) {
    find_time(exchange, 1);
    const double once = std::max(1e-9, find_time(exchange, 1));
    const double wanted = std::ceil(asked.sample.value / once);
    record.calls_per_sample = std::clamp<std::int64_t>(std::llround(wanted), 1, kMostCalls);
    const Seconds start = clock_.now();
    while (is_due(start, asked, record.call_seconds.size()))
      record.call_seconds.push_back(find_time(exchange, record.calls_per_sample));
  }

  /// Returns whether another sample is due. All ranks return the same.
  bool is_due(Seconds start, const OpPoint& asked, std::size_t samples) {
    const double since = ranks_->maxima({(clock_.now() - start).value}).front();
    if (samples < kLeastSamples) return samples == 0 || since < kLongestLeast.value;
    return samples < static_cast<std::size_t>(asked.most_samples) && since < asked.limit.value;
  }

  RankContext context_;
  Device& device_;
  const Clock& clock_;
  c10::Device place_;
  CaseMonitor& monitor_;
  std::optional<RankGroup> ranks_;
};

}  // namespace

Network join_network(const RankContext& context, Device& device, const Clock& clock, CaseMonitor& monitor) {
  const auto network = std::make_shared<TorchNetwork>(context, device, clock, monitor);
  return [network](const OpWork& work) { return network->run(work); };
}

}  // namespace gpubench
