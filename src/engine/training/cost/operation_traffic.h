#pragma once
// What an operation of LibTorch reads and writes if no cache helps.

#include <optional>
#include <vector>

#include <ATen/record_function.h>

namespace gpubench {

/// Made when an operation starts, for that is when its inputs can be seen. Keeps no tensor alive.
class OperationTraffic {
 public:
  explicit OperationTraffic(const at::RecordFunction& call);

  /// Bytes read and written, now that the outputs are known: each input and each output once, however often
  /// the operation walks over it. Nothing for what does no work of its own on tensors: views, allocations.
  std::optional<double> bytes(const std::vector<c10::IValue>& outputs) const;

 private:
  void add_input(const c10::IValue& value, bool is_read, bool is_written);

  bool may_work_ = false;         // Not an allocation, and not a change of shape in place.
  bool writes_inputs_ = false;    // Some input is also an output.
  bool reads_rows_ = false;       // As much of the first input as there is output.
  double bytes_ = 0;              // Of the inputs, read and written.
  std::vector<const void*> own_;  // Storages of the inputs.
};

}  // namespace gpubench
