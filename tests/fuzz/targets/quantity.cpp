// Values of the command line and of suites other than names and whole numbers.

#include "engine/plan/op_plan.h"
#include "fuzz/target.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/op_case.h"
#include "power/log/values.h"

namespace gpubench::fuzz {
namespace {

void accepts_or_reports_usage(auto read) { accepts({ErrorKind::kUsage}, read); }

void read(std::string_view input) {
  const std::string text(input);
  accepts_or_reports_usage(
      [&] { require(parse_duration(text, "--x").value >= 0, "a duration is not negative"); });
  accepts_or_reports_usage(
      [&] { require(parse_byte_size(text, "--x").value >= 0, "a size is not negative"); });
  accepts_or_reports_usage([&] { require(parse_price(text, "--x") > 0, "a price is above 0"); });
  accepts_or_reports_usage([&] { require(parse_percent(text, "--x") >= 0, "a percentage is not negative"); });
  accepts_or_reports_usage([&] { parse_utc_offset(text, "--x"); });
  accepts_or_reports_usage([&] { parse_sweep(text); });
  accepts_or_reports_usage([&] {
    const OpCase sizes = parse_op_case(text, "--x");
    require(parse_op_case(to_string(sizes), "--x") == sizes, "sizes survive a round trip");
  });
  const Measured<Stamp> stamp = parse_stamp(text);
  require(stamp.has_value() || !stamp.reason().empty(), "an invalid time stamp has a reason");
}

}  // namespace

Target entry_quantity() { return {Shape::kBytes, read}; }

}  // namespace gpubench::fuzz
