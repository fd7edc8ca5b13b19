#include "files.h"
#include "gpubench/dataset.h"
#include "support/temp_dir.h"

namespace gpubench::test::cifar10_64_test {
namespace {

constexpr std::size_t kOldPlane = 32 * 32;
constexpr std::size_t kNewPlane = 64 * 64;

const DatasetEntry& entry() { return *datasets().find("cifar10-64"); }

/// Writes a dataset whose first image has these three planes.
void write_set(const TempDir& dir, const std::string& pixels) {
  for (const char digit : {'1', '2', '3', '4', '5'}) {
    dir.file(std::string("data_batch_") + digit + ".bin", cifar_records(2));
  }
  dir.file("data_batch_1.bin", '\7' + pixels);
  dir.file("test_batch.bin", cifar_records(3));
}

int pixel(const Split& split, std::size_t plane, std::size_t y, std::size_t x) {
  return std::to_integer<int>(split.inputs.bytes[plane * kNewPlane + y * 64 + x]);
}

/// Returns an image whose red levels rise along each row, and whose green levels rise from row to row.
std::string ramps() {
  std::string pixels;
  for (std::size_t i = 0; i < kOldPlane; ++i) pixels += static_cast<char>(i % 32);
  for (std::size_t i = 0; i < kOldPlane; ++i) pixels += static_cast<char>(i / 32);
  return pixels + std::string(kOldPlane, '\xff');
}

TEST_CASE("cifar10-64 has the images of cifar10, each pixel four times") {
  const TempDir dir;
  write_set(dir, ramps());
  const Dataset dataset = entry().load(dir.path(), {});
  CHECK(dataset.spec == DataSpec{Task::kClassification, {3, 64, 64}, 10});
  CHECK(dataset.train.inputs.shape == std::vector<std::int64_t>{9, 3, 64, 64});
  REQUIRE(dataset.train.inputs.bytes.size() == 9 * 3 * kNewPlane);
  for (std::size_t i = 0; i < 64; ++i) {
    CHECK(pixel(dataset.train, 0, 10, i) == static_cast<int>(i / 2));
    CHECK(pixel(dataset.train, 1, i, 10) == static_cast<int>(i / 2));
  }
  CHECK(pixel(dataset.train, 2, 0, 0) == 255);
  CHECK(pixel(dataset.train, 2, 31, 40) == 255);
}

TEST_CASE("cifar10-64 shares the files of cifar10 and its errors") {
  const TempDir dir;
  write_set(dir, ramps());
  CHECK(entry().folder == datasets().find("cifar10")->folder);
  CHECK(entry().is_present(dir.path()));
  CHECK(entry().load(dir.path(), {}).record.name == "cifar10-64");
  CHECK_THAT(entry().load(dir.path(), {}).record.note, contains_text("9 of 50,000 training samples"));
  dir.file("data_batch_3.bin", "");
  CHECK_THAT(catch_data_error([&] { entry().load(dir.path(), {}); }),
             contains_text("data_batch_3.bin is empty"));
}

}  // namespace
}  // namespace gpubench::test::cifar10_64_test
