#include "engine/ops/fallback_watch.h"

namespace gpubench {

FallbackWatch::FallbackWatch()
    : before_(c10::WarningUtils::get_warning_handler()), was_always_(c10::WarningUtils::get_warnAlways()) {
  c10::WarningUtils::set_warning_handler(this);
  // Else a warning comes only the first time.
  c10::WarningUtils::set_warnAlways(true);
}

FallbackWatch::~FallbackWatch() {
  c10::WarningUtils::set_warnAlways(was_always_);
  c10::WarningUtils::set_warning_handler(before_);
}

/// "The operator 'aten::...' is not currently supported on the MPS backend and will fall back to run on the
/// CPU", "... Falling back on CPU."
void FallbackWatch::process(const c10::Warning& warning) {
  const std::string& text = warning.msg();
  const bool is_of_fall =
      text.find("fall back") != std::string::npos || text.find("alling back") != std::string::npos;
  if (is_of_fall && text.find("CPU") != std::string::npos) message_ = text.substr(0, text.find('\n'));
}

}  // namespace gpubench
