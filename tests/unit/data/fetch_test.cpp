#include <future>

#include "data/fetch/fetch.h"
#include "files.h"
#include "gpubench/core/io/digest.h"
#include "gpubench/dataset.h"
#include "support/fake_http_server.h"
#include "support/scoped_variable.h"
#include "support/temp_dir.h"
#include "tar_gz.h"

namespace gpubench::test::fetch_test {
namespace {

namespace fs = std::filesystem;

RemoteFile remote_file(const std::string& name, const std::string& content) {
  return {name, Bytes{std::ssize(content)}, md5(std::as_bytes(std::span(content)))};
}

std::vector<RemoteFile> letter_files() { return {remote_file("a", "aaaa"), remote_file("b", "bb")}; }

Dataset load_letters(const fs::path& folder, const DataSpec&) {
  Dataset dataset;
  for (const RemoteFile& known : letter_files()) {
    const RawFile file = read_raw_file(folder / known.name, known.size);
    dataset.record.files.push_back(describe_file(file, letter_files()));
  }
  return dataset;
}

/// A dataset of two small files and its server.
struct Setting {
  Setting() {
    entry.name = "letters";
    entry.folder = "letters";
    entry.files = letter_files();
    entry.is_present = [](const fs::path& folder) {
      return file_exists(folder / "a") && file_exists(folder / "b");
    };
    entry.load = load_letters;
    entry.members.clear();
    server.serve("a", "aaaa");
    server.serve("b", "bb");
  }

  void fetch() { fetch_dataset(entry, dir.path(), {}); }

  DatasetEntry entry;
  const TempDir dir;
  FakeHttpServer server;
  const ScopedVariable address{"GPUBENCH_BASE_URL", server.url() + "/"};
};

TEST_CASE("a dataset is fetched into its folder only once") {
  Setting setting;
  setting.fetch();
  CHECK(read_content(setting.dir.path() / "letters" / "a") == "aaaa");
  CHECK(is_official(load_dataset(setting.entry, {}, setting.dir.path(), /*is_offline=*/false).record));
  setting.fetch();
  CHECK(setting.server.ranges_asked().size() == 2);
}

TEST_CASE("only missing or damaged files are fetched again") {
  Setting setting;
  setting.fetch();
  setting.dir.file("letters/b", "bx");
  setting.fetch();
  CHECK(read_content(setting.dir.path() / "letters" / "b") == "bb");
  CHECK(setting.server.bytes_sent() == 4 + 2 + 2);
}

TEST_CASE("concurrent fetches download each file once") {
  Setting setting;
  auto other = std::async(std::launch::async, [&] { setting.fetch(); });
  setting.fetch();
  other.get();
  CHECK(read_content(setting.dir.path() / "letters" / "b") == "bb");
  CHECK(setting.server.bytes_sent() == 6);
}

TEST_CASE("the folder of a complete dataset is not changed") {
  Setting setting;
  setting.dir.file("letters/a", "aaaa");
  setting.dir.file("letters/b", "bb");
  setting.fetch();
  CHECK(setting.server.ranges_asked().empty());
  CHECK_FALSE(fs::exists(setting.dir.path() / "letters" / ".lock"));
}

std::string cifar_archive(const std::string& test_records) {
  std::vector<std::pair<std::string, std::string>> members;
  for (const char digit : {'1', '2', '3', '4', '5'}) {
    members.emplace_back(std::string("cifar-10-batches-bin/data_batch_") + digit + ".bin", cifar_records(2));
  }
  members.emplace_back("cifar-10-batches-bin/test_batch.bin", test_records);
  return tar_gz(members);
}

TEST_CASE("CIFAR-10 is unpacked from its archive, which is then removed") {
  const std::string archive = cifar_archive(cifar_records(3));
  DatasetEntry entry = *datasets().find("cifar10");
  entry.files = {remote_file("cifar-10-binary.tar.gz", archive)};
  const TempDir dir;
  FakeHttpServer server;
  server.serve("cifar-10-binary.tar.gz", archive);

  const ScopedVariable address("GPUBENCH_BASE_URL", server.url());
  fetch_dataset(entry, dir.path(), {});
  const fs::path folder = dir.path() / "cifar-10-batches-bin";
  CHECK(entry.is_present(folder));
  CHECK(entry.load(folder, {}).test.size() == 3);
  CHECK_FALSE(fs::exists(folder / "cifar-10-binary.tar.gz"));
}

}  // namespace
}  // namespace gpubench::test::fetch_test
