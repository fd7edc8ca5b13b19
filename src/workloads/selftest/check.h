#pragma once
// Checks of selftest: what they measure, the catalog, and the rows that they return.

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

struct KnownWork {
  std::function<void(std::int64_t units)> queue;  ///< Does not wait for the device.
  std::function<void()> read_back;                ///< Reads a result: returns when the work is done.
};

/// Device under test; times are by `clock`. Tests override members to plant faults. References outlive it.
class Subject {
 public:
  Subject(Device& its_device, const Clock& its_clock, SelftestMeans its_means)
      : device(its_device), clock(its_clock), means(std::move(its_means)) {}
  virtual ~Subject() = default;

  c10::Device place() const { return c10::Device(device.name()); }

  virtual CaseRecord run_case(const Case& c, const Dataset& dataset);
  virtual at::Tensor product(const at::Tensor& a, const at::Tensor& b, bool allows_tf32);
  /// Returns work whose unit takes some milliseconds.
  virtual KnownWork make_work();
  /// Returns memory of the device that has been written to.
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
  /// Returns the rows without device, name, claim and time. An exception becomes a failed row.
  CheckRows (*run)(Subject& subject);
};

/// All checks, in the order of src/workloads/selftest/checks/catalog.def.
const Catalog<CheckEntry>& checks();

/// Returns the rows of a check. Never throws for what goes wrong in it.
CheckRows run_check(const CheckEntry& check, Subject& subject);

// Results of a check of `what`, which is empty if the check has one subject only.

CheckRow failed(const std::string& what, const std::string& message);
CheckRow unchecked(const std::string& what, const std::string& why);
CheckRow decided(const std::string& what, bool is_true, const std::string& message);
/// Passes if `deviation` is a number of at most `tolerance`.
CheckRow compared(const std::string& what, double deviation, double tolerance, const std::string& message);

inline double relative_difference(double found, double expected) {
  return std::abs(found - expected) / std::abs(expected);
}

/// Synthetic training. With one batch of samples, the order of samples changes nothing but rounding.
struct SmallTraining {
  std::string model;
  TrainingMode mode{.execution = Execution::kEager, .layout = Layout::kNchw};
  std::int64_t samples = 32;
  std::int64_t batch_size = 32;
  std::int64_t epochs = 5;
  std::int64_t seed = 1;
};

CaseRecord train(Subject& subject, const SmallTraining& training);

/// Returns the loss of each epoch. Throws a device Error, with the row's reason, if the training failed.
std::vector<double> list_losses(const CaseRecord& record);

/// Returns the largest relative difference; infinite for unequal lengths or values that are not finite.
double largest_difference(const std::vector<double>& found, const std::vector<double>& expected);

/// Compares the losses of a training with those of another one; unchecked if its mode is unsupported.
CheckRow compared_losses(Subject& subject, const std::string& what, const SmallTraining& training,
                         const std::vector<double>& expected, double tolerance);

}  // namespace gpubench
