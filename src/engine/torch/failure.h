#pragma once
// Sorts exceptions of a case into statuses of its row.

#include <exception>
#include <stdexcept>
#include <string>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// A case that asks for something its device cannot do; the message names it.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Failure {
  RowStatus status;
  std::string message;                                               ///< One line.
  Measured<Bytes> requested = missing("the message does not tell");  ///< Memory asked for when it ran out.
  Measured<Bytes> available = missing("the message does not tell");  ///< Memory free when it ran out.
};

/// Sorts an exception into a status, often by its text: LibTorch has few types of exceptions.
Failure classify(const std::exception& error);

}  // namespace gpubench
