#include "gpubench/record/names.h"

namespace gpubench {

const EnumNames<RowStatus>& names_of(RowStatus) {
  static const EnumNames<RowStatus> names{"status",
                                          {{RowStatus::kOk, "ok"},
                                           {RowStatus::kWrong, "wrong"},
                                           {RowStatus::kOutOfMemory, "oom"},
                                           {RowStatus::kUnsupported, "unsupported"},
                                           {RowStatus::kFellBack, "fell-back"},
                                           {RowStatus::kError, "error"},
                                           {RowStatus::kDiverged, "diverged"},
                                           {RowStatus::kTimeout, "timeout"},
                                           {RowStatus::kCrashed, "crashed"},
                                           {RowStatus::kSkipped, "skipped"},
                                           {RowStatus::kInterrupted, "interrupted"},
                                           {RowStatus::kInvalid, "invalid"}}};
  return names;
}

const EnumNames<Protocol>& names_of(Protocol) {
  static const EnumNames<Protocol> names{"protocol", {{Protocol::kEpoch, "epoch"}, {Protocol::kFit, "fit"}}};
  return names;
}

const EnumNames<Execution>& names_of(Execution) {
  static const EnumNames<Execution> names{
      "execution", {{Execution::kAuto, "auto"}, {Execution::kEager, "eager"}, {Execution::kGraph, "graph"}}};
  return names;
}

const EnumNames<Precision>& names_of(Precision) {
  static const EnumNames<Precision> names{"precision",
                                          {{Precision::kFp32, "fp32"},
                                           {Precision::kTf32, "tf32"},
                                           {Precision::kBf16, "bf16"},
                                           {Precision::kFp16, "fp16"},
                                           {Precision::kAmpBf16, "amp-bf16"},
                                           {Precision::kAmpFp16, "amp-fp16"}}};
  return names;
}

const EnumNames<Layout>& names_of(Layout) {
  static const EnumNames<Layout> names{
      "layout", {{Layout::kAuto, "auto"}, {Layout::kNchw, "nchw"}, {Layout::kChannelsLast, "channels-last"}}};
  return names;
}

const EnumNames<Loader>& names_of(Loader) {
  static const EnumNames<Loader> names{"loader", {{Loader::kResident, "resident"}, {Loader::kHost, "host"}}};
  return names;
}

const EnumNames<PowerScope>& names_of(PowerScope) {
  static const EnumNames<PowerScope> names{"scope",
                                           {{PowerScope::kUnknown, "unknown"},
                                            {PowerScope::kGpuBoard, "gpu-board"},
                                            {PowerScope::kGpuRail, "gpu-rail"},
                                            {PowerScope::kCpuPackage, "cpu-package"},
                                            {PowerScope::kDram, "dram"},
                                            {PowerScope::kSoc, "soc"},
                                            {PowerScope::kSystem, "system"},
                                            {PowerScope::kBattery, "battery"}}};
  return names;
}

const EnumNames<EnergyMethod>& names_of(EnergyMethod) {
  static const EnumNames<EnergyMethod> names{"energy method",
                                             {{EnergyMethod::kCounterDifference, "counter-difference"},
                                              {EnergyMethod::kTrapezoid, "trapezoid"},
                                              {EnergyMethod::kSpikeQ30, "spike-q30"}}};
  return names;
}

const EnumNames<OpType>& names_of(OpType) {
  static const EnumNames<OpType> names{"type",
                                       {{OpType::kFp32, "fp32"},
                                        {OpType::kFp16, "fp16"},
                                        {OpType::kBf16, "bf16"},
                                        {OpType::kFp64, "fp64"},
                                        {OpType::kInt32, "int32"},
                                        {OpType::kInt64, "int64"}}};
  return names;
}

const EnumNames<OpDirection>& names_of(OpDirection) {
  static const EnumNames<OpDirection> names{
      "direction", {{OpDirection::kForward, "forward"}, {OpDirection::kForwardBackward, "forward+backward"}}};
  return names;
}

const EnumNames<OpCache>& names_of(OpCache) {
  static const EnumNames<OpCache> names{"cache", {{OpCache::kWarm, "warm"}, {OpCache::kCold, "cold"}}};
  return names;
}

namespace {

template <class Enum>
std::string name_of(Enum value) {
  return names_of(value).name_of(value);
}

template <class Enum>
Enum value_named(const std::string& text, ErrorKind error = ErrorKind::kUsage) {
  return names_of(Enum{}).value_of(text, error);
}

}  // namespace

std::string to_string(RowStatus status) { return name_of(status); }
std::string to_string(Protocol protocol) { return name_of(protocol); }
std::string to_string(Execution execution) { return name_of(execution); }
std::string to_string(Precision precision) { return name_of(precision); }
std::string to_string(Layout layout) { return name_of(layout); }
std::string to_string(Loader loader) { return name_of(loader); }
std::string to_string(PowerScope scope) { return name_of(scope); }
std::string to_string(EnergyMethod method) { return name_of(method); }
std::string to_string(OpType type) { return name_of(type); }
std::string to_string(OpDirection direction) { return name_of(direction); }
std::string to_string(OpCache cache) { return name_of(cache); }

RowStatus row_status(const std::string& text) { return value_named<RowStatus>(text, ErrorKind::kData); }
Protocol protocol_named(const std::string& text) { return value_named<Protocol>(text); }
Execution execution_named(const std::string& text) { return value_named<Execution>(text); }
Precision precision_named(const std::string& text) { return value_named<Precision>(text); }
Layout layout_named(const std::string& text) { return value_named<Layout>(text); }
Loader loader_named(const std::string& text) { return value_named<Loader>(text); }
PowerScope power_scope_named(const std::string& text) { return value_named<PowerScope>(text); }
OpType op_type_named(const std::string& text) { return value_named<OpType>(text); }
OpDirection op_direction_named(const std::string& text) { return value_named<OpDirection>(text); }
OpCache op_cache_named(const std::string& text) { return value_named<OpCache>(text); }

const std::vector<OpType>& all_op_types() {
  static const std::vector<OpType> types = [] {
    std::vector<OpType> all;
    for (const auto& [type, name] : names_of(OpType{}).names) all.push_back(type);
    return all;
  }();
  return types;
}

std::string mode_text(const TrainingMode& mode) {
  constexpr TrainingMode kDefault;
  std::vector<std::string> parts;
  if (mode.precision != kDefault.precision) parts.push_back(to_string(mode.precision));
  if (mode.execution != kDefault.execution) parts.push_back(to_string(mode.execution));
  if (mode.layout != kDefault.layout) parts.push_back(to_string(mode.layout));
  if (mode.loader != kDefault.loader) parts.push_back("loader " + to_string(mode.loader));
  return join(parts);
}

}  // namespace gpubench
