#include "engine/isolation/isolated_executor.h"

#include "support/catch.h"

namespace gpubench::test::shared_dataset_test {
namespace {

const DataSpec kSpec{Task::kClassification, {1, 3, 5}, 10};

std::vector<std::byte> count_bytes(const HostArray& array) {
  return {array.data().begin(), array.data().end()};
}

void check_same(const HostArray& a, const HostArray& b) {
  CHECK(a.type == b.type);
  CHECK(a.shape == b.shape);
  CHECK(count_bytes(a) == count_bytes(b));
}

void check_same(const Split& a, const Split& b) {
  check_same(a.inputs, b.inputs);
  check_same(a.targets, b.targets);
}

}  // namespace

TEST_CASE("a mapped dataset has the same bytes as the shared one") {
  // Odd sizes, so that arrays end between alignment boundaries.
  const Dataset dataset = make_synthetic(kSpec, {7, 3, 1}, 5);
  const SharedDataset shared(dataset);
  const Json layout = Json::parse(json_text(shared.layout));
  const MappedDataset mapped(layout, kSpec);
  check_same(mapped.dataset.train, dataset.train);
  check_same(mapped.dataset.validation, dataset.validation);
  check_same(mapped.dataset.test, dataset.test);
  CHECK(mapped.dataset.spec == kSpec);
  CHECK(mapped.dataset.record.name == dataset.record.name);
  CHECK(mapped.dataset.record.is_synthetic);
}

TEST_CASE("mapped targets are aligned for 64-bit numbers") {
  const SharedDataset shared(make_synthetic(kSpec, {7, 3, 1}, 5));
  const MappedDataset mapped(shared.layout, kSpec);
  for (const Split* split : {&mapped.dataset.train, &mapped.dataset.validation, &mapped.dataset.test}) {
    CHECK(reinterpret_cast<std::uintptr_t>(split->targets.data().data()) % alignof(std::int64_t) == 0);
  }
}

TEST_CASE("a shared dataset outlives the dataset that it was copied from") {
  auto dataset = std::make_unique<Dataset>(make_synthetic(kSpec, {4, 0, 2}, 1));
  const auto bytes = count_bytes(dataset->train.inputs);
  const SharedDataset shared(*dataset);
  dataset.reset();
  CHECK(count_bytes(MappedDataset(shared.layout, kSpec).dataset.train.inputs) == bytes);
}

}  // namespace gpubench::test::shared_dataset_test
