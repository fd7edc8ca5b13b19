#include "gpubench/record/machine_records.h"
#include "gpubench/record/parameter.h"
#include "record/field_value.h"

namespace gpubench {
namespace {

using O = OpPoint;
using R = OpRecord;

constexpr double kMostCollectiveRanks = 65536;
constexpr double kLeastTime = 1e-9;

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
       "How it ended; only `ok` has times. See [operations.md](../docs/operations.md).",
       named<R>(std::mem_fn(&R::status), {"ok", "incorrect", "unsupported", "cpu-fallback", "skipped", "oom",
                                          "error", "timeout", "crashed", "interrupted"})
           .always()
           .direct()},
      {"calls_per_sample", "", "calls a sample", "How many calls a sample times together.",
       member(&R::calls_per_sample)},
      {"clock", "", "clock", "Clock of `call_seconds`: `host`, or `device` for its own events.",
       member(&R::clock).one_of({"host", "device"})},
      {"call_seconds", "s", "a call, a sample each", "Time of a call in each sample, in order.",
       member(&R::call_seconds)},
      {"host_call_seconds", "s", "a call by the host's clock, a sample each",
       "The same samples by the host's clock.", member(&R::host_call_seconds).optional()},
      {"graph_call_seconds", "s", "a call in a graph, a sample each", "Calls replayed from a graph.",
       member(&R::graph_call_seconds).optional()},
      {"flop", "FLOP", "FLOP a call", "Floating-point operations of a call; 0 where it only moves data.",
       member(&R::flop).or_absent()},
      {"traffic_bytes", "B", "bytes a call", "Inputs read once and outputs written once.",
       member(&R::traffic)},
      {"needed_host_bytes", "B", "host memory needed", "Host memory for the row and its check.",
       member(&R::needed_host)},
      {"needed_device_bytes", "B", "device memory needed",
       "Memory of the device for the row; null for the CPU.", member(&R::needed_device)},
  });
}

}  // namespace

// clang-format off

const ParameterTable<OpPoint>& op_parameters() {
  static const ParameterTable<O> parameters({
      {"op", "", "operation", kInTable, "Operations (default: all; see 'gpubench list ops')",
       member(&O::op).at_least(1).own_word().always(),
       {.option = "--op", .type = "NAME,...", .span = Span::kList, .in_name = InName::kAlways}},
      {"sizes", "", "sizes", kInTable, "Sizes for one --op: \"64x1024x128 axis=0\"",
       member(&O::sizes).at_least(1).own_word().always(),
       {.option = "--shape", .type = "SIZES,...", .span = Span::kList, .in_name = InName::kAlways,
        .before = " "}},
      {"type", "", "type", kInTable, "Number format of the inputs", named(&O::type).always(),
       {.option = "--dtype", .type = "NAME,...", .initial = "fp32", .span = Span::kList,
        .in_name = InName::kIfDifferent}},
      {"direction", "", "direction", kIfUnusual, "Operation alone, or with the gradients of all of its inputs",
       named(&O::direction).always(),
       {.option = "--direction", .type = "NAME,...", .initial = "forward", .span = Span::kList,
        .in_name = InName::kIfDifferent}},
      {"cache", "", "cache", kIfUnusual, "State of the caches; `cold`: full of other data before each call",
       named(&O::cache),
       {.option = "--cache", .type = "NAME,...", .initial = "warm", .span = Span::kList,
        .in_name = InName::kIfDifferent}},
      {"device", "", "device", kIfUnusual, "Devices: auto, cpu, cuda, cuda:1, mps",
       member(&O::device).at_least(1).own_word().always(),
       {.option = "--device", .type = "NAME,...", .initial = "auto", .span = Span::kList,
        .in_name = InName::kIfDifferent, .on_difference = kNoEffect}},
      {"world_size", "", "ranks", kIfUnusual, "Processes of a collective (default: all GPUs or cores)",
       member(&O::ranks).at_least(1).at_most(kMostCollectiveRanks).optional(),
       {.type = "N,...", .span = Span::kList, .in_name = InName::kUnlessDefault, .after = " ranks",
        .usual = "1"}},
      {"repeat", "", "repeat", Shown::kInTableOfRepeats, "Repetitions, each in fresh processes",
       member(&O::repeat).at_least(1),
       {.option = "--repeat", .type = "N", .initial = "1", .topic = Topic::kLength, .span = Span::kCount,
        .on_difference = kNoEffect}},
      {"seed", "", "seed", Shown::kInFile, "Seed of the inputs", member(&O::seed),
       {.option = "--seed", .type = "N", .initial = "0", .topic = Topic::kHow, .on_difference = kNoEffect}},
      {"sample_seconds", "s", "a sample lasts", Shown::kInFile, "Minimum time of a sample",
       member(&O::sample).at_least(kLeastTime),
       {.option = "--sample", .type = "TIME", .initial = "5ms", .topic = Topic::kLength,
        .on_difference = kNoEffect}},
      {"limit_seconds", "s", "a row lasts", Shown::kInFile,
       "Time of a row (default 0.5s, of the small set 0.2s)", member(&O::limit).at_least(kLeastTime),
       {.option = "--time", .type = "TIME", .topic = Topic::kLength, .on_difference = kNoEffect}},
      {"most_samples", "", "maximum samples", Shown::kInFile, "Maximum number of samples",
       member(&O::most_samples), {.is_in_file = false}},
      {"protocol", "", "protocol", Shown::kInFile, "Samples until the time is up, or the second of two calls",
       named(&O::protocol),
       {.option = "--protocol", .type = "NAME", .initial = "default", .topic = Topic::kHow,
        .on_difference = {Comparability::kCaveat}, .difference = "protocol of calls"}},
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
    Parameter<O> sizes = make_row("sizes", "--sizes", "Bytes");
    sizes.use.type = "A:B:STEP";
    sizes.use.initial = "4:1073741824:*4";
    sizes.use.span = Span::kSingle;
    return ParameterTable<O>(
        {make_row("op", "--collective", "Collectives: all_reduce, all_gather, ... (all)"), sizes,
         make_row("device"), make_row("world_size", "--world-size"), make_row("repeat"),
         make_row("sample_seconds"), make_row("limit_seconds", "--time", "Time of a row (default 0.5s)"),
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
      {"device", "", "device", "Name of one of `environment.devices`.",
       member(&P::device).at_least(1).asked()},
      {"kind", "", "kind",
       "`gemm` and `convolution` (1x1): arithmetic; `copy`: b = a; `triad`: a = b + s c; `host-to-device`: "
       "from pinned memory; `launch`: tiny operations in a row; `graph-node`: the same in a graph.",
       named(&P::kind).asked()},
      {"precision", "", "precision", "Of a product or convolution.",
       or_none(&P::precision, "it is no arithmetic")
           .one_of({"fp32", "tf32", "bf16", "fp16", "fp64"})
           .asked()
           .optional()},
      {"size", "", "size",
       "Rows of a matrix, channels of a convolution, bytes of an array, or operations in a row.",
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
      {"subject", "", "of", Shown::kInTable, "Model, precision or power meter that was checked; else empty.",
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
