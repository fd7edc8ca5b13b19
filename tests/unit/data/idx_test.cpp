#include "data/decode/idx.h"

#include <cstring>

#include "files.h"

namespace gpubench::test::idx_test {
namespace {

constexpr std::int64_t kMaxCount = 1'000;

RawFile find_file(const std::string& content) {
  RawFile file{"folder/images", std::vector<std::byte>(content.size())};
  std::memcpy(file.bytes.data(), content.data(), content.size());
  return file;
}

HostArray build_images(const std::string& content) { return read_idx_images(find_file(content), kMaxCount); }

HostArray list_labels(const std::string& content) { return read_idx_labels(find_file(content), kMaxCount); }

std::string images_error(const std::string& content) {
  return catch_data_error([&] { build_images(content); });
}

std::string labels_error(const std::string& content) {
  return catch_data_error([&] { list_labels(content); });
}

TEST_CASE("images are read in order, plain and compressed alike") {
  for (const std::string& content : {idx_images(7), gzip(idx_images(7))}) {
    const HostArray images = build_images(content);
    CHECK(images.type == ElementType::kUint8);
    CHECK(images.shape == std::vector<std::int64_t>{7, 1, 28, 28});
    REQUIRE(images.bytes.size() == 7 * 28 * 28);
    CHECK(images.bytes.front() == std::byte{0});
    CHECK(images.bytes.back() == std::byte{6});
  }
}

TEST_CASE("labels become 64-bit class indices") {
  const HostArray labels = list_labels(gzip(idx_labels(12)));
  CHECK(labels.type == ElementType::kInt64);
  CHECK(labels.shape == std::vector<std::int64_t>{12});
  std::vector<std::int64_t> values(12);
  REQUIRE(labels.bytes.size() == values.size() * sizeof(std::int64_t));
  std::memcpy(values.data(), labels.bytes.data(), labels.bytes.size());
  CHECK(values == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1});
}

TEST_CASE("a plain file that ends early is truncated, with both sizes") {
  CHECK_THAT(images_error(idx_images(10).substr(0, 4'096)),
             contains_text("is truncated (4,096 of 7,856 bytes)"));
  CHECK_THAT(images_error(idx_images(10).substr(0, 15)),
             contains_text("is truncated (it ends within its header)"));
  CHECK_THAT(labels_error(idx_labels(10).substr(0, 17)), contains_text("is truncated (17 of 18 bytes)"));
}

TEST_CASE("a compressed file that ends early is truncated wherever it ends") {
  const std::string whole = gzip(idx_labels(1'000));
  for (std::size_t size = 2; size < whole.size(); ++size) {
    CHECK_THAT(labels_error(whole.substr(0, size)), contains_text("is truncated"));
  }
  CHECK_THAT(images_error(gzip(idx_images(10).substr(0, 4'096))),
             contains_text("is truncated (4,096 of 7,856 bytes)"));
}

TEST_CASE("damaged compressed data is called corrupt") {
  std::string damaged = gzip(idx_labels(1'000));
  damaged[damaged.size() - 8] ^= 1;  // of the checksum
  CHECK_THAT(labels_error(damaged), contains_text("is corrupt (gzip: incorrect data check)"));
  CHECK_THAT(labels_error(gzip(idx_labels(10)) + "garbage"), contains_text("is corrupt (gzip: "));
}

TEST_CASE("a file with the wrong magic number says which it has") {
  CHECK_THAT(images_error(idx_labels(10)),
             contains_text("has the wrong magic number (0x00000801, not 0x00000803)"));
  CHECK_THAT(labels_error(idx_images(10)),
             contains_text("has the wrong magic number (0x00000803, not 0x00000801)"));
  CHECK_THAT(images_error("<html>not found</html>"), contains_text("wrong magic number (0x3c68746d"));
}

TEST_CASE("images of another geometry are rejected") {
  CHECK_THAT(images_error(idx_images_header(1, 32) + std::string(32 * 32, '\0')),
             contains_text("has a side of 32, not 28"));
}

TEST_CASE("a header that claims too much is refused") {
  CHECK_THAT(images_error(idx_images_header(4'294'967'295)),
             contains_text("claims 4,294,967,295 samples, of which there are at most 1,000"));
  CHECK_THAT(labels_error(big_endian(0x801) + big_endian(1'001)), contains_text("claims 1,001 samples"));
  CHECK_THAT(images_error(idx_images_header(0)), contains_text("holds no samples"));
}

TEST_CASE("bytes after the last sample are refused, also where few bytes unpack to many") {
  CHECK_THAT(labels_error(idx_labels(10) + "x"), contains_text("has bytes after its last sample"));
  const std::string bomb = gzip(idx_images(1) + std::string(64'000'000, '\0'));
  CHECK_THAT(images_error(bomb), contains_text("has bytes after its last sample"));
}

TEST_CASE("a label out of range is named with its sample") {
  std::string content = idx_labels(500);
  content[8 + 321] = 10;
  CHECK_THAT(labels_error(content), contains_text("has label 10 at sample 321, where labels are 0 to 9"));
}

}  // namespace
}  // namespace gpubench::test::idx_test
