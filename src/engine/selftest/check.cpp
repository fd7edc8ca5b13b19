#include "engine/selftest/check.h"

#include <cmath>

#include "engine/torch/failure.h"

namespace gpubench {
namespace {

CheckRow row(const std::string& what, CheckStatus status, const std::string& message) {
  CheckRow row;
  row.subject = what;
  row.status = status;
  row.message = message;
  row.deviation = row.tolerance = missing("numbers were not compared");
  return row;
}

CheckRows make_rows(const CheckEntry& check, Subject& subject) {
  try {
    return check.run(subject);
  } catch (const std::exception& error) {
    return {failed("", "it ended early: " + classify(error).message)};
  }
}

}  // namespace

CheckRow passed(const std::string& what, const std::string& message) {
  return row(what, CheckStatus::kPass, message);
}

CheckRow failed(const std::string& what, const std::string& message) {
  return row(what, CheckStatus::kFail, message);
}

CheckRow unchecked(const std::string& what, const std::string& why) {
  return row(what, CheckStatus::kUnchecked, why);
}

CheckRow decided(const std::string& what, bool is_true, const std::string& message) {
  return is_true ? passed(what, message) : failed(what, message);
}

CheckRow compared(const std::string& what, double deviation, double tolerance, const std::string& message) {
  CheckRow made = decided(what, deviation <= tolerance, message);
  made.deviation = std::isfinite(deviation) ? Measured<double>(deviation) : missing("it is no finite number");
  made.tolerance = tolerance;
  return made;
}

double relative_difference(double found, double expected) {
  return std::abs(found - expected) / std::abs(expected);
}

CheckRows run_check(const CheckEntry& check, Subject& subject) {
  const Seconds start = subject.clock.now();
  CheckRows rows = make_rows(check, subject);
  const Seconds duration = subject.clock.now() - start;
  for (CheckRow& each : rows) {
    each.device = subject.device.name();
    each.check = check.name;
    each.claim = check.claim;
    each.duration = duration;
  }
  return rows;
}

}  // namespace gpubench
