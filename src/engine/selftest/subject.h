#pragma once
// What selftest checks: the parts of gpubench that make its figures, each of which a fake can stand for.

#include <functional>
#include <memory>

#include <ATen/core/Tensor.h>

#include "engine/api/case_monitor.h"
#include "engine/api/selftest.h"
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

/// All times are by `clock`. References outlive it.
struct Subject {
  Device& device;
  const Clock& clock;
  SelftestMeans means;
  Catalog<ModelEntry> models;

  /// Lets time pass.
  std::function<void(Seconds)> wait;

  /// As the function of the same name in runner.h; on the device, or on one that stands before it.
  std::function<CaseRecord(const Case& c, const Dataset& dataset, Device& device)> run_case;

  /// The same of run_pilot(), for the least that it does.
  std::function<Pilot(const Case& c, const Dataset& dataset, Device& device)> run_pilot;

  /// Products, dropout and normally distributed numbers as trainings have them, on the device.
  std::function<at::Tensor(const at::Tensor& a, const at::Tensor& b, bool allows_tf32)> product;
  std::function<at::Tensor(const at::Tensor& values, double probability)> dropout;
  std::function<at::Tensor(std::int64_t count)> noise;

  /// Work whose unit takes some milliseconds.
  std::function<KnownWork()> make_work;

  /// Memory of the device that has been written to, as long as what is returned lives.
  std::function<std::shared_ptr<void>(Bytes size)> allocate;
  /// Memory of the host that this process has now.
  std::function<Bytes()> resident;

  /// The device with a roof that was measured now.
  std::function<DeviceRecord()> measure_roof;
};

/// The device as gpubench uses it.
Subject real_subject(Device& device, const Clock& clock, const SelftestMeans& means);

}  // namespace gpubench
