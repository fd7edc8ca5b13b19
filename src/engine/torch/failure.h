#pragma once
// What an exception out of a case means for its row.

#include <exception>
#include <stdexcept>
#include <string>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// A case that asks for what its device cannot do; the message says what.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Failure {
  RowStatus status;
  std::string message;  ///< One line.
  Measured<Bytes> requested =
      missing("the message does not tell");  ///< Where memory ran out: what was asked for,
  Measured<Bytes> available = missing("the message does not tell");  ///< and what was free.
};

/// Sorts an exception into a status. LibTorch and its libraries tell most of it in the text alone.
Failure classify(const std::exception& error);

}  // namespace gpubench
