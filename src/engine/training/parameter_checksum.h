#pragma once
// A fingerprint of what training arrived at.

#include <string>

#include "gpubench/model.h"

namespace gpubench {

/// SHA-256 of all trainable parameters, group by group in their order, each as contiguous bytes in host
/// memory. Waits for the device. The same machine, seed and number of threads give the same checksum.
std::string parameter_checksum(Model& model);

}  // namespace gpubench
