#pragma once
// Maps the exceptions of a case to the status of its row.

#include <exception>
#include <stdexcept>
#include <string>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// A request for something that the device does not support; the message names it.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Failure {
  RowStatus status;
  std::string message;                                              ///< One line.
  Measured<Bytes> requested = missing("not in the error message");  ///< Size of the failed allocation.
  Measured<Bytes> available = missing("not in the error message");  ///< Free memory at the failed allocation.
};

/// Returns the status for an exception, often by its text: LibTorch has few exception types.
Failure classify(const std::exception& error);

}  // namespace gpubench
