#pragma once
// LibTorch's meta device, whose tensors have shapes but no values: steps on it need neither time nor memory.
// Its C++ interface lacks operations and modes that its Python interface has; MetaScope adds them.

#include <c10/core/impl/LocalDispatchKeySet.h>

namespace gpubench {

/// Scope of a thread in which LibTorch creates tensors on the meta device, and, as with autocast on a GPU,
/// computes products in bf16. The operations of a training step stay available after it.
class MetaScope {
 public:
  MetaScope();
  ~MetaScope();
  MetaScope(const MetaScope&) = delete;
  MetaScope& operator=(const MetaScope&) = delete;

  /// A key of autocast, so that casts precede the recording of gradients. LibTorch has no kernels for it.
  static constexpr c10::DispatchKey kKey = c10::DispatchKey::AutocastIPU;

 private:
  c10::impl::IncludeDispatchKeyGuard include_{kKey};
};

}  // namespace gpubench
