#pragma once
// Gradients made the same on all ranks while the backward pass goes on.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/util/intrusive_ptr.h>

#include "engine/group/rank_group.h"
#include "gpubench/core/clock.h"
#include "gpubench/core/measured.h"
#include "gpubench/core/units.h"
#include "gpubench/device.h"

namespace gpubench {

/// Adds up the gradients of groups of parameters over all ranks, in buckets: as soon as the last gradient of
/// a bucket is there, its exchange begins, in the order in which buckets fill on every rank. As in Li et al.,
/// "PyTorch Distributed: Experiences on Accelerating Data Parallel Training", VLDB 2020, section 3.2.
class GradientExchange {
 public:
  /// Bytes of a bucket. The last gradients of a pass have a small one: nothing is left to hide them behind.
  static constexpr std::int64_t kBucketBytes = std::int64_t{25} << 20;
  static constexpr std::int64_t kLastBucketBytes = std::int64_t{1} << 20;

  /// Parameters are on their device already, with the type and the strides that they are to have. `ranks`,
  /// `device` and `clock` outlive it.
  GradientExchange(RankGroup& ranks, const std::vector<std::vector<at::Tensor>>& groups, Device& device,
                   const Clock& clock);
  ~GradientExchange();
  GradientExchange(const GradientExchange&) = delete;
  GradientExchange& operator=(const GradientExchange&) = delete;

  /// The backward pass that begins is of this group, whose gradients have been cleared; they count by
  /// `weight`. Gradients of other groups stay as they are.
  void open(std::size_t group, double weight);
  /// Waits for what is under way: the group's gradients are then the weighted sums of those of all ranks. One
  /// that a pass left out is zero.
  void close();

  RankGroup& ranks() const { return ranks_; }

  /// Bytes that a rank gives into the exchanges of one step.
  Bytes bytes_per_step() const { return bytes_; }

  /// A new epoch. One that is replayed opens no pass: those of the epoch in which it was recorded are then
  /// timed anew by each replay.
  void begin_epoch();
  /// How long this rank's device had nothing to do in the epoch of so many steps but wait for exchanges, once
  /// the device has been waited for. Of more than kMarkedPasses backward passes, or than were recorded, so
  /// many are taken for all.
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
  std::size_t marked_ = 0;  // Of these, or of the last epoch that had any, those with marks.
};

}  // namespace gpubench
