#include "gpubench/record/names.h"

#include "gpubench/record/run_record.h"
#include "record/enum_names.h"

namespace gpubench {
namespace {

constexpr EnumNames<CaseStatus, 10> kStatuses{"status",
                                              {{{CaseStatus::kOk, "ok"},
                                                {CaseStatus::kOutOfMemory, "oom"},
                                                {CaseStatus::kUnsupported, "unsupported"},
                                                {CaseStatus::kError, "error"},
                                                {CaseStatus::kDiverged, "diverged"},
                                                {CaseStatus::kTimeout, "timeout"},
                                                {CaseStatus::kCrashed, "crashed"},
                                                {CaseStatus::kSkipped, "skipped"},
                                                {CaseStatus::kInterrupted, "interrupted"},
                                                {CaseStatus::kInvalid, "invalid"}}}};

constexpr EnumNames<Protocol, 2> kProtocols{"protocol",
                                            {{{Protocol::kEpoch, "epoch"}, {Protocol::kFit, "fit"}}}};

constexpr EnumNames<Execution, 3> kExecutions{
    "execution", {{{Execution::kAuto, "auto"}, {Execution::kEager, "eager"}, {Execution::kGraph, "graph"}}}};

constexpr EnumNames<Precision, 6> kPrecisions{"precision",
                                              {{{Precision::kFp32, "fp32"},
                                                {Precision::kTf32, "tf32"},
                                                {Precision::kBf16, "bf16"},
                                                {Precision::kFp16, "fp16"},
                                                {Precision::kAmpBf16, "amp-bf16"},
                                                {Precision::kAmpFp16, "amp-fp16"}}}};

constexpr EnumNames<Layout, 3> kLayouts{
    "layout", {{{Layout::kAuto, "auto"}, {Layout::kNchw, "nchw"}, {Layout::kChannelsLast, "channels-last"}}}};

constexpr EnumNames<Loader, 2> kLoaders{"loader",
                                        {{{Loader::kResident, "resident"}, {Loader::kHost, "host"}}}};

}  // namespace

std::string to_string(CaseStatus status) { return kStatuses.name_of(status); }
std::string to_string(Protocol protocol) { return kProtocols.name_of(protocol); }
std::string to_string(Execution execution) { return kExecutions.name_of(execution); }
std::string to_string(Precision precision) { return kPrecisions.name_of(precision); }
std::string to_string(Layout layout) { return kLayouts.name_of(layout); }
std::string to_string(Loader loader) { return kLoaders.name_of(loader); }

CaseStatus case_status(const std::string& text) { return kStatuses.value_of(text, ErrorKind::kData); }
Protocol protocol_named(const std::string& text) { return kProtocols.value_of(text, ErrorKind::kUsage); }
Execution execution_named(const std::string& text) { return kExecutions.value_of(text, ErrorKind::kUsage); }
Precision precision_named(const std::string& text) { return kPrecisions.value_of(text, ErrorKind::kUsage); }
Layout layout_named(const std::string& text) { return kLayouts.value_of(text, ErrorKind::kUsage); }
Loader loader_named(const std::string& text) { return kLoaders.value_of(text, ErrorKind::kUsage); }

std::vector<std::string> protocol_names() { return kProtocols.all(); }
std::vector<std::string> execution_names() { return kExecutions.all(); }
std::vector<std::string> precision_names() { return kPrecisions.all(); }
std::vector<std::string> layout_names() { return kLayouts.all(); }
std::vector<std::string> loader_names() { return kLoaders.all(); }

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
