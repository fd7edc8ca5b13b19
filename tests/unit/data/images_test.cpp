#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "gpubench/core/collect.h"
#include "gpubench/dataset.h"
#include "pictures.h"
#include "support/scoped_variable.h"
#include "support/temp_dir.h"

namespace gpubench::test::images_test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kImageBytes = 3 * 64 * 64;

const DatasetEntry& entry() { return *datasets().find("images"); }

/// Returns a PNG file with one grey level, which identifies it.
std::string image(int level) {
  const auto grey = static_cast<std::uint8_t>(level);
  return png_file(plain_picture(70, 80, grey, grey, grey));
}

Dataset load(const TempDir& dir) {
  const ScopedVariable cache("XDG_CACHE_HOME", (dir.path() / "cache").string());
  return entry().load(dir.path() / "images", entry().spec);
}

std::string load_error(const TempDir& dir) {
  return catch_data_error([&] { load(dir); });
}

std::vector<int> make_levels(const Split& split) {
  std::vector<int> levels;
  for (std::size_t i = 0; i < split.inputs.bytes.size(); i += kImageBytes) {
    levels.push_back(std::to_integer<int>(split.inputs.bytes[i]));
  }
  return levels;
}

TEST_CASE("images in subfolders are sorted by name, and every tenth is a test image") {
  const TempDir dir;
  for (int i = 0; i < 21; ++i) {
    const std::string folder = i < 10 ? "images/a/b/" : "images/c/";
    dir.file(folder + static_cast<char>('a' + i) + ".png", image(i));
  }
  const Dataset dataset = load(dir);
  CHECK(dataset.spec == entry().spec);
  CHECK(dataset.train.inputs.shape == std::vector<std::int64_t>{19, 3, 64, 64});
  CHECK(dataset.train.inputs.bytes.size() == 19 * kImageBytes);
  CHECK(make_levels(dataset.train) ==
        std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20});
  CHECK(make_levels(dataset.test) == std::vector<int>{9, 19});
  CHECK(dataset.test.targets.shape == std::vector<std::int64_t>{2});
  CHECK(dataset.train.targets.bytes == std::vector<std::byte>(19 * sizeof(std::int64_t)));
  CHECK(dataset.validation.size() == 0);
}

TEST_CASE("the record has the number of images and of skipped files") {
  const TempDir dir;
  dir.file("images/a.jpg", jpeg_file(plain_picture(100, 90, 10, 20, 30)));
  dir.file("images/b\n.txt", "notes");
  dir.file("images/c.png", image(3).substr(0, 60));
  dir.file("images/d.png", "");
  dir.file("images/.hidden/e.png", "a thumbnail");
  const DatasetRecord record = load(dir).record;
  CHECK_THAT(record.note, contains_text("1 user images; 2 of 3 pictures skipped, the first is c.png: "));
  REQUIRE(record.files.size() == 1);
  CHECK(record.files[0].provenance == "unverified");
  CHECK(record.files[0].size == Bytes{kImageBytes});
  CHECK(load(dir).record.note == record.note);  // From the cache.
}

TEST_CASE("resized images are cached until a file is added, removed or changed") {
  const TempDir dir;
  dir.file("images/a.png", image(1));
  const fs::path second = dir.file("images/b.png", image(2));
  CHECK(make_levels(load(dir).train) == std::vector<int>{1, 2});

  // With the same size and time, so that the cache still matches.
  const auto time = fs::last_write_time(second);
  std::string other = image(2);
  other[other.size() / 2] ^= 1;
  dir.file("images/b.png", other);
  fs::last_write_time(second, time);
  CHECK(make_levels(load(dir).train) == std::vector<int>{1, 2});
  fs::last_write_time(second, time + std::chrono::seconds(5));
  CHECK(make_levels(load(dir).train) == std::vector<int>{1});

  dir.file("images/c.png", image(3));
  CHECK(make_levels(load(dir).train) == std::vector<int>{1, 3});
  fs::remove(dir.path() / "images/a.png");
  CHECK(make_levels(load(dir).train) == std::vector<int>{3});
}

TEST_CASE("a truncated cache file is replaced") {
  const TempDir dir;
  dir.file("images/a.png", image(1));
  load(dir);
  for (const auto& entry : fs::recursive_directory_iterator(dir.path() / "cache")) {
    if (entry.is_regular_file()) fs::resize_file(entry.path(), entry.file_size() - 1);
  }
  CHECK(make_levels(load(dir).train) == std::vector<int>{1});
}

TEST_CASE("images take the side of the model, and their class from the first subfolder") {
  const TempDir dir;
  const ScopedVariable cache("XDG_CACHE_HOME", (dir.path() / "cache").string());
  dir.file("photos/cat-big/one.png", image(1));
  dir.file("photos/cat/deep/two.png", image(2));
  dir.file("photos/cat/broken.png", image(3).substr(0, 60));
  dir.file("photos/dog/three.png", image(3));
  dir.file("photos/unsorted.png", image(4));
  const DataSpec wanted{Task::kClassification, {3, 224, 224}, 3};
  REQUIRE(entry().spec_for(wanted) == wanted);
  for (int i = 0; i < 2; ++i) {  // The second time from the cache.
    const Dataset dataset = entry().load(dir.path() / "photos", wanted);
    CHECK(dataset.train.inputs.shape == std::vector<std::int64_t>{3, 3, 224, 224});
    CHECK(dataset.train.inputs.bytes.size() == std::size_t{3 * 3 * 224 * 224});
    CHECK(dataset.train.targets.bytes == to_bytes(std::vector<std::int64_t>{1, 0, 2}));  // cat-big, cat, dog.
    CHECK_THAT(dataset.record.note, contains_text("3 user images in 3 classes; 1 of 4 pictures skipped"));
  }
  CHECK(entry().load(dir.path() / "photos", {Task::kImages, {3, 8, 8}, 0}).train.size() == 4);
}

TEST_CASE("classes that the model lacks are refused with the remedy") {
  const TempDir dir;
  const auto refusal = [&] {
    return catch_data_error([&] {
      entry().load(dir.path() / "images", {Task::kClassification, {3, 32, 32}, 2});
    });
  };
  dir.file("images/a.png", image(1));
  CHECK_THAT(refusal(), contains_text("has no subfolders with pictures; make a subfolder for each class"));
  for (const char* name : {"a", "b", "c"}) dir.file(std::string("images/") + name + "/a.png", image(1));
  CHECK_THAT(refusal(), contains_text("has 3 subfolders, but the model has 2 classes"));
}

TEST_CASE("only square color images of 8 to 1,024 pixels a side can be made") {
  const DataSpec other[] = {{Task::kClassification, {1, 28, 28}, 10},
                            {Task::kClassification, {3, 28, 32}, 10},
                            {Task::kImages, {3, 7, 7}, 0},
                            {Task::kImages, {3, 1025, 1025}, 0},
                            {Task::kPairs, {6, 32, 32}, 2},
                            {Task::kLanguage, {3}, 10}};
  for (const DataSpec& wanted : other) CHECK_FALSE(can_feed(entry().spec_for(wanted), wanted));
}

TEST_CASE("a folder without images is refused with the remedy") {
  const TempDir dir;
  CHECK_FALSE(entry().is_present(dir.path() / "images"));
  CHECK_THAT(load_error(dir),
             contains_text("cannot be read: No such file or directory; put JPEG or PNG files"));
  fs::create_directory(dir.path() / "images");
  CHECK_FALSE(entry().is_present(dir.path() / "images"));
  dir.file("images/a.txt", "notes");
  CHECK(load_error(dir) ==
        (dir.path() / "images").string() + " has no pictures; put JPEG or PNG files into it");
  dir.file("images/a.png", "");
  CHECK(entry().is_present(dir.path() / "images"));
  CHECK_THAT(load_error(dir),
             contains_text("images has no readable pictures (1 of 1 pictures skipped, the first is a.png"));
}

TEST_CASE("pipes and broken links among the images are ignored") {
  const TempDir dir;
  dir.file("images/a.png", image(1));
  REQUIRE(mkfifo((dir.path() / "images/b.png").c_str(), 0600) == 0);
  fs::create_symlink("nowhere", dir.path() / "images/c.png");
  fs::create_directory_symlink(dir.path(), dir.path() / "images/loop");
  CHECK(load(dir).record.note == "1 user images");
}

TEST_CASE("fetching a dataset of user files names the folder for them") {
  const TempDir dir;
  const auto fetch = [&] { fetch_dataset(entry(), dir.path(), {}); };
  CHECK_THAT(catch_data_error(fetch), contains_text("images: cannot be downloaded"));
  CHECK_THAT(catch_data_error(fetch), contains_text("put files into " + (dir.path() / "images").string()));
  dir.file("images/a.png", image(1));
  fetch();
}

}  // namespace
}  // namespace gpubench::test::images_test
