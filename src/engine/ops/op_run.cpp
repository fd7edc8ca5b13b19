#include "engine/ops/op_run.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "device/host/host.h"
#include "engine/ops/op_call.h"
#include "engine/ops/op_check.h"
#include "engine/ops/op_timing.h"
#include "engine/torch/failure.h"
#include "gpubench/core/error.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/op.h"

namespace gpubench {
namespace {

OpRecord describe(const OpEntry& entry, const OpRequest& request, const Device& device) {
  OpRecord record = describe(OpWork{entry.name, request, device.name()});
  // With gradients, products are three: one forward, two backward.
  record.flop = entry.flop(request.sizes) * (request.direction == OpDirection::kForward ? 1 : 3);
  return record;
}

Verdict shortage(const std::string& whose, Reading<Bytes> needed, const Reading<Bytes>& available) {
  if (!needed.has_value() || !available.has_value() || needed.value() <= available.value()) return {};
  return {RowStatus::kSkipped, fmt::format("needs {} of {} memory, {} are free", byte_text(needed.value()),
                                           whose, byte_text(available.value()))};
}

Verdict check_memory(const OpEntry& entry, const OpRequest& request, const Device& device, OpRecord& record) {
  const bool is_on_cpu = device.name() == "cpu";
  const RowMemory memory = row_memory(entry, request, is_on_cpu);
  record.needed_host = Bytes{memory.host};
  record.needed_device = is_on_cpu ? Reading<Bytes>(absent("the row is on the host")) : Bytes{memory.device};
  if (Verdict verdict = shortage("host", record.needed_host, available_memory()); !verdict.is_ok()) {
    return verdict;
  }
  return shortage("device", record.needed_device, device.free_memory());
}

Verdict run(const OpEntry& entry, const OpRequest& request, Device& device, const Clock& clock,
            OpRecord& record) {
  if (Verdict verdict = check_memory(entry, request, device, record); !verdict.is_ok()) return verdict;
  OpCall call(entry, request.sizes, row_inputs(entry, request, device.name()));
  if (Verdict verdict = check_call(entry, request, call, device, record); !verdict.is_ok()) return verdict;
  OpRow row{request, call, Spots(call.outputs()), [&] { return check_outputs(entry, request, call, record); },
            device,  clock};
  if (Verdict verdict = time_calls(row, record); !verdict.is_ok()) return verdict;
  time_in_graph(row, record);
  return {};
}

/// Some operations make floating-point numbers on the way and then find that they do not go with whole ones.
bool is_about_types(const std::string& message) { return message.find("dtype") != std::string::npos; }

Verdict verdict_of(const Failure& failure, OpType type) {
  if (failure.status == RowStatus::kOutOfMemory) return {RowStatus::kOutOfMemory, failure.message};
  const bool is_unsupported = failure.status == RowStatus::kUnsupported;
  if (is_unsupported || (is_whole(type) && is_about_types(failure.message))) {
    return {RowStatus::kUnsupported, failure.message};
  }
  return {RowStatus::kError, failure.message};
}

}  // namespace

void check_sizes(const OpEntry& entry, const OpCase& sizes) {
  try {
    entry.inputs(sizes, std::nullopt);
  } catch (const Error&) {
    throw;
  } catch (const std::exception&) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--shape \"{}\": has more bytes than can be counted; give smaller sizes",
                            to_string(sizes)));
  }
}

OpRecord run_op(const OpEntry& entry, const OpRequest& request, Device& device, const Clock& clock) {
  check_sizes(entry, request.sizes);
  allow_tf32(false);
  OpRecord record = describe(entry, request, device);
  Verdict verdict;
  try {
    verdict = run(entry, request, device, clock, record);
  } catch (const std::exception& error) {
    verdict = verdict_of(classify(error), request.type);
  }
  record.status = verdict.status;
  record.status_reason = verdict.message;
  return record;
}

}  // namespace gpubench
