#pragma once
// Checks of selftest: device under test, catalog and result rows.

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "engine/api/engine.h"
#include "engine/plan/plan.h"
#include "gpubench/device.h"
#include "gpubench/model_catalog.h"
#include "gpubench/record/machine_records.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Work of a known amount.
struct KnownWork {
  std::function<void(std::int64_t units)> queue;  ///< Queues units of work without waiting for the device.
  std::function<void()> read_back;                ///< Reads a result, which waits for the work.
};

/// Device under test. Tests override members to plant faults. The references must outlive it.
class Subject {
 public:
  Subject(Device& its_device, const Clock& its_clock, SelftestMeans its_means)
      : device(its_device), clock(its_clock), means(std::move(its_means)) {}
  virtual ~Subject() = default;

  c10::Device place() const { return c10::Device(device.name()); }

  virtual CaseRecord run_case(const Case& c, const Dataset& dataset);
  virtual at::Tensor product(const at::Tensor& a, const at::Tensor& b, bool allows_tf32);
  /// Returns work of about 10 ms per unit.
  virtual KnownWork make_work();
  /// Allocates device memory and writes to it.
  virtual std::shared_ptr<void> allocate(Bytes size);
  virtual DeviceRecord measure_trial_peak();

  Device& device;
  const Clock& clock;
  SelftestMeans means;
  Catalog<ModelEntry> models = gpubench::models();
};

using CheckRows = std::vector<CheckRow>;

/// A check. Implementations live in src/workloads/selftest/checks.
struct CheckEntry : CheckInfo {
  /// Returns rows without device, name, claim and duration, which run_check() adds.
  CheckRows (*run)(Subject& subject);
};

/// Returns all checks, in the order of src/workloads/selftest/checks/catalog.def.
const Catalog<CheckEntry>& checks();

/// Runs a check and returns its rows. An exception of the check becomes a failed row.
CheckRows run_check(const CheckEntry& check, Subject& subject);

// Rows of a check. `what` is the subject; empty if the check has only one.

CheckRow failed(const std::string& what, const std::string& message);
CheckRow unchecked(const std::string& what, const std::string& why);
CheckRow decided(const std::string& what, bool is_true, const std::string& message);
/// Returns a row that passes if `deviation` is at most `tolerance`, and fails for NaN.
CheckRow compared(const std::string& what, double deviation, double tolerance, const std::string& message);

inline double relative_difference(double found, double expected) {
  return std::abs(found - expected) / std::abs(expected);
}

/// Training on synthetic data. By default all samples are one batch, so their order affects rounding only.
struct SmallTraining {
  std::string model;
  TrainingMode mode{.execution = Execution::kEager, .layout = Layout::kNchw};
  std::int64_t samples = 32;
  std::int64_t batch_size = 32;
  std::int64_t epochs = 5;
  std::int64_t seed = 1;
};

CaseRecord train(Subject& subject, const SmallTraining& training);

/// Returns the loss of each epoch. Throws a device Error with the row's reason if the training failed.
std::vector<double> list_losses(const CaseRecord& record);

/// Returns the largest relative difference; infinite for unequal lengths or values that are not finite.
double largest_difference(const std::vector<double>& found, const std::vector<double>& expected);

/// Runs a training and compares its losses with `expected`; unchecked if its mode is unsupported.
CheckRow compared_losses(Subject& subject, const std::string& what, const SmallTraining& training,
                         const std::vector<double>& expected, double tolerance);

}  // namespace gpubench
