#pragma once
// Notices when LibTorch says that it computes on the CPU instead of the device.

#include <string>

#include <c10/util/Exception.h>

namespace gpubench {

/// From its making to its end, LibTorch's warnings come here instead of to stderr. One at a time.
class FallbackWatch : private c10::WarningHandler {
 public:
  FallbackWatch();
  ~FallbackWatch() override;
  FallbackWatch(const FallbackWatch&) = delete;
  FallbackWatch& operator=(const FallbackWatch&) = delete;

  /// What was said of the CPU; empty where nothing.
  const std::string& message() const { return message_; }

 private:
  void process(const c10::Warning& warning) override;

  c10::WarningHandler* before_;
  bool was_always_;
  std::string message_;
};

}  // namespace gpubench
