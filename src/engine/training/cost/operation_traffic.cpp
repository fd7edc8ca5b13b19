#include "engine/training/cost/operation_traffic.h"

#include <algorithm>
#include <string_view>

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/enum_tag.h>

namespace gpubench {
namespace {

/// These overwrite their first input without reading it.
constexpr std::string_view kOverwriting[] = {
    "aten::copy_",    "aten::fill_",      "aten::zero_",          "aten::normal_",       "aten::random_",
    "aten::uniform_", "aten::bernoulli_", "aten::_foreach_copy_", "aten::_foreach_zero_"};

/// These pick rows or elements out of their first input.
constexpr std::string_view kPicking[] = {"aten::index_select", "aten::index", "aten::gather",
                                         "aten::embedding", "aten::take"};

constexpr std::string_view kAllocating[] = {"aten::empty", "aten::new_empty", "aten::_empty"};

template <class Names>
bool is_one_of(const Names& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool allocates(std::string_view name) {
  return std::any_of(std::begin(kAllocating), std::end(kAllocating),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

/// Calls `visit` with each tensor in an argument: alone, in a list, or absent.
template <class Visit>
void for_each_tensor(const c10::IValue& value, Visit visit) {
  if (value.isTensor() && value.toTensor().defined()) visit(value.toTensor());
  if (!value.isList()) return;
  if (value.isIntList() || value.isDoubleList() || value.isBoolList()) return;
  for (const c10::IValue& element : value.toListRef()) for_each_tensor(element, visit);
}

const void* storage_of(const at::Tensor& tensor) {
  return tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl() : nullptr;
}

/// What the tensor really holds: an expanded dimension is one element that is read again and again.
double bytes_of(const at::Tensor& tensor) {
  const auto size = static_cast<double>(tensor.element_size());
  if (tensor.layout() != at::kStrided || !tensor.has_storage()) {
    return size * static_cast<double>(tensor.numel());
  }
  double elements = 1;
  for (std::int64_t i = 0; i < tensor.dim(); ++i) {
    if (tensor.stride(i) != 0 || tensor.size(i) == 0) elements *= static_cast<double>(tensor.size(i));
  }
  return size * elements;
}

/// By the schema. Fused optimisers may write gradients, but do so with a scaled loss only.
bool is_written(const c10::Argument& argument) {
  const c10::AliasInfo* const alias = argument.alias_info();
  return alias != nullptr && alias->isWrite() && argument.name() != "grads";
}

}  // namespace

OperationTraffic::OperationTraffic(const at::RecordFunction& call) {
  const auto name = call.operator_name();
  if (!name || allocates(name->name)) return;
  const auto operation = c10::Dispatcher::singleton().findSchema(*name);
  if (!operation || operation->hasTag(at::Tag::inplace_view)) return;
  may_work_ = true;
  reads_rows_ = is_one_of(kPicking, name->name);
  const bool overwrites = is_one_of(kOverwriting, name->name);
  const auto& arguments = operation->schema().arguments();
  const auto inputs = call.inputs();
  for (std::size_t i = 0; i < std::min(inputs.size(), arguments.size()); ++i) {
    const bool is_first = i == 0;
    const bool is_unread = arguments[i].is_out() || (is_first && (overwrites || reads_rows_));
    add_input(inputs[i], !is_unread, is_written(arguments[i]));
  }
}

void OperationTraffic::add_input(const c10::IValue& value, bool is_read, bool is_written) {
  writes_inputs_ = writes_inputs_ || is_written;
  for_each_tensor(value, [&](const at::Tensor& tensor) {
    bytes_ += bytes_of(tensor) * ((is_read ? 1 : 0) + (is_written ? 1 : 0));
    own_.push_back(storage_of(tensor));
  });
}

std::optional<double> OperationTraffic::bytes(const std::vector<c10::IValue>& outputs) const {
  if (!may_work_) return std::nullopt;
  double fresh = 0;
  bool has_fresh = false;
  for (const c10::IValue& output : outputs) {
    for_each_tensor(output, [&](const at::Tensor& tensor) {
      if (std::find(own_.begin(), own_.end(), storage_of(tensor)) != own_.end()) return;
      has_fresh = true;
      fresh += bytes_of(tensor);
    });
  }
  if (!has_fresh && !writes_inputs_) return std::nullopt;
  return bytes_ + fresh * (reads_rows_ ? 2 : 1);
}

}  // namespace gpubench
