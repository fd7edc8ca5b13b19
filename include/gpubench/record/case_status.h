#pragma once
// How a case is run and how it can end: names, as on the command line and in files.

#include <string>

namespace gpubench {

/// How a case ended. Every planned case has a row, whatever happened to it.
enum class CaseStatus {
  kOk,
  kOutOfMemory,  ///< Of the host or of the device.
  kUnsupported,  ///< The device or LibTorch lacks an operation that the model needs.
  kError,
  kDiverged,     ///< The loss was not finite, or did not fall.
  kTimeout,      ///< Ended by gpubench because it took longer than --timeout.
  kCrashed,      ///< Its process ended by a signal, or without a result.
  kSkipped,      ///< Never tried: `skip_rule` says why, `skip_trigger` because of which case.
  kInterrupted,  ///< The run ended before the case did, or before it began.
  kInvalid,      ///< It ran, but its figures cannot be true.
};

/// "ok", "oom", "unsupported", "error", "diverged", "timeout", "crashed", "skipped", "interrupted",
/// "invalid": as in files.
std::string to_string(CaseStatus status);

/// The status that `text` names. Throws a data Error for an unknown one.
CaseStatus case_status(const std::string& text);

/// How a case is run and timed; see docs/protocols.md.
enum class Protocol {
  kEpoch,  ///< Epochs alone, one after the other; evaluation after the last one, untimed.
  kFit,    ///< What a user's whole `fit` takes: build, transfer, epochs, validation after each epoch.
};

/// "epoch", "fit".
std::string to_string(Protocol protocol);

/// The protocol that `text` names. Throws a usage Error for an unknown one.
Protocol protocol_named(const std::string& text);

}  // namespace gpubench
