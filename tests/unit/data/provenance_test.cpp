#include "data/fetch/fetch.h"

#include "files.h"
#include "gpubench/core/io/digest.h"

namespace gpubench::test::provenance_test {
namespace {

std::span<const std::byte> count_bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

Split make_split(std::int64_t count) { return {{ElementType::kUint8, {count, 1}, {}}, {}}; }

/// Returns a dataset whose files have these provenances.
Dataset find_dataset(std::int64_t training, std::int64_t test, std::vector<std::string> provenances) {
  Dataset dataset;
  dataset.train = make_split(training);
  dataset.test = make_split(test);
  for (const std::string& provenance : provenances) {
    const std::string name = "file" + std::to_string(dataset.record.files.size());
    dataset.record.files.push_back({name, Bytes{1}, "", provenance});
  }
  return dataset;
}

TEST_CASE("checksums match the test vectors of the standards") {
  CHECK(md5(count_bytes("abc")) == "900150983cd24fb0d6963f7d28e17f72");
  CHECK(sha256(count_bytes("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256(std::span<const std::byte>()) ==
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_CASE("the note lists differences from the official data, and is empty for official data") {
  const SplitSizes official{50'000, 0, 10'000};
  CHECK(provenance_note(find_dataset(50'000, 10'000, {"official", "official"}), official).empty());
  CHECK(provenance_note(find_dataset(7'500, 1'500, {"other", "other"}), official) ==
        "7,500 of 50,000 training samples; 1,500 of 10,000 test samples; not the official files");
  CHECK(provenance_note(find_dataset(50'000, 10'000, {"official", "other", "unverified"}), official) ==
        "not official: file1, file2");
}

}  // namespace
}  // namespace gpubench::test::provenance_test
