#include "app/run/launched_group.h"
#include "support/catch.h"

namespace gpubench::test::peer_meter_test {

TEST_CASE("one rank of a machine reads its meter, and each its own GPU where it sees no other") {
  CHECK(peer_meter("auto", true, false) == "auto");
  CHECK(peer_meter("rapl", true, true) == "rapl");
  CHECK(peer_meter("auto", false, false) == "none");
  CHECK(peer_meter("auto", false, true) == "nvml");
  CHECK(peer_meter("rapl,nvml", false, true) == "nvml");
  CHECK(peer_meter("rapl", false, true) == "none");
  CHECK(peer_meter("none", false, true) == "none");
}

}  // namespace gpubench::test::peer_meter_test
