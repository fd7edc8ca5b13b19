#include "engine/group/rank_group.h"

#include <algorithm>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/distributed/c10d/Work.hpp>

namespace gpubench {

/// Called by LibTorch when the gradient of one parameter is complete.
class GradientExchange::Hook : public torch::autograd::PostAccumulateGradHook {
 public:
  Hook(GradientExchange& owner, const Place& place) : owner_(owner), place_(place) {}
  void operator()(const torch::autograd::Variable&) override { owner_.ready(place_); }

 private:
  GradientExchange& owner_;
  Place place_;
};

GradientExchange::GradientExchange(RankGroup& ranks, const std::vector<std::vector<at::Tensor>>& groups,
                                   Device& device, const Clock& clock)
    : ranks_(ranks),
      marks_(device.make_marks(clock, 2 * kMarkedPasses)),
      why_no_marks_(device.why_no_marks()) {
  groups_.reserve(groups.size());
  for (const auto& parameters : groups) add_group(parameters);
}

GradientExchange::~GradientExchange() {
  for (Group& group : groups_) {
    for (Bucket& bucket : group.buckets) {
      for (const at::Tensor& parameter : bucket.parameters)
        torch::autograd::impl::set_post_acc_grad_hooks(parameter, nullptr);
    }
  }
}

/// Fills buckets from the last parameter, since gradients arrive in about that order. A bucket has one type.
void GradientExchange::add_group(const std::vector<at::Tensor>& parameters) {
  Group& group = groups_.emplace_back();
  std::vector<at::Tensor> members;
  std::int64_t size = 0;
  std::int64_t left = 0;
  for (const at::Tensor& parameter : parameters) left += static_cast<std::int64_t>(parameter.nbytes());
  for (auto parameter = parameters.rbegin(); parameter != parameters.rend(); ++parameter) {
    const auto bytes = static_cast<std::int64_t>(parameter->nbytes());
    const bool is_of_type = members.empty() || members.back().scalar_type() == parameter->scalar_type();
    const bool is_last = left <= kLastBucketBytes && size + left > kLastBucketBytes;
    if (!members.empty() && (!is_of_type || is_last || size + bytes > kBucketBytes)) {
      add_bucket(group, std::exchange(members, {}));
      size = 0;
    }
    members.push_back(*parameter);
    size += bytes;
    left -= bytes;
  }
  if (!members.empty()) add_bucket(group, std::move(members));
}

void GradientExchange::add_bucket(Group& group, std::vector<at::Tensor> parameters) {
  const at::NoGradGuard no_grad;
  Bucket bucket;
  std::int64_t elements = 0;
  for (const at::Tensor& parameter : parameters) elements += parameter.numel();
  bucket.flat = at::zeros({elements}, parameters.front().options().requires_grad(false));
  std::int64_t offset = 0;
  for (const at::Tensor& parameter : parameters) {
    // Parameters are dense, but not always contiguous.
    bucket.views.push_back(
        bucket.flat.as_strided(parameter.sizes(), parameter.strides(), /*storage_offset=*/offset));
    const Place place{groups_.size() - 1, group.buckets.size(), bucket.views.size() - 1};
    torch::autograd::impl::set_post_acc_grad_hooks(parameter, std::make_unique<Hook>(*this, place));
    offset += parameter.numel();
  }
  bucket.parameters = std::move(parameters);
  bytes_ = bytes_ + Bytes{static_cast<std::int64_t>(bucket.flat.nbytes())};
  group.buckets.push_back(std::move(bucket));
}

void GradientExchange::open(std::size_t group, double weight) {
  open_ = &groups_.at(group);
  open_group_ = group;
  open_->next = 0;
  weight_ = weight;
  for (Bucket& bucket : open_->buckets) bucket.pending = bucket.parameters.size();
}

/// Runs on a thread of the backward pass, while the gradient is still in a cache.
void GradientExchange::ready(const Place& place) {
  if (open_ == nullptr || place.group != open_group_) return;
  const at::NoGradGuard no_grad;
  Bucket& bucket = open_->buckets[place.bucket];
  at::Tensor& gradient = bucket.parameters[place.member].mutable_grad();
  at::mul_out(bucket.views[place.member], gradient, at::Scalar(weight_));
  gradient = bucket.views[place.member];
  --bucket.pending;
  start_full(*open_);
}

/// Starts the exchanges of complete buckets, in the same order on all ranks.
void GradientExchange::start_full(Group& group) {
  for (; group.next < group.buckets.size() && group.buckets[group.next].pending == 0; ++group.next) {
    Bucket& bucket = group.buckets[group.next];
    bucket.work = ranks_.start_sum(bucket.flat);
  }
}

void GradientExchange::close() {
  const at::NoGradGuard no_grad;
  Group& group = *std::exchange(open_, nullptr);
  for (Bucket& bucket : group.buckets) {
    for (std::size_t i = 0; bucket.pending > 0 && i < bucket.parameters.size(); ++i) {
      at::Tensor& gradient = bucket.parameters[i].mutable_grad();
      if (gradient.defined() && gradient.is_alias_of(bucket.flat)) continue;
      bucket.views[i].zero_();
      gradient = bucket.views[i];
      --bucket.pending;
    }
  }
  start_full(group);
  const bool is_marked = marks_ && passes_ < kMarkedPasses;
  if (is_marked) marks_->mark(2 * passes_);
  for (Bucket& bucket : group.buckets) {
    ranks_.finish(*bucket.work);
    bucket.work.reset();
  }
  if (is_marked) marks_->mark(2 * passes_ + 1);
  marked_ = std::min(++passes_, kMarkedPasses);
}

Measured<Seconds> GradientExchange::waited(std::int64_t steps) const {
  if (!marks_) return missing(why_no_marks_);
  if (marked_ == 0) return missing("no gradient was exchanged");
  Seconds sum{0};
  for (std::size_t pass = 0; pass < marked_; ++pass) {
    const Measured<Seconds> time = marks_->between(2 * pass, 2 * pass + 1);
    if (!time.has_value()) return time;
    sum = sum + time.value();
  }
  const double passes = static_cast<double>(steps) * static_cast<double>(groups_.size());
  return Seconds{sum.value * passes / static_cast<double>(marked_)};
}

}  // namespace gpubench
