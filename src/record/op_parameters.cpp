#include "gpubench/record/parameter.h"

#include "record/field_value.h"

namespace gpubench {
namespace {

using O = OpPoint;

constexpr double kMostCollectiveRanks = 65536;
constexpr double kLeastTime = 1e-9;

// clang-format off

Parameter<O> op_names(const char* option, const char* help) {
  return {"op", "", "operation", kInTable, help, member(&O::op).at_least(1).own_word().always(),
          {.option = option, .type = "NAME,...", .span = Span::kList, .in_name = InName::kAlways}};
}

Parameter<O> sizes(const char* option, const char* type, const char* initial, const char* help, Span span) {
  return {"sizes", "", "sizes", kInTable, help, member(&O::sizes).at_least(1).own_word().always(),
          {.option = option, .type = type, .initial = initial, .span = span, .in_name = InName::kAlways,
           .before = " "}};
}

Parameter<O> device() {
  return {"device", "", "device", kWhereUnusual, "Devices: auto, cpu, cuda, cuda:1, mps",
          member(&O::device).at_least(1).own_word().always(),
          {.option = "--device", .type = "NAME,...", .initial = "auto", .span = Span::kList,
           .in_name = InName::kWhereUnlike, .on_difference = kNoEffect}};
}

Parameter<O> world_size(const char* option) {
  return {"world_size", "", "ranks", kWhereUnusual, "Processes of a collective (default: all GPUs or cores)",
          member(&O::ranks).at_least(1).at_most(kMostCollectiveRanks).optional(),
          {.option = option, .type = "N,...", .span = Span::kList, .in_name = InName::kUnlessUsual,
           .after = " ranks", .usual = "1"}};
}

Parameter<O> repeat() {
  return {"repeat", "", "repeat", Shown::kInTableOfRepeats, "Repetitions, each in fresh processes",
          member(&O::repeat).at_least(1),
          {.option = "--repeat", .type = "N", .initial = "1", .topic = Topic::kLength, .span = Span::kCount,
           .on_difference = kNoEffect}};
}

Parameter<O> sample() {
  return {"sample_seconds", "s", "a sample lasts", Shown::kInFile, "Minimum time of a sample",
          member(&O::sample).at_least(kLeastTime),
          {.option = "--sample", .type = "TIME", .initial = "5ms", .topic = Topic::kLength,
           .on_difference = kNoEffect}};
}

Parameter<O> limit(const char* help) {
  return {"limit_seconds", "s", "a row lasts", Shown::kInFile, help, member(&O::limit).at_least(kLeastTime),
          {.option = "--time", .type = "TIME", .topic = Topic::kLength, .on_difference = kNoEffect}};
}

Parameter<O> most_samples() {
  return {"most_samples", "", "maximum samples", Shown::kInFile, "Maximum number of samples",
          member(&O::most_samples), {.is_in_file = false}};
}

}  // namespace

const ParameterTable<OpPoint>& op_parameters() {
  static const ParameterTable<O> parameters({
      op_names("--op", "Operations (default: all; see 'gpubench list ops')"),
      sizes("--shape", "SIZES,...", "", "Sizes for one --op: \"64x1024x128 axis=0\"", Span::kList),
      {"type", "", "type", kInTable, "Number format of the inputs", named(&O::type).always(),
       {.option = "--dtype", .type = "NAME,...", .initial = "fp32", .span = Span::kList,
        .in_name = InName::kWhereUnlike}},
      {"direction", "", "direction", kWhereUnusual, "Operation alone, or with the gradients of all of its inputs",
       named(&O::direction).always(),
       {.option = "--direction", .type = "NAME,...", .initial = "forward", .span = Span::kList,
        .in_name = InName::kWhereUnlike}},
      {"cache", "", "cache", kWhereUnusual, "State of the caches; `cold`: full of other data before each call",
       named(&O::cache),
       {.option = "--cache", .type = "NAME,...", .initial = "warm", .span = Span::kList,
        .in_name = InName::kWhereUnlike}},
      device(),
      world_size(""),
      repeat(),
      {"seed", "", "seed", Shown::kInFile, "Seed of the inputs", member(&O::seed),
       {.option = "--seed", .type = "N", .initial = "0", .topic = Topic::kHow, .on_difference = kNoEffect}},
      sample(),
      limit("Time of a row (default 0.5s, of the small set 0.2s)"),
      most_samples(),
      {"protocol", "", "protocol", Shown::kInFile, "Samples until the time is up, or the second of two calls",
       named(&O::protocol),
       {.option = "--protocol", .type = "NAME", .initial = "default", .topic = Topic::kHow,
        .on_difference = {Comparability::kCaveat}, .difference = "protocol of calls"}},
  });
  return parameters;
}

const ParameterTable<OpPoint>& collective_parameters() {
  static const ParameterTable<O> parameters({
      op_names("--collective", "Collectives: all_reduce, all_gather, ... (all)"),
      sizes("--sizes", "A:B:STEP", "4:1073741824:*4", "Bytes", Span::kSingle),
      device(),
      world_size("--world-size"),
      repeat(),
      sample(),
      limit("Time of a row (default 0.5s)"),
      most_samples(),
  });
  return parameters;
}

// clang-format on

std::vector<std::string> collective_names() {
  return {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "send_receive"};
}

}  // namespace gpubench
