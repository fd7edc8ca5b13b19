#pragma once
// What the checks of selftest measure, and how they measure it.

#include <functional>
#include <memory>
#include <utility>

#include <ATen/core/Tensor.h>

#include "engine/api/engine.h"
#include "engine/plan/plan.h"
#include "gpubench/core/catalog.h"
#include "gpubench/device.h"
#include "gpubench/model_catalog.h"

namespace gpubench {

/// Work of a known size.
struct KnownWork {
  std::function<void(std::int64_t units)> queue;  ///< Does not wait for the device.
  std::function<void()> read_back;                ///< Reads a result: returns when the work is done.
};

/// A device as gpubench uses it; all times are by `clock`. Tests override members to plant faults. References
/// outlive it.
class Subject {
 public:
  Subject(Device& its_device, const Clock& its_clock, SelftestMeans its_means)
      : device(its_device), clock(its_clock), means(std::move(its_means)) {}
  virtual ~Subject() = default;

  c10::Device place() const { return c10::Device(device.name()); }

  virtual CaseRecord run_case(const Case& c, const Dataset& dataset);

  /// Multiplies matrices as trainings do.
  virtual at::Tensor product(const at::Tensor& a, const at::Tensor& b, bool allows_tf32);

  /// Returns work whose unit takes some milliseconds.
  virtual KnownWork make_work();

  /// Returns memory of the device that has been written to.
  virtual std::shared_ptr<void> allocate(Bytes size);

  /// Measures the peak rates of the device.
  virtual DeviceRecord measure_roof();

  Device& device;
  const Clock& clock;
  SelftestMeans means;
  Catalog<ModelEntry> models = gpubench::models();
};

}  // namespace gpubench
