#include <cstring>

#include "files.h"
#include "gpubench/dataset.h"
#include "support/paths.h"
#include "support/temp_dir.h"

namespace gpubench::test::cifar10_test {
namespace {

const std::filesystem::path kFixture = std::filesystem::path(fixtures_dir()) / "cifar-10-batches-bin";

const DatasetEntry& entry() { return *datasets().find("cifar10"); }

/// Writes a dataset with two records per training file and three test records.
void write_set(const TempDir& dir) {
  for (const char digit : {'1', '2', '3', '4', '5'}) {
    dir.file(std::string("data_batch_") + digit + ".bin", cifar_records(2));
  }
  dir.file("test_batch.bin", cifar_records(3));
}

std::string load_error(const TempDir& dir) {
  return catch_data_error([&] { entry().load(dir.path(), {}); });
}

std::vector<std::int64_t> list_targets(const Split& split) {
  std::vector<std::int64_t> targets(static_cast<std::size_t>(split.size()));
  REQUIRE(split.targets.bytes.size() == targets.size() * sizeof(std::int64_t));
  std::memcpy(targets.data(), split.targets.bytes.data(), split.targets.bytes.size());
  return targets;
}

TEST_CASE("the real sample of CIFAR-10 loads") {
  REQUIRE(entry().is_present(kFixture));
  const Dataset dataset = entry().load(kFixture, {});
  CHECK(dataset.spec == entry().spec);
  CHECK(dataset.train.inputs.shape == std::vector<std::int64_t>{15, 3, 32, 32});
  CHECK(dataset.validation.size() == 0);
  CHECK(list_targets(dataset.test) == std::vector<std::int64_t>{2, 6, 8});
  CHECK(dataset.record.note ==
        "15 of 50,000 training samples; 3 of 10,000 test samples; not the official files");
}

TEST_CASE("records of all training files are concatenated, with labels separate from pixels") {
  const TempDir dir;
  write_set(dir);
  dir.file("data_batch_2.bin", cifar_records(4));
  const Dataset dataset = entry().load(dir.path(), {});
  CHECK(list_targets(dataset.train) == std::vector<std::int64_t>{0, 1, 0, 1, 2, 3, 0, 1, 0, 1, 0, 1});
  REQUIRE(dataset.train.inputs.bytes.size() == 12 * 3'072);
  for (const std::size_t sample : {2u, 3u, 4u, 5u}) {
    CHECK(dataset.train.inputs.bytes[sample * 3'072] == std::byte(sample - 2));
    CHECK(dataset.train.inputs.bytes[sample * 3'072 + 3'071] == std::byte(sample - 2));
  }
}

TEST_CASE("a CIFAR-10 file with an incomplete record is refused") {
  const TempDir dir;
  write_set(dir);
  dir.file("data_batch_3.bin", cifar_records(2).substr(0, 5'000));
  CHECK_THAT(load_error(dir),
             contains_text("data_batch_3.bin is truncated or damaged (5,000 bytes, not a multiple "
                           "of the record size, 3,073)"));
}

TEST_CASE("a CIFAR-10 label out of range is named with its file and record") {
  const TempDir dir;
  write_set(dir);
  std::string records = cifar_records(3);
  records[2 * 3'073] = '\xff';
  dir.file("test_batch.bin", records);
  CHECK_THAT(load_error(dir),
             contains_text("test_batch.bin has label 255 at sample 2, but labels are 0 to 9"));
}

}  // namespace
}  // namespace gpubench::test::cifar10_test
