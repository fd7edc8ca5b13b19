#pragma once
// The ranks that train a case together, as one of them sees them: LibTorch's c10d behind few functions.

#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/util/intrusive_ptr.h>

#include "engine/api/case_monitor.h"
#include "engine/plan/rank_context.h"

namespace c10d {
class Backend;
class Store;
class Work;
}  // namespace c10d

namespace gpubench {

/// One rank's end of a group. Every rank calls the same functions in the same order. Used by the thread that
/// trains. Every function that waits throws LostConnection if the others do not come.
class RankGroup {
 public:
  /// Joins; waits until all ranks have. Tensors to exchange are on `device`. `monitor`, which outlives it, is
  /// told of a lost connection.
  RankGroup(const RankContext& context, c10::Device device, CaseMonitor& monitor);
  ~RankGroup();
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  RankShare share() const { return share_; }
  std::int64_t ranks() const { return share_.ranks; }
  /// "gloo" or "nccl".
  const std::string& backend() const { return backend_name_; }

  /// Starts to add up `tensor` over all ranks, in place. It stays untouched until the work is done.
  c10::intrusive_ptr<c10d::Work> start_sum(at::Tensor tensor);
  /// Returns when the work is done, or, on a device with a queue, when what is queued from now on comes after
  /// it.
  void finish(c10d::Work& work);

  /// Gives every rank what rank 0 has.
  void broadcast(const std::vector<at::Tensor>& tensors);

  // Collectives by themselves. Each returns when it is done, or queued where a device has a queue.

  /// In place.
  void sum(at::Tensor tensor);
  /// The `own` of every rank, one after the other.
  void gather_into(at::Tensor all, at::Tensor own);
  /// The sum of the ranks' `all`, of which each gets its part.
  void scatter_sum(at::Tensor own, at::Tensor all);
  /// Sends to the next rank and receives from the one before.
  void pass_on(at::Tensor sent, at::Tensor received);

  // Of figures: every rank gets the result. Wait for the device.
  std::vector<double> sums(std::vector<double> own);
  std::vector<double> maxima(std::vector<double> own);
  /// Every rank's figure, by rank.
  std::vector<double> gathered(double own);
  /// Whether all ranks have the same text.
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

}  // namespace gpubench
