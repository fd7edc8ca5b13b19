// Words of the command line and of suites that are more than a name or a whole number.

#include "engine/plan/op_plan.h"
#include "fuzz/target.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/op_case.h"
#include "power/log/values.h"

namespace gpubench::fuzz {
namespace {

void refuses_well(auto read) { accepts({ErrorKind::kUsage}, read); }

void read(std::string_view input) {
  const std::string text(input);
  refuses_well([&] { require(parse_duration(text, "--x").value >= 0, "a duration is not negative"); });
  refuses_well([&] { require(parse_byte_size(text, "--x").value >= 0, "a size is not negative"); });
  refuses_well([&] { require(parse_price(text, "--x") > 0, "a price is above 0"); });
  refuses_well([&] { require(parse_percent(text, "--x") >= 0, "a percentage is not negative"); });
  refuses_well([&] { parse_utc_offset(text, "--x"); });
  refuses_well([&] { parse_sweep(text); });
  refuses_well([&] {
    const OpCase sizes = parse_op_case(text, "--x");
    require(parse_op_case(to_string(sizes), "--x") == sizes, "sizes are read as they were written");
  });
  const Measured<Stamp> stamp = parse_stamp(text);
  require(stamp.has_value() || !stamp.reason().empty(), "what is no stamp has a reason");
}

}  // namespace

Target entry_quantity() { return {Shape::kBytes, read}; }

}  // namespace gpubench::fuzz
