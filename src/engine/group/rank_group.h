#pragma once
// One rank's view of the ranks that train a case together, by LibTorch's c10d; and the gradient exchange.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/util/intrusive_ptr.h>

#include "engine/api/case_monitor.h"
#include "engine/plan/rank_context.h"
#include "gpubench/device.h"

namespace c10d {
class Backend;
class Store;
class Work;
}  // namespace c10d

namespace gpubench {

/// All ranks call the same functions in the same order, on the training thread. Waits throw LostConnection.
class RankGroup {
 public:
  /// Waits until all ranks have joined. `monitor` receives a lost connection and outlives the group.
  RankGroup(const RankContext& context, c10::Device device, CaseMonitor& monitor);
  ~RankGroup();
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  RankShare share() const { return share_; }
  std::int64_t ranks() const { return share_.ranks; }
  /// "gloo" or "nccl".
  const std::string& backend() const { return backend_name_; }

  /// Starts to add up `tensor` over all ranks, in place. Do not use it until the work is done.
  c10::intrusive_ptr<c10d::Work> start_sum(at::Tensor tensor);
  /// Returns when the work is done, or, on a device with a queue, is ordered before later work.
  void finish(c10d::Work& work);

  /// Copies rank 0's tensors to all ranks.
  void broadcast(const std::vector<at::Tensor>& tensors);

  // Single collectives. Each returns when it is done, or queued on a device with a queue.

  void sum(at::Tensor tensor);
  void gather_into(at::Tensor all, at::Tensor own);
  /// Sums the ranks' `all`, of which each gets its part.
  void scatter_sum(at::Tensor own, at::Tensor all);
  /// Sends to the next rank and receives from the one before.
  void pass_on(at::Tensor sent, at::Tensor received);

  // Figures: every rank gets the result. These wait for the device.
  std::vector<double> sums(std::vector<double> own) { return reduced(std::move(own), true); }
  std::vector<double> maxima(std::vector<double> own) { return reduced(std::move(own), false); }
  /// Returns every rank's figure, by rank.
  std::vector<double> gathered(double own);
  bool agree_on(const std::string& text);

  /// Returns when all ranks have called it.
  void meet() { sums({0}); }

 private:
  std::vector<double> reduced(std::vector<double> own, bool is_sum);
  template <class Exchange>
  auto guarded(Exchange exchange);

  CaseMonitor& monitor_;
  RankShare share_;
  c10::Device device_;
  std::string backend_name_;
  c10::intrusive_ptr<c10d::Store> store_;
  c10::intrusive_ptr<c10d::Backend> backend_;
};

/// Sums gradients over all ranks in buckets. An exchange begins with its last gradient, in the same order on
/// every rank. See Li et al., "PyTorch Distributed", VLDB 2020, section 3.2.
class GradientExchange {
 public:
  /// Bytes of a bucket. The last one of a pass is small, since nothing overlaps with it.
  static constexpr std::int64_t kBucketBytes = std::int64_t{25} << 20;
  static constexpr std::int64_t kLastBucketBytes = std::int64_t{1} << 20;

  /// Parameters have their final device, type and strides. `ranks`, `device` and `clock` outlive it.
  GradientExchange(RankGroup& ranks, const std::vector<std::vector<at::Tensor>>& groups, Device& device,
                   const Clock& clock);
  ~GradientExchange();

  /// Begins a backward pass of this group, whose gradients are cleared and count by `weight`.
  void open(std::size_t group, double weight);
  /// Waits for the exchanges. A gradient that the pass left out counts as zero.
  void close();

  RankGroup& ranks() const { return ranks_; }

  Bytes bytes_per_step() const { return bytes_; }

  /// A replayed epoch opens no pass; each replay times the recorded ones again.
  void begin_epoch();
  /// Returns the device's wait for exchanges, extrapolated from kMarkedPasses. Call after a synchronization.
  Measured<Seconds> waited(std::int64_t steps) const;
  static constexpr std::size_t kMarkedPasses = 256;

 private:
  struct Bucket {
    at::Tensor flat;
    std::vector<at::Tensor> parameters;
    std::vector<at::Tensor> views;  // Into `flat`, with the strides of the parameters.
    std::size_t pending = 0;
    c10::intrusive_ptr<c10d::Work> work;
  };
  struct Group {
    std::vector<Bucket> buckets;
    std::size_t next = 0;  // The first whose exchange has not begun.
  };
  struct Place {
    std::size_t group, bucket, member;
  };
  class Hook;

  void add_group(const std::vector<at::Tensor>& parameters);
  void add_bucket(Group& group, std::vector<at::Tensor> parameters);
  void ready(const Place& place);
  void start_full(Group& group);
  void mark(bool is_end);

  RankGroup& ranks_;
  std::unique_ptr<DeviceMarks> marks_;
  std::string why_no_marks_;
  std::vector<Group> groups_;
  Group* open_ = nullptr;
  std::size_t open_group_ = 0;
  double weight_ = 1;
  Bytes bytes_;
  std::size_t passes_ = 0;  // Of the epoch.
  std::size_t marked_ = 0;  // Those with marks, of this epoch or the last one that had passes.
};

}  // namespace gpubench
