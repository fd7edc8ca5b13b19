// Names of enumerations as in files, looked up both ways.

#include <array>
#include <optional>

#include "gpubench/core/error.h"
#include "gpubench/core/nearest.h"
#include "gpubench/record/run_record.h"

namespace gpubench {
namespace {

/// The values of an enumeration and their names; has every value.
template <class Enum, std::size_t count>
struct Names {
  std::array<std::pair<Enum, const char*>, count> names;

  std::string name_of(Enum value) const {
    for (const auto& [known, name] : names) {
      if (known == value) return name;
    }
    return {};
  }

  std::optional<Enum> value_of(const std::string& text) const {
    for (const auto& [value, name] : names) {
      if (text == name) return value;
    }
    return std::nullopt;
  }

  /// "unknown status 'fine'; known: ok, oom, ...".
  std::string unknown_message(const std::string& kind, const std::string& text) const {
    std::vector<std::string> known;
    for (const auto& [value, name] : names) known.emplace_back(name);
    return unknown_name_message(kind, text, known);
  }
};

constexpr Names<CaseStatus, 10> kStatuses{{{{CaseStatus::kOk, "ok"},
                                            {CaseStatus::kOutOfMemory, "oom"},
                                            {CaseStatus::kUnsupported, "unsupported"},
                                            {CaseStatus::kError, "error"},
                                            {CaseStatus::kDiverged, "diverged"},
                                            {CaseStatus::kTimeout, "timeout"},
                                            {CaseStatus::kCrashed, "crashed"},
                                            {CaseStatus::kSkipped, "skipped"},
                                            {CaseStatus::kInterrupted, "interrupted"},
                                            {CaseStatus::kInvalid, "invalid"}}}};

constexpr Names<Protocol, 2> kProtocols{{{{Protocol::kEpoch, "epoch"}, {Protocol::kFit, "fit"}}}};

}  // namespace

std::string to_string(CaseStatus status) { return kStatuses.name_of(status); }

CaseStatus case_status(const std::string& text) {
  if (const auto status = kStatuses.value_of(text)) return *status;
  throw Error(ErrorKind::kData, kStatuses.unknown_message("status", text));
}

std::string to_string(Protocol protocol) { return kProtocols.name_of(protocol); }

Protocol protocol_named(const std::string& text) {
  if (const auto protocol = kProtocols.value_of(text)) return *protocol;
  throw Error(ErrorKind::kUsage, kProtocols.unknown_message("protocol", text));
}

}  // namespace gpubench
