#include "gpubench/record/machine_records.h"
#include "gpubench/record/parameter.h"
#include "record/row_fields.h"

namespace gpubench {
namespace {

using R = OpRecord;

/// Neither parameters nor figures.
std::vector<Field<R>> measured_op_fields() {
  return std::vector<Field<R>>({
      {"backend", "", "exchange by", "Of a collective, what carries it: `gloo` or `nccl`.",
       member(&R::backend).one_of({"gloo", "nccl"}).in("ranks").optional()},
      {"workload", "", "workload", "Kind of work: `op`, or `collective` among several ranks.",
       derived<R>([](const R& record) { return std::string(record.ranks > 1 ? "collective" : "op"); })
           .one_of({"op", "collective"})
           .always()
           .direct()},
      {"status", "", "status", kInTable,
       "`wrong`: not what fp64 on the CPU gives; `unsupported`: the device lacks the operation for this "
       "type, or it has no gradient; `cpu-fallback`: it ran on another device; `skipped`: it needs more "
       "memory than there is; `oom`: memory ran out; `error`: anything else; `timeout`: it took longer than "
       "`--timeout`; `crashed`: its process ended without a result; `interrupted`: the run ended before it. "
       "Only `ok` has times.",
       named<R>(std::mem_fn(&R::status), {"ok", "incorrect", "unsupported", "cpu-fallback", "skipped", "oom",
                                          "error", "timeout", "crashed", "interrupted"})
           .always()
           .direct()},
      {"calls_per_sample", "", "calls a sample", "How many calls a sample times together.",
       member(&R::calls_per_sample)},
      {"clock", "", "clock",
       "Whose clock `call_seconds` were taken with: `host`, or `device` for its own events.",
       member(&R::clock).one_of({"host", "device"})},
      {"call_seconds", "s", "a call, a sample each", "Time of a call in each sample, in order.",
       member(&R::call_seconds)},
      {"host_call_seconds", "s", "a call by the host's clock, a sample each",
       "The same samples by the host's clock, where `clock` is `device`.",
       member(&R::host_call_seconds).optional()},
      {"graph_call_seconds", "s", "a call in a graph, a sample each",
       "Time of a call that the device replays from a recorded graph, a sample each.",
       member(&R::graph_call_seconds).optional()},
      {"flop", "FLOP", "FLOP a call", "Floating-point operations of a call; 0 where it only moves data.",
       member(&R::flop).or_absent()},
      {"traffic_bytes", "B", "bytes a call",
       "Of a call: what it takes read once, what it makes written once.", member(&R::traffic)},
      {"needed_host_bytes", "B", "host memory needed", "Host memory for the row and its check.",
       member(&R::needed_host)},
      {"needed_device_bytes", "B", "device memory needed",
       "Memory of the device for the row; null for the CPU.", member(&R::needed_device)},
      {"error", "", "error", kWhereUnusual, "Largest difference from fp64, relative to the largest value.",
       member(&R::error).at_least(0)},
      {"tolerance", "", "error allowed", "What `error` may be.", member(&R::tolerance).at_least(0)},
  });
}

}  // namespace

const FieldTable<OpRecord>& op_fields() {
  static const FieldTable<R> fields(make_row_table(op_parameters(), {measured_op_fields(), op_figures()}));
  return fields;
}

std::string find_unit(PeakKind kind) {
  if (is_arithmetic(kind)) return "FLOP/s";
  return kind == PeakKind::kLaunch || kind == PeakKind::kGraphNode ? "s" : "B/s";
}

const FieldTable<PeakPoint>& peak_point_fields() {
  using P = PeakPoint;
  static const FieldTable<P> fields({
      {"device", "", "device", "Name of one of `environment.devices`.",
       member(&P::device).at_least(1).asked()},
      {"kind", "", "kind",
       "`gemm`: product of two square matrices; `convolution`: one with a 1x1 filter, with as many FLOP; "
       "`copy`: b = a; `triad`: a = b + s c; `host-to-device`: copy out of pinned host memory; `launch`: "
       "tiny operations in a row; `graph-node`: the same in a recorded graph.",
       named(&P::kind).asked()},
      {"precision", "", "precision", "Of a product or convolution.",
       or_none(&P::precision, "it is no arithmetic")
           .one_of({"fp32", "tf32", "bf16", "fp16", "fp64"})
           .asked()
           .optional()},
      {"size", "", "size",
       "Rows of a matrix, channels of a convolution, bytes of an array, or operations in a row; likewise "
       "where a value is null at every size.",
       or_none(&P::size, "it could be measured at no size").at_least(1).asked()},
      {"workload", "", "workload", "Kind of work: `peak`.",
       derived<P>([](const P&) { return std::string("peak"); }).one_of({"peak"}).always().direct()},
      {"status", "", "status", "`ok` where there is a value, else `unsupported`.",
       derived<P>([](const P& point) { return std::string(point.value.has_value() ? "ok" : "unsupported"); })
           .one_of({"ok", "unsupported"})
           .direct()},
      {"value", "", "value", "A rate, or the time of one operation, in `unit`.",
       member(&P::value).at_least(0)},
      {"unit", "", "unit", "Of the value.",
       derived<P>([](const P& point) { return find_unit(point.kind); })
           .one_of({"FLOP/s", "B/s", "s"})
           .fact()},
  });
  return fields;
}

const FieldTable<CheckRow>& check_fields() {
  using R = CheckRow;
  static const FieldTable<R> fields({
      {"device", "", "device", "Name of one of `environment.devices`.",
       member(&R::device).at_least(1).own_word().asked()},
      {"check", "", "check", Shown::kInTable,
       "Name of the check; [selftest.md](../docs/selftest.md) has all.",
       member(&R::check).at_least(1).own_word().asked()},
      {"subject", "", "of", Shown::kInTable,
       "What of it was checked: a model, a precision, a power meter; empty where there is one thing alone.",
       member(&R::subject).own_word().asked()},
      {"claim", "", "claim", "What is true where it passes.",
       member(&R::claim).at_least(1).own_word().asked()},
      {"workload", "", "workload", "Kind of work: `selftest`.",
       derived<R>([](const R&) { return std::string("selftest"); }).one_of({"selftest"}).always().direct()},
      {"status", "", "status", Shown::kInTable, "`pass`, `fail`, or `unchecked`: it cannot be checked here.",
       named(&R::status).direct()},
      {"message", "", "found", Shown::kInTable, "What was found, or why it cannot be checked.",
       member(&R::message).at_least(1).direct()},
      {"deviation", "", "deviation", "How far off it was.", member(&R::deviation).in("comparison")},
      {"tolerance", "", "tolerance", "How far off it may be.", member(&R::tolerance).in("comparison")},
      {"duration_seconds", "s", "duration", "Of the check, all of its rows together.", member(&R::duration)},
  });
  return fields;
}

}  // namespace gpubench
