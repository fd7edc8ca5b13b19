#include "device/host/network.h"

#include "gpubench/core/error.h"
#include "support/catch.h"

namespace gpubench::test::network_test {

TEST_CASE("loopback addresses are recognized") {
  for (const char* const address : {"127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"})
    CHECK(is_loopback(address));
  for (const char* const address : {"10.0.0.1", "1.127.0.1", "fe80::1", "::ffff:10.0.0.1", ""})
    CHECK_FALSE(is_loopback(address));
}

TEST_CASE("the route to loopback uses the loopback interface, and unknown hosts are errors") {
  CHECK(address_towards("127.0.0.1", 1) == "127.0.0.1");
  CHECK(link_text("127.0.0.1") == "loopback");
  CHECK(link_text("192.0.2.1").empty());
  CHECK_THROWS_AS(address_towards("no.such.host.invalid", 1), Error);
}

}  // namespace gpubench::test::network_test
