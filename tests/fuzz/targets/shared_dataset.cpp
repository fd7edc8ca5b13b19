// The layout of a dataset in shared memory, as a worker is handed it.

#include "engine/isolation/shared_datasets.h"
#include "fuzz/target.h"
#include "record/document/document_file.h"

namespace gpubench::fuzz {
namespace {

const DataSpec kSpec{Task::kClassification, {1, 3, 5}, 10};

const SharedDataset& shared() {
  static const SharedDataset shared(make_synthetic(kSpec, {7, 3, 1}, 5));
  return shared;
}

/// Every byte is there, where a wrong one ends the process.
void touch(const HostArray& array) {
  std::size_t sum = 0;
  for (const std::byte byte : array.data()) sum += std::to_integer<std::size_t>(byte);
  require(sum <= array.data().size() * 255, "bytes can be read");
}

void read(std::string_view input) {
  accepts([&] {
    Json layout = parse_document(input);
    // The descriptor is one that the supervisor opened.
    if (layout.is_object()) layout["descriptor"] = shared().memory.get();
    const MappedDataset mapped(layout, kSpec);
    for (const Split* split : {&mapped.dataset.train, &mapped.dataset.validation, &mapped.dataset.test}) {
      touch(split->inputs);
      touch(split->targets);
    }
  });
}

}  // namespace

Target entry_shared_dataset() { return {Shape::kJson, read}; }

}  // namespace gpubench::fuzz
