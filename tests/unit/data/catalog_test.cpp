#include "files.h"
#include "gpubench/dataset.h"

namespace gpubench::test::catalog_test {
namespace {

TEST_CASE("every dataset's entry is complete") {
  for (const DatasetEntry& entry : datasets()) {
    INFO(entry.name);
    CHECK_FALSE(entry.summary.empty());
    CHECK_FALSE(entry.folder.empty());
    CHECK(entry.is_present != nullptr);
    CHECK(entry.load != nullptr);
    if (entry.files.empty()) continue;  // Provided by the user.
    CHECK(entry.spec.classes > 1);
    CHECK(entry.sizes.train > 0);
    CHECK(entry.base_url.starts_with("http"));
    CHECK_FALSE(entry.base_url.ends_with("/"));
    for (const RemoteFile& file : entry.files) {
      CHECK(file.size > Bytes{0});
      CHECK(file.checksum.find_first_not_of("0123456789abcdef") == std::string::npos);
      CHECK(file.checksum.size() == 32);
    }
  }
}

TEST_CASE("a dataset in a missing folder is not present") {
  for (const DatasetEntry& entry : datasets()) CHECK_FALSE(entry.is_present("/nowhere"));
}

}  // namespace
}  // namespace gpubench::test::catalog_test
