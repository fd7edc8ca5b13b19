#include "data/fetch/fetch.h"

#include <unistd.h>

#include <future>

#include "files.h"
#include "gpubench/core/io/digest.h"
#include "support/fake_http_server.h"
#include "support/small_files.h"
#include "support/temp_dir.h"

namespace gpubench::test::download_test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSize = 100'000;
const FetchTerms kNoPause{.tries = 3, .first_pause = std::chrono::milliseconds{0}};

std::string some_bytes() {
  std::string bytes;
  for (std::size_t i = 0; i < kSize; ++i) bytes += static_cast<char>(i * i % 251);
  return bytes;
}

/// A server with the file "data.bin", and a folder for downloads.
struct Setting {
  Setting() { server.serve("data.bin", content); }

  void fetch(const DownloadProgress& progress = {}) { fetch_from(server.url() + "/data.bin", progress); }
  void fetch_from(const std::string& url, const DownloadProgress& progress = {}) {
    download(file, url, target, progress, kNoPause);
  }
  std::string fetch_error() {
    return catch_data_error([&] { fetch(); });
  }
  void leave_part(const std::string& bytes) { dir.file("data.bin.part", bytes); }

  const std::string content = some_bytes();
  const RemoteFile file{"data.bin", Bytes{kSize}, md5(std::as_bytes(std::span(content)))};
  const TempDir dir;
  const fs::path target = dir.path() / "data.bin";
  const fs::path part = dir.path() / "data.bin.part";
  FakeHttpServer server;
};

TEST_CASE("a download leaves only the file itself") {
  Setting setting;
  std::vector<std::int64_t> done;
  setting.fetch([&](const std::string& name, Bytes so_far, Bytes total) {
    CHECK(name == "data.bin");
    CHECK(total == Bytes{kSize});
    done.push_back(so_far.value);
  });
  CHECK(read_content(setting.target) == setting.content);
  CHECK_FALSE(fs::exists(setting.part));
  CHECK(std::ranges::is_sorted(done));
  CHECK(done.back() == kSize);
}

TEST_CASE("a download resumes after a dropped connection") {
  Setting setting;
  setting.server.misbehave({.drop_after = 40'000, .drops = 1});
  setting.fetch();
  CHECK(read_content(setting.target) == setting.content);
  CHECK(setting.server.ranges_asked() == std::vector<std::string>{"", "bytes=40000-"});
  CHECK(setting.server.bytes_sent() == kSize);
}

TEST_CASE("a download gives up after several drops, and the next call resumes") {
  Setting setting;
  setting.server.misbehave({.drop_after = 20'000});
  const std::string message = setting.fetch_error();
  CHECK_THAT(message, contains_text("cannot download " + setting.server.url() + "/data.bin: "));
  CHECK_THAT(message, contains_text("(60,000 of 100,000 bytes after 3 tries); the partial file is kept"));
  CHECK_FALSE(fs::exists(setting.target));

  setting.server.misbehave({});
  setting.fetch();
  CHECK(read_content(setting.target) == setting.content);
  CHECK(setting.server.ranges_asked().back() == "bytes=60000-");
  CHECK(setting.server.bytes_sent() == kSize);
}

TEST_CASE("a complete partial file needs no request") {
  Setting setting;
  setting.leave_part(setting.content);
  setting.fetch();
  CHECK(read_content(setting.target) == setting.content);
  CHECK(setting.server.ranges_asked().empty());
}

TEST_CASE("the whole file is requested if the server cannot resume") {
  Setting setting;
  setting.leave_part(setting.content.substr(0, 30'000));
  setting.server.misbehave({.ignores_range = true});
  setting.fetch();
  CHECK(read_content(setting.target) == setting.content);
  CHECK(setting.server.ranges_asked() == std::vector<std::string>{"bytes=30000-", ""});
}

TEST_CASE("a response with the wrong range is discarded") {
  Setting setting;
  setting.leave_part(setting.content.substr(0, 30'000));
  setting.server.misbehave({.shifts_range = true});
  setting.fetch();
  CHECK(read_content(setting.target) == setting.content);
  CHECK(setting.server.ranges_asked() == std::vector<std::string>{"bytes=30000-", ""});
}

TEST_CASE("a file that is larger than expected is refused and removed") {
  Setting setting;
  setting.server.misbehave({.extra_bytes = 1});
  CHECK_THAT(setting.fetch_error(), contains_text("larger than the expected 100,000 bytes"));
  CHECK_FALSE(fs::exists(setting.target));
  CHECK_FALSE(fs::exists(setting.part));
}

TEST_CASE("a file with a wrong checksum is removed, and the error has both checksums") {
  Setting setting;
  setting.server.misbehave({.flips_last_byte = true});
  const std::string message = setting.fetch_error();
  CHECK_THAT(message, contains_text("its checksum is wrong (MD5 "));
  CHECK_THAT(message, contains_text("expected " + setting.file.checksum));
  CHECK_FALSE(fs::exists(setting.target));
  CHECK_FALSE(fs::exists(setting.part));
}

TEST_CASE("a permanent error ends the download without a retry") {
  Setting setting;
  setting.server.misbehave({.status = 404});
  CHECK_THAT(setting.fetch_error(), contains_text("the server answered 404; check GPUBENCH_BASE_URL"));
  CHECK(setting.server.ranges_asked().size() == 1);
  CHECK_FALSE(fs::exists(setting.part));
}

TEST_CASE("a request to a busy server is repeated") {
  Setting setting;
  setting.server.misbehave({.status = 503});
  CHECK_THAT(setting.fetch_error(),
             contains_text("the server answered 503 (0 of 100,000 bytes after 3 tries)"));
  CHECK(setting.server.ranges_asked().size() == 3);
}

TEST_CASE("redirections are followed, but only to HTTP") {
  Setting setting;
  FakeHttpServer front;
  front.misbehave({.redirect_to = setting.server.url() + "/data.bin"});
  setting.leave_part(setting.content.substr(0, 30'000));
  setting.fetch_from(front.url() + "/data.bin");
  CHECK(read_content(setting.target) == setting.content);
  CHECK(setting.server.bytes_sent() == kSize - 30'000);

  const std::string local = "file://" + setting.target.string();
  front.misbehave({.redirect_to = local});
  for (const std::string& url : {front.url() + "/data.bin", local}) {
    CHECK_THAT(catch_data_error([&] { setting.fetch_from(url); }), contains_text("rotocol \"file\""));
  }
}

TEST_CASE("a transfer that is too slow is ended, and the partial file is kept") {
  Setting setting;
  setting.server.misbehave({.bytes_a_second = 2'000});
  const std::string message = catch_data_error(
      [&] { download(setting.file, setting.server.url() + "/data.bin", setting.target, {}, {.tries = 1}); });
  CHECK_THAT(message, contains_text("of 100,000 bytes after 1 tries); the partial file is kept"));
  CHECK(fs::file_size(setting.part) > 0);
}

TEST_CASE("a full disk is named in the error") {
  Setting setting;
  const SmallFiles limit(kSize / 2);
  CHECK_THAT(setting.fetch_error(), contains_text("data.bin.part: File too large; free some space"));
}

}  // namespace
}  // namespace gpubench::test::download_test
