#include "app/run/member_run.h"
#include "support/catch.h"

using namespace gpubench;

TEST_CASE("one rank of a machine reads its meter, and each its own GPU where it sees no other") {
  CHECK(member_meter("auto", true, false) == "auto");
  CHECK(member_meter("rapl", true, true) == "rapl");
  CHECK(member_meter("auto", false, false) == "none");
  CHECK(member_meter("auto", false, true) == "nvml");
  CHECK(member_meter("rapl,nvml", false, true) == "nvml");
  CHECK(member_meter("rapl", false, true) == "none");
  CHECK(member_meter("none", false, true) == "none");
}
