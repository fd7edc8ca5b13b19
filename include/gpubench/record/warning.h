#pragma once
// Warnings about disturbances of a measurement. warnings.def has their kinds.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpubench {

enum class WarningKind {
#define GPUBENCH_WARNING(kind, ...) kind,
#include "gpubench/record/warnings.def"
#undef GPUBENCH_WARNING
};

/// A value of `likely_cause`.
struct LikelyCause {
  std::string_view name;
  std::string_view text;  ///< Cause, and advice: "the hypervisor; repeat when the host is idle".
};

/// Row of warnings.def.
struct WarningEntry {
  WarningKind kind{};
  std::string_view name;          ///< Name in files.
  std::string_view unit{};        ///< Unit of the figure; empty: no figure.
  std::string_view text;          ///< Message with {0} for the figure and {1} for a detail.
  std::string_view remedy{};      ///< Advice after the message; empty: none, or in the message.
  bool takes_cores = false;       ///< Causes core-wait.
  bool comes_from_ranks = false;  ///< Other ranks on the same machine cause it too.
  LikelyCause cause{};            ///< Empty: explains no time.
};

/// Kind in files: a WarningKind, or a name that only other versions know.
struct KindName {
  KindName() = default;
  KindName(WarningKind kind);  // NOLINT(google-explicit-constructor)
  explicit KindName(std::string its_name) : name(std::move(its_name)) {}
  bool operator==(const KindName&) const = default;

  std::string name;
};

/// A disturbance of a measurement.
struct Warning {
  KindName kind;
  std::optional<double> figure;  ///< Severity, in the unit of the kind; larger is worse.
  std::string text;              ///< Message with the figure.

  friend bool operator==(const Warning&, const Warning&) = default;
};

/// Returns the rows of all kinds, in order of WarningKind.
std::span<const WarningEntry> warning_entries();

/// Returns the row of a kind; an empty row for an unknown kind.
const WarningEntry& get_entry(const KindName& kind);

/// Returns a warning with the message of its kind.
Warning make_warning(WarningKind kind, std::optional<double> figure = {}, std::string_view detail = "");

/// Returns all values of `likely_cause`: causes that warnings name, then causes within the work.
std::vector<LikelyCause> likely_causes();

/// Warnings of several rows that are shown once: equal kinds with figures, or equal texts.
struct WarningGroup {
  Warning worst;                  ///< Warning with the largest figure.
  std::vector<std::size_t> rows;  ///< Row of each warning.
};

/// Adds `warning` of `row` to its group, or to a new one.
void add_warning(const Warning& warning, std::size_t row, std::vector<WarningGroup>& groups);

}  // namespace gpubench
