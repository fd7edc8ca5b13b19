#include "record/field_value.h"

namespace gpubench {

std::span<const Field<ToolRecord>> tool_fields() {
  using T = ToolRecord;
  static const std::vector<Field<T>> fields = {
      {"version", "", "gpubench", Shown::kInTable, member(&T::version)},
      {"git_commit", "", "commit", Shown::kInFile, member(&T::git_commit)},
      {"arguments", "", "arguments", Shown::kInFile, member(&T::arguments)},
      {"started_at", "", "started", Shown::kInFile, member(&T::started_at)},
      {"finished_at", "", "finished", Shown::kInFile, member(&T::finished_at)},
  };
  return fields;
}

std::span<const Field<PlanRecord>> plan_fields() {
  using P = PlanRecord;
  static const std::vector<Field<P>> fields = {
      {"suite", "", "suite", Shown::kInFile, member(&P::suite)},
      {"isolation", "", "isolation", Shown::kInFile, member(&P::isolation)},
      {"order_seed", "", "seed of the order", Shown::kInFile, member(&P::order_seed)},
      {"budget_seconds", "s", "budget", Shown::kInFile, member(&P::budget)},
  };
  return fields;
}

std::span<const Field<PublishedRecord>> published_fields() {
  using P = PublishedRecord;
  static const std::vector<Field<P>> fields = {
      {"title", "", "publication", Shown::kInFile, member(&P::title)},
      {"address", "", "address", Shown::kInFile, member(&P::address)},
      {"protocol", "", "protocol", Shown::kInFile, member(&P::protocol)},
      {"note", "", "note", Shown::kInFile, member(&P::note)},
  };
  return fields;
}

std::span<const Field<Environment>> environment_fields() {
  using E = Environment;
  static const std::vector<Field<E>> fields = {
      {"host", "", "host", Shown::kInTable, member(&E::host)},
      {"os", "", "operating system", Shown::kInTable, member(&E::os)},
      {"kernel", "", "kernel", Shown::kInFile, member(&E::kernel)},
      {"cpu", "", "CPU", Shown::kInTable, member(&E::cpu)},
      {"physical_cores", "", "physical cores", Shown::kInFile, member(&E::physical_cores)},
      {"logical_cores", "", "logical cores", Shown::kInFile, member(&E::logical_cores)},
      {"available_cores", "", "cores available", Shown::kInTable, member(&E::available_cores)},
      {"memory_bytes", "B", "memory", Shown::kInTable, member(&E::memory)},
      {"threads", "", "threads", Shown::kInTable, member(&E::threads)},
      {"libtorch_version", "", "LibTorch", Shown::kInTable, member(&E::libtorch_version)},
      {"libtorch_build", "", "LibTorch build", Shown::kInFile, member(&E::libtorch_build)},
      {"allocator", "", "allocator", Shown::kInFile, member(&E::allocator)},
      {"blas_note", "", "BLAS", Shown::kInFile, member(&E::blas_note)},
  };
  return fields;
}

std::span<const Field<DeviceRecord>> device_fields() {
  using D = DeviceRecord;
  static const std::vector<Field<D>> fields = {
      {"name", "", "device", Shown::kInTable, member(&D::name)},
      {"model", "", "model", Shown::kInTable, member(&D::model)},
      {"memory_bytes", "B", "memory", Shown::kInTable, member(&D::memory)},
      {"driver", "", "driver", Shown::kInTable, member(&D::driver)},
      {"architecture", "", "architecture", Shown::kInTable, member(&D::architecture)},
      {"peak_flops_per_second", "FLOP/s", "peak", Shown::kInFile, member(&D::peak_flops_per_second)},
      {"triad_bytes_per_second", "B/s", "triad", Shown::kInFile, member(&D::triad_bytes_per_second)},
      {"copy_bytes_per_second", "B/s", "copy", Shown::kInFile, member(&D::copy_bytes_per_second)},
      {"host_to_device_bytes_per_second", "B/s", "host to device", Shown::kInFile,
       member(&D::host_to_device_bytes_per_second)},
      {"launch_latency_seconds", "s", "launch latency", Shown::kInFile, member(&D::launch_latency)},
      {"graph_node_latency_seconds", "s", "latency in a graph", Shown::kInFile,
       member(&D::graph_node_latency)},
      {"peak_measured_at", "", "peak measured", Shown::kInFile, member(&D::peak_measured_at)},
      {"calibration_seconds", "s", "calibration", Shown::kInFile, member(&D::calibration_seconds)},
  };
  return fields;
}

std::span<const Field<DatasetRecord>> dataset_fields() {
  using D = DatasetRecord;
  static const std::vector<Field<D>> fields = {
      {"name", "", "dataset", Shown::kInTable, member(&D::name)},
      {"synthetic", "", "synthetic", Shown::kInTable, member(&D::is_synthetic)},
      {"note", "", "note", Shown::kInTable, member(&D::note)},
  };
  return fields;
}

std::span<const Field<DataFileRecord>> data_file_fields() {
  using F = DataFileRecord;
  static const std::vector<Field<F>> fields = {
      {"name", "", "file", Shown::kInFile, member(&F::name)},
      {"size_bytes", "B", "size", Shown::kInFile, member(&F::size)},
      {"sha256", "", "SHA-256", Shown::kInFile, member(&F::sha256)},
      {"provenance", "", "provenance", Shown::kInFile, member(&F::provenance)},
  };
  return fields;
}

}  // namespace gpubench
