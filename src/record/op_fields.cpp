#include "gpubench/record/machine_records.h"
#include "gpubench/record/parameter.h"
#include "record/field_value.h"

namespace gpubench {
namespace {

using O = OpPoint;
using R = OpRecord;

constexpr double kLeastTime = 1e-9;

/// Returns all fields except parameters and figures.
std::vector<Field<R>> measured_op_fields() {
  return std::vector<Field<R>>({
      {"backend", "", "backend", "Communication backend of a collective: `gloo` or `nccl`.",
       member(&R::backend).one_of({"gloo", "nccl"}).in("ranks").optional()},
      {"workload", "", "workload", "Workload: `op`, or `collective` for several ranks.",
       derived<R>([](const R& record) { return std::string(record.ranks > 1 ? "collective" : "op"); })
           .one_of({"op", "collective"})
           .always()
           .direct()},
      {"status", "", "status", kInTable, "Status; only `ok` has times. See [operations.md](operations.md).",
       member_by<R>(std::mem_fn(&R::status))
           .one_of({"ok", "incorrect", "unsupported", "cpu-fallback", "skipped", "oom", "error", "timeout",
                    "crashed", "interrupted"})
           .always()
           .direct()},
      {"calls_per_sample", "", "calls per sample", "Calls timed together per sample.",
       member(&R::calls_per_sample)},
      {"clock", "", "clock", "Clock of `call_seconds`: `host`, or `device` events.",
       member(&R::clock).one_of({"host", "device"})},
      {"call_seconds", "s", "call", "Time per call in each sample.", member(&R::call_seconds)},
      {"host_call_seconds", "s", "call by the host's clock", "Time per call by the host's clock.",
       member(&R::host_call_seconds).optional()},
      {"graph_call_seconds", "s", "call in a graph", "Time per call in a recorded graph.",
       member(&R::graph_call_seconds).optional()},
      {"flop", "FLOP", "FLOP per call", "Floating-point operations per call; 0 for data movement.",
       member(&R::flop).or_absent()},
      {"traffic_bytes", "B", "bytes per call", "Bytes read and written per call.", member(&R::traffic)},
      {"needed_host_bytes", "B", "required host memory", "Host memory required by the row and its check.",
       member(&R::needed_host)},
      {"needed_device_bytes", "B", "required device memory",
       "Device memory required by the row; null on the CPU.", member(&R::needed_device)},
  });
}

}  // namespace

// clang-format off

const ParameterTable<OpPoint>& op_parameters() {
  using enum InName;
  using enum Span;
  using enum Topic;
  static const ParameterTable<O> parameters({
      {"op", "", "operation", kInTable, "Operation (default: all; see 'gpubench list ops')",
       member(&O::op).at_least(1).own_word().always(),
       {.option = "--op", .type = "NAME,...", .span = kList, .in_name = kAlways}},
      {"sizes", "", "sizes", kInTable, "Tensor sizes for one --op: \"64x1024x128 axis=0\"",
       member(&O::sizes).at_least(1).own_word().always(),
       {.option = "--shape", .type = "SIZES,...", .span = kList, .in_name = kAlways, .before = " "}},
      {"type", "", "type", kInTable, "Number format of the inputs", member(&O::type).always(),
       {.option = "--dtype", .type = "NAME,...", .initial = "fp32", .span = kList, .in_name = kIfDifferent}},
      {"direction", "", "direction", kIfUnusual, "Operation only, or with the gradients of all inputs",
       member(&O::direction).always(),
       {.option = "--direction", .type = "NAME,...", .initial = "forward", .span = kList,
        .in_name = kIfDifferent}},
      {"cache", "", "cache", kIfUnusual, "State of the caches; `cold`: filled with other data",
       member(&O::cache),
       {.option = "--cache", .type = "NAME,...", .initial = "warm", .span = kList, .in_name = kIfDifferent}},
      {"device", "", "device", kIfUnusual, "Device: auto, cpu, cuda, cuda:1, mps",
       member(&O::device).at_least(1).own_word().always(),
       {.option = "--device", .type = "NAME,...", .initial = "auto", .span = kList, .in_name = kIfDifferent,
        .on_difference = kNoEffect}},
      {"world_size", "", "ranks", kIfUnusual, "Ranks of a collective (default: all GPUs or cores)",
       member(&O::ranks).at_least(1).at_most(kMostRanks).optional(),
       {.type = "N,...", .span = kList, .in_name = kUnlessDefault, .after = " ranks", .usual = "1"}},
      {"repeat", "", "repeat", Shown::kInTableOfRepeats, "Repeats in fresh processes",
       member(&O::repeat).at_least(1),
       {.option = "--repeat", .type = "N", .initial = "1", .topic = kLength, .span = kCount,
        .on_difference = kNoEffect}},
      {"seed", "", "seed", kInFile, "Seed of the inputs", member(&O::seed),
       {.option = "--seed", .type = "N", .initial = "0", .topic = kHow, .on_difference = kNoEffect}},
      {"sample_seconds", "s", "minimum sample time", kInFile, "Minimum time per sample",
       member(&O::sample).at_least(kLeastTime),
       {.option = "--sample", .type = "TIME", .initial = "5ms", .topic = kLength,
        .on_difference = kNoEffect}},
      {"limit_seconds", "s", "time limit", kInFile, "Time limit per row (default 0.5s; small set 0.2s)",
       member(&O::limit).at_least(kLeastTime),
       {.option = "--time", .type = "TIME", .topic = kLength, .on_difference = kNoEffect}},
      {"most_samples", "", "maximum samples", kInFile, "Maximum number of samples",
       member(&O::most_samples), {.is_in_file = false}},
      {"protocol", "", "protocol", kInFile, "Timing protocol: `default`, or `s4` (second of two calls)",
       member(&O::protocol),
       {.option = "--protocol", .type = "NAME", .initial = "default", .topic = kHow,
        .on_difference = {Comparability::kCaveat}, .difference = "timing protocol"}},
  });
  return parameters;
}

// clang-format on

const ParameterTable<OpPoint>& collective_parameters() {
  static const ParameterTable<O> parameters = [] {
    const auto make_row = [](const char* key, const char* option = nullptr, const char* help = nullptr) {
      Parameter<O> row = *op_parameters().find(key);
      if (option != nullptr) row.use.option = option;
      if (help != nullptr) row.help = help;
      return row;
    };
    Parameter<O> sizes = make_row("sizes", "--sizes", "Bytes per call, from A to B");
    sizes.use.type = "A:B:STEP";
    sizes.use.initial = "4:1073741824:*4";
    sizes.use.span = Span::kSingle;
    return ParameterTable<O>({make_row("op", "--collective", "Collective, such as all_reduce (default: all)"),
                              sizes, make_row("device"), make_row("world_size", "--world-size"),
                              make_row("repeat"), make_row("sample_seconds"),
                              make_row("limit_seconds", "--time", "Time limit per row (default 0.5s)"),
                              make_row("most_samples")});
  }();
  return parameters;
}

std::vector<std::string> collective_names() {
  return {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "send_receive"};
}

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
      {"device", "", "device", "Device name.", member(&P::device).at_least(1).asked()},
      {"kind", "", "kind",
       "Measurement: `gemm`, `convolution` (1x1), `copy`, `triad`, `host-to-device`, `launch` or "
       "`graph-node`.",
       member(&P::kind).asked()},
      {"precision", "", "precision", "Precision of a product or convolution.",
       or_none(&P::precision, "not an arithmetic operation")
           .one_of({"fp32", "tf32", "bf16", "fp16", "fp64"})
           .asked()
           .optional()},
      {"size", "", "size", "Matrix rows, channels, array bytes, or number of operations.",
       or_none(&P::size, "measurable at no size").at_least(1).asked()},
      {"workload", "", "workload", "Workload: `peak`.",
       derived<P>([](const P&) { return std::string("peak"); }).one_of({"peak"}).always().direct()},
      {"status", "", "status", "`ok` with a value, else `unsupported`.",
       derived<P>([](const P& point) { return std::string(point.value.has_value() ? "ok" : "unsupported"); })
           .one_of({"ok", "unsupported"})
           .direct()},
      {"value", "", "value", "Rate, or time per operation, in `unit`.", member(&P::value).at_least(0)},
      {"unit", "", "unit", "Unit of `value`.",
       derived<P>([](const P& point) { return find_unit(point.kind); })
           .one_of({"FLOP/s", "B/s", "s"})
           .fact()},
  });
  return fields;
}

const FieldTable<CheckRow>& check_fields() {
  using R = CheckRow;
  static const FieldTable<R> fields({
      {"device", "", "device", "Device name.", member(&R::device).at_least(1).own_word().asked()},
      {"check", "", "check", kInTable, "Name of the check; see [checking-a-device.md](checking-a-device.md).",
       member(&R::check).at_least(1).own_word().asked()},
      {"subject", "", "subject", kInTable, "Checked model, precision or meter; else empty.",
       member(&R::subject).own_word().asked()},
      {"claim", "", "claim", "Statement that the check tests.",
       member(&R::claim).at_least(1).own_word().asked()},
      {"workload", "", "workload", "Workload: `selftest`.",
       derived<R>([](const R&) { return std::string("selftest"); }).one_of({"selftest"}).always().direct()},
      {"status", "", "status", kInTable, "`pass`, `fail`, or `unchecked` if not checkable here.",
       member(&R::status).direct()},
      {"message", "", "finding", kInTable, "Finding, or reason for `unchecked`.",
       member(&R::message).at_least(1).direct()},
      {"deviation", "", "deviation", "Measured deviation.", member(&R::deviation).in("comparison")},
      {"tolerance", "", "tolerance", "Maximum deviation.", member(&R::tolerance).in("comparison")},
      {"duration_seconds", "s", "duration", "Duration of the whole check.", member(&R::duration)},
  });
  return fields;
}

}  // namespace gpubench
