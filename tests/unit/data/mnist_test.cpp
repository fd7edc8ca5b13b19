#include <cstring>

#include "files.h"
#include "gpubench/dataset.h"
#include "support/paths.h"
#include "support/temp_dir.h"

namespace gpubench::test::mnist_test {
namespace {

const std::filesystem::path kFixture = std::filesystem::path(fixtures_dir()) / "fashion-mnist";

const DatasetEntry& entry() { return *datasets().find("fashion-mnist"); }

/// Writes a dataset with `training` training samples and 4 test samples in plain files.
void write_set(const TempDir& dir, std::uint32_t training) {
  dir.file("train-images-idx3-ubyte", idx_images(training));
  dir.file("train-labels-idx1-ubyte", idx_labels(training));
  dir.file("t10k-images-idx3-ubyte", idx_images(4));
  dir.file("t10k-labels-idx1-ubyte", idx_labels(4));
}

std::string load_error(const TempDir& dir) {
  return catch_data_error([&] { entry().load(dir.path(), {}); });
}

std::string error_with(const std::string& name, const std::string& content) {
  const TempDir dir;
  write_set(dir, 6);
  dir.file(name, content);
  return load_error(dir);
}

std::string images_error(const std::string& content) { return error_with("t10k-images-idx3-ubyte", content); }

std::string labels_error(const std::string& content) { return error_with("t10k-labels-idx1-ubyte", content); }

std::int64_t first_target(const Split& split) {
  std::int64_t target = 0;
  std::memcpy(&target, split.targets.bytes.data(), sizeof target);
  return target;
}

TEST_CASE("the real sample of Fashion-MNIST loads") {
  REQUIRE(entry().is_present(kFixture));
  const Dataset dataset = entry().load(kFixture, {});
  CHECK(dataset.spec == entry().spec);
  CHECK(dataset.train.inputs.shape == std::vector<std::int64_t>{54, 1, 28, 28});
  CHECK(dataset.validation.inputs.shape == std::vector<std::int64_t>{10, 1, 28, 28});
  CHECK(dataset.test.inputs.shape == std::vector<std::int64_t>{16, 1, 28, 28});
  CHECK(first_target(dataset.train) == 9);  // An ankle boot.
  CHECK(first_target(dataset.test) == 9);
}

TEST_CASE("a subset of Fashion-MNIST is not official") {
  const DatasetRecord record = entry().load(kFixture, {}).record;
  CHECK(record.name == "fashion-mnist");
  CHECK_FALSE(record.is_synthetic);
  CHECK(record.note == "64 of 60,000 training samples; 16 of 10,000 test samples; not the official files");
  REQUIRE(record.files.size() == 4);
  CHECK(record.files[0].name == "train-images-idx3-ubyte.gz");
  CHECK(record.files[0].provenance == "other");
  CHECK(record.files[0].sha256.size() == 64);
}

TEST_CASE("the last sixth of the training file is for validation") {
  const TempDir dir;
  write_set(dir, 20);
  const Dataset dataset = entry().load(dir.path(), {});
  CHECK(dataset.train.size() == 17);
  REQUIRE(dataset.validation.size() == 3);
  CHECK(dataset.train.inputs.bytes.front() == std::byte{0});
  CHECK(dataset.train.inputs.bytes.back() == std::byte{16});
  CHECK(dataset.validation.inputs.bytes.front() == std::byte{17});
  CHECK(dataset.validation.targets.shape.front() == 3);
  CHECK(first_target(dataset.validation) == 7);
}

TEST_CASE("unpacked files are read too, but published files take precedence") {
  const TempDir dir;
  write_set(dir, 6);
  CHECK(entry().is_present(dir.path()));
  dir.file("t10k-labels-idx1-ubyte.gz", gzip(idx_labels(4)));
  const DatasetRecord record = entry().load(dir.path(), {}).record;
  CHECK(record.files[2].name == "t10k-images-idx3-ubyte");
  CHECK(record.files[3].name == "t10k-labels-idx1-ubyte.gz");
}

TEST_CASE("different numbers of images and labels are refused") {
  CHECK_THAT(error_with("train-labels-idx1-ubyte", idx_labels(5)),
             contains_text("train-labels-idx1-ubyte has 5 labels for the 6 images of "
                           "train-images-idx3-ubyte"));
}

TEST_CASE("MNIST is read like Fashion-MNIST, with its own name and checksums") {
  const DatasetEntry& mnist = *datasets().find("mnist");
  CHECK(mnist.folder != entry().folder);
  CHECK(mnist.spec == entry().spec);
  const Dataset dataset = mnist.load(kFixture, {});
  CHECK(dataset.record.name == "mnist");
  CHECK(dataset.train.size() == 54);
  const TempDir dir;
  CHECK_THAT(catch_data_error([&] { mnist.load(dir.path(), {}); }),
             contains_text("train-images-idx3-ubyte.gz cannot be read: no such file"));
}

TEST_CASE("a truncated IDX file is refused with both sizes") {
  CHECK_THAT(images_error(idx_images(10).substr(0, 4'096)),
             contains_text("is truncated (4,096 of 7,856 bytes)"));
  CHECK_THAT(images_error(idx_images(10).substr(0, 15)),
             contains_text("is truncated (it ends within its header)"));
  CHECK_THAT(labels_error(idx_labels(10).substr(0, 17)), contains_text("is truncated (17 of 18 bytes)"));
}

TEST_CASE("truncated and corrupt compressed IDX files are refused") {
  const std::string whole = gzip(idx_labels(1'000));
  for (std::size_t size = 2; size < whole.size(); ++size)
    CHECK_THAT(labels_error(whole.substr(0, size)), contains_text("is truncated"));
  CHECK_THAT(images_error(gzip(idx_images(10).substr(0, 4'096))),
             contains_text("is truncated (4,096 of 7,856 bytes)"));
  std::string damaged = whole;
  damaged[damaged.size() - 8] ^= 1;  // A byte of the checksum.
  CHECK_THAT(labels_error(damaged), contains_text("is corrupt (invalid gzip data)"));
}

TEST_CASE("an IDX file with a wrong magic number is refused with both numbers") {
  CHECK_THAT(images_error(idx_labels(10)),
             contains_text("has the wrong magic number (0x00000801, not 0x00000803)"));
  CHECK_THAT(images_error("<html>not found</html>"), contains_text("wrong magic number (0x3c68746d"));
}

TEST_CASE("an IDX header with another image size or too many samples is refused") {
  CHECK_THAT(images_error(idx_images_header(1, 32) + std::string(32 * 32, '\0')),
             contains_text("has images of side 32, not 28"));
  CHECK_THAT(images_error(idx_images_header(4'294'967'295)),
             contains_text("declares 4,294,967,295 samples, but the maximum is 10,000"));
  CHECK_THAT(labels_error(big_endian(0x801) + big_endian(10'001)), contains_text("declares 10,001 samples"));
  CHECK_THAT(images_error(idx_images_header(0)), contains_text("has no samples"));
}

TEST_CASE("bytes after the last sample are refused, even if they are highly compressed") {
  CHECK_THAT(labels_error(idx_labels(10) + "x"), contains_text("has bytes after its last sample"));
  const std::string bomb = gzip(idx_images(1) + std::string(64'000'000, '\0'));
  CHECK_THAT(images_error(bomb), contains_text("has bytes after its last sample"));
}

TEST_CASE("a label out of range is refused with its sample") {
  std::string content = idx_labels(500);
  content[8 + 321] = 10;
  CHECK_THAT(labels_error(content), contains_text("has label 10 at sample 321, but labels are 0 to 9"));
}

}  // namespace
}  // namespace gpubench::test::mnist_test
