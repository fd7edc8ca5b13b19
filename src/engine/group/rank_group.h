#pragma once
// Collectives between the ranks of a case, with LibTorch's c10d, and the gradient exchange.

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

/// One rank's handle of its group. All ranks call the same functions in the same order, on the training
/// thread. Every wait may throw LostConnection.
class RankGroup {
 public:
  /// Waits until all ranks have joined. `monitor` is notified of a lost connection and outlives the group.
  RankGroup(const RankContext& context, c10::Device device, CaseMonitor& monitor);
  ~RankGroup();
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  RankShare share() const { return share_; }
  std::int64_t ranks() const { return share_.ranks; }
  /// "gloo" or "nccl".
  const std::string& backend() const { return backend_name_; }

  /// Starts an in-place sum of `tensor` over all ranks. Do not use `tensor` until the work is done.
  c10::intrusive_ptr<c10d::Work> start_sum(at::Tensor tensor);
  /// Waits for the work. On a device with a queue, only orders it before later work.
  void finish(c10d::Work& work);

  /// Copies rank 0's tensors to all ranks.
  void broadcast(const std::vector<at::Tensor>& tensors);

  // Single collectives. Each returns when it is done or, on a device with a queue, when it is queued.

  void sum(at::Tensor tensor);
  void gather_into(at::Tensor all, at::Tensor own);
  /// Sums `all` over the ranks; each rank gets its part in `own`.
  void scatter_sum(at::Tensor own, at::Tensor all);
  /// Sends to the next rank and receives from the previous rank.
  void pass_on(at::Tensor sent, at::Tensor received);

  // Reductions of numbers: every rank gets the result. These wait for the device.
  std::vector<double> sums(std::vector<double> own) { return reduced(std::move(own), true); }
  std::vector<double> maxima(std::vector<double> own) { return reduced(std::move(own), false); }
  /// Returns the values of all ranks, by rank.
  std::vector<double> gathered(double own);
  bool agree_on(const std::string& text);

  void barrier() { sums({0}); }

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

/// Sums gradients over all ranks in buckets. The exchange of a bucket starts when its last gradient is ready,
/// in the same order on every rank. See Li et al., "PyTorch Distributed", VLDB 2020, section 3.2.
class GradientExchange {
 public:
  /// Maximum size of a bucket. The last bucket of a pass is small because no computation hides its exchange.
  static constexpr std::int64_t kBucketBytes = std::int64_t{25} << 20;
  static constexpr std::int64_t kLastBucketBytes = std::int64_t{1} << 20;

  /// Parameters must have their final device, type and strides. `ranks`, `device` and `clock` outlive this.
  GradientExchange(RankGroup& ranks, const std::vector<std::vector<at::Tensor>>& groups, Device& device,
                   const Clock& clock);
  ~GradientExchange();

  /// Begins a backward pass of a group with cleared gradients, which are multiplied by `weight`.
  void open(std::size_t group, double weight);
  /// Waits for the exchanges. A gradient that the pass did not compute counts as zero.
  void close();

  RankGroup& ranks() const { return ranks_; }

  Bytes bytes_per_step() const { return bytes_; }

  /// Resets the marks. A replayed epoch calls no open(), but each replay times the recorded passes again.
  void begin_epoch() { passes_ = 0; }
  /// Returns the time that the device waited for exchanges, extrapolated from the first kMarkedPasses passes.
  /// Synchronize the device first.
  Measured<Seconds> waited(std::int64_t steps) const;
  static constexpr std::size_t kMarkedPasses = 256;

 private:
  struct Bucket {
    at::Tensor flat;
    std::vector<at::Tensor> parameters;
    std::vector<at::Tensor> views;  // Views into `flat`, with the strides of the parameters.
    std::size_t pending = 0;
    c10::intrusive_ptr<c10d::Work> work;
  };
  struct Group {
    std::vector<Bucket> buckets;
    std::size_t next = 0;  // First bucket whose exchange has not started.
  };
  struct Place {
    std::size_t group, bucket, member;
  };
  class Hook;

  void add_group(const std::vector<at::Tensor>& parameters);
  void add_bucket(Group& group, std::vector<at::Tensor> parameters);
  void ready(const Place& place);
  void start_full(Group& group);

  RankGroup& ranks_;
  std::unique_ptr<DeviceMarks> marks_;
  std::string why_no_marks_;
  std::vector<Group> groups_;
  Group* open_ = nullptr;
  std::size_t open_group_ = 0;
  double weight_ = 1;
  Bytes bytes_;
  std::size_t passes_ = 0;  // Passes in this epoch.
  std::size_t marked_ = 0;  // Passes with marks in the last epoch that had passes.
};

}  // namespace gpubench
