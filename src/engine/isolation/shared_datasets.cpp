#include "engine/isolation/shared_datasets.h"

#include "engine/isolation/shared_dataset.h"

namespace gpubench {

SharedDatasets::SharedDatasets() = default;
SharedDatasets::~SharedDatasets() = default;

void SharedDatasets::add(const Dataset& dataset) {
  datasets_[dataset.record.name] = std::make_unique<SharedDataset>(dataset);
}

}  // namespace gpubench
