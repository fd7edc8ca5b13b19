#pragma once
// What `gpubench list` shows, gathered before it is printed.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/plan/op_work.h"
#include "gpubench/dataset.h"
#include "gpubench/model_catalog.h"
#include "gpubench/power_meter.h"
#include "gpubench/record/environment.h"

namespace gpubench {

/// A model with its counted cost.
struct ModelFacts {
  const ModelEntry* entry;
  std::string dataset;  ///< The one that `--dataset auto` picks.
  std::int64_t parameters;
  std::int64_t forward_macs;
};

/// A dataset and whether it is here.
struct DatasetFacts {
  const DatasetEntry* entry;
  std::string folder;
  bool is_present;
};

/// A kind of device and the devices of it, or why there are none.
struct DeviceFacts {
  std::string kind;
  std::string summary;
  std::vector<DeviceRecord> devices;
  std::string why_not;
};

/// Something whose power can be read here.
struct MeterSource {
  PowerSourceFacts facts;
  std::string quantity;  ///< "energy counter, instantaneous power".
};

/// A power meter and what it finds, or why that is nothing.
struct MeterFacts {
  const MeterEntry* entry;
  std::vector<MeterSource> sources;
  std::string why_not;
};

std::vector<ModelFacts> model_facts();
/// Returns the remedy for a missing dataset.
std::string dataset_remedy(const DatasetEntry& entry, const std::string& folder);
std::vector<DatasetFacts> dataset_facts(const std::string& data_dir);
std::vector<DeviceFacts> device_facts();
std::vector<MeterFacts> meter_facts();
std::vector<OpInfo> op_facts();

}  // namespace gpubench
