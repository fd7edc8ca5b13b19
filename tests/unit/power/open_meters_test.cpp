#include "gpubench/power_meter.h"
#include "support/catch.h"
#include "support/fake_clock.h"

namespace gpubench::test {
namespace {

std::string refusal(const std::string& names) {
  try {
    open_meters(names, FakeClock());
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("an unknown meter is a usage error with the nearest name") {
  CHECK_THAT(refusal("nmvl"), contains_text("--meter: unknown power meter 'nmvl'; did you mean 'nvml'?"));
  CHECK_THAT(refusal("rapl,batery"), contains_text("did you mean 'battery'?"));
  CHECK_THAT(refusal(""), contains_text("name a meter"));
}

TEST_CASE("no meter is no source, and says that it was asked for") {
  const OpenMeters none = open_meters("none", FakeClock());
  CHECK(none.sources.empty());
  CHECK(none.why_none == "no power meter can be read (none: asked for with --meter none)");
}

TEST_CASE("without a source each meter that was tried says why; the automatic ones are tried by themselves") {
  const FakeClock clock;
  const OpenMeters opened = open_meters("auto", clock);
  for (const MeterEntry& entry : power_meters()) {
    if (!opened.sources.empty() || !entry.is_automatic) continue;
    CHECK_THAT(opened.why_none, contains_text(entry.name + ": "));
  }
  CHECK(opened.why_none.empty() == !opened.sources.empty());
  CHECK(opened.why_none.find("--meter none") == std::string::npos);
}

TEST_CASE("every meter has a name and a line about it, and gives sources or a reason") {
  const FakeClock clock;
  for (const MeterEntry& entry : power_meters()) {
    if (!entry.is_automatic) continue;
    INFO(entry.name);
    CHECK_FALSE(entry.summary.empty());
    std::string why_not;
    const auto sources = entry.open({"", clock}, why_not);
    CHECK(sources.empty() == !why_not.empty());
    for (const auto& source : sources) {
      CHECK(source.facts.meter == entry.name);
      CHECK_FALSE(source.facts.part.empty());
    }
  }
}

}  // namespace gpubench::test
