#include "gpubench/core/text/quantities.h"

#include "gpubench/core/error.h"
#include "support/catch.h"

namespace gpubench::test::byte_size_test {
namespace {

std::int64_t bytes(const std::string& text) { return parse_byte_size(text, "--max-memory").value; }

std::string refusal(const std::string& text) {
  try {
    return "accepted as " + std::to_string(bytes(text));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    return error.what();
  }
}

}  // namespace

TEST_CASE("units of size are powers of 1024 in every spelling") {
  CHECK(bytes("1K") == 1024);
  CHECK(bytes("512M") == 512LL * 1024 * 1024);
  CHECK(bytes("8G") == 8LL * 1024 * 1024 * 1024);
  CHECK(bytes("1.5GiB") == 3LL * 512 * 1024 * 1024);
  CHECK(bytes("2t") == 2LL * 1024 * 1024 * 1024 * 1024);
  CHECK(bytes("8GB") == bytes("8G"));
  CHECK(bytes("8gib") == bytes("8G"));
}

TEST_CASE("invalid sizes are refused with the option and an example") {
  for (const std::string text : {"", "-1", "G", "1e9", "8 G", "1G512M", "8G8", "1.2.3G"}) {
    CAPTURE(text);
    CHECK(refusal(text) == "--max-memory '" + text + "': not a size; write 512M, 8G or a number of bytes");
  }
}

TEST_CASE("sizes are printed in the largest unit that they reach") {
  CHECK(byte_text({0}) == "0 B");
  CHECK(byte_text({1023}) == "1023 B");
  CHECK(byte_text({1024}) == "1 KiB");
  CHECK(byte_text({1536}) == "1.5 KiB");
  CHECK(byte_text({512LL * 1024 * 1024}) == "512 MiB");
  CHECK(byte_text({3LL * 512 * 1024 * 1024}) == "1.5 GiB");
  CHECK(byte_text({2LL * 1024 * 1024 * 1024 * 1024}) == "2 TiB");
}

}  // namespace gpubench::test::byte_size_test
