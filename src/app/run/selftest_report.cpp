#include "app/run/selftest_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "gpubench/core/text/text_table.h"

namespace gpubench {
namespace {

std::string format_mark(CheckStatus status) {
  if (status == CheckStatus::kUnchecked) return "--";
  return status == CheckStatus::kPass ? "ok" : "FAIL";
}

std::string found(const CheckRow& row) {
  return row.status == CheckStatus::kUnchecked ? "cannot be checked: " + row.message : row.message;
}

auto count(const std::vector<CheckRow>& checks, CheckStatus status) {
  return std::ranges::count(checks, status, &CheckRow::status);
}

}  // namespace

std::string selftest_table(const std::vector<CheckRow>& checks) {
  TextTable table({{"", Align::kLeft},
                   {"device", Align::kLeft},
                   {"check", Align::kLeft},
                   {"of", Align::kLeft},
                   {"found", Align::kLeft}});
  for (const CheckRow& row : checks)
    table.add_row({format_mark(row.status), row.device, row.check, row.subject, found(row)});
  return fmt::format("{}\n{} passed, {} failed, {} cannot be checked here\n", table.to_string(),
                     count(checks, CheckStatus::kPass), count(checks, CheckStatus::kFail),
                     count(checks, CheckStatus::kUnchecked));
}

bool has_failed(const std::vector<CheckRow>& checks) { return count(checks, CheckStatus::kFail) > 0; }

}  // namespace gpubench
