#include "device/host/network.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "engine/ranks/channel.h"
#include "gpubench/core/error.h"
#include "support/catch.h"

using namespace gpubench;
using namespace gpubench::test;

namespace {

int option(const FileDescriptor& socket, int level, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  getsockopt(socket.get(), level, name, &value, &size);
  return value;
}

}  // namespace

TEST_CASE("addresses of a machine alone are known as such") {
  for (const char* const address : {"127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"})
    CHECK(is_loopback(address));
  for (const char* const address : {"10.0.0.1", "1.127.0.1", "fe80::1", "::ffff:10.0.0.1", ""})
    CHECK_FALSE(is_loopback(address));
}

TEST_CASE("this machine reaches itself by an address of its own, on an interface without a speed") {
  CHECK(address_towards("127.0.0.1", 1) == "127.0.0.1");
  CHECK(link_text(interface_of("127.0.0.1")) == "loopback");
  CHECK(interface_of("192.0.2.1").empty());
  CHECK(link_text("").empty());
  CHECK_THROWS_AS(address_towards("no.such.host.invalid", 1), Error);
}

TEST_CASE("silence is to be noticed on a connection, and on none within this machine unless it is named") {
  int port = 0;
  const FileDescriptor listener = listen_at(port, Reach::kMachine);
  const FileDescriptor socket = connect_to("127.0.0.1", port, Deadline(Seconds{5}));
  notice_silence(Seconds{30});
  CHECK(option(socket, SOL_SOCKET, SO_KEEPALIVE) == 0);
  notice_silence(socket.get(), Seconds{30});
  CHECK(option(socket, SOL_SOCKET, SO_KEEPALIVE) != 0);
#ifdef TCP_USER_TIMEOUT
  CHECK(option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT) == 30'000);
  CHECK(option(socket, IPPROTO_TCP, TCP_KEEPIDLE) + 3 * option(socket, IPPROTO_TCP, TCP_KEEPINTVL) == 30);
#endif
}
