#pragma once
// How a case is run and timed: names, as on the command line and in files.

#include <string>

namespace gpubench {

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
