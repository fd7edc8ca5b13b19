#pragma once
// A group of ranks that measures its network.

#include "engine/api/case_monitor.h"
#include "engine/plan/op_work.h"

namespace gpubench {

/// One rank's end. All ranks ask for the same rows in the same order. The first row joins the group. Used by
/// one thread.
class Network {
 public:
  virtual ~Network() = default;

  /// One collective at one size; every rank gets the same times: those of the slowest. Never throws for what
  /// goes wrong: the status says so.
  virtual OpRecord run(const OpWork& work) = 0;
};

}  // namespace gpubench
