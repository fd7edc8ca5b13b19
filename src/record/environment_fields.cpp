#include "record/field_value.h"

namespace gpubench {
namespace {

constexpr const char* kVisibleDevices = "Variables that hide or renumber GPUs; `none` if unset.";
constexpr const char* kUtc = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$";

}  // namespace

const FieldTable<ToolRecord>& tool_fields() {
  using T = ToolRecord;
  static const FieldTable<T> fields({
      {"run_id", "", "run", "Random identifier of the run, 32 hexadecimal digits.",
       member(&T::run_id).like("^[0-9a-f]{32}$").own_word()},
      {"version", "", "gpubench", kInTable, "Version of gpubench.",
       member(&T::version).at_least(1).own_word()},
      {"git_commit", "", "commit", "Commit of the build.", member(&T::git_commit).own_word()},
      {"arguments", "", "arguments", "Command-line arguments.", member(&T::arguments)},
      {"started_at", "", "started", "Start of the run, UTC.", member(&T::started_at).like(kUtc).own_word()},
      {"finished_at", "", "finished", "End of the run, UTC; null if interrupted.",
       member(&T::finished_at).like(kUtc).own_word()},
  });
  return fields;
}

const FieldTable<PlanRecord>& plan_fields() {
  using P = PlanRecord;
  static const FieldTable<P> fields({
      {"kind", "", "kind", "Kind of plan: `training`, `table`, `matrix`, `sweep` or `net`.",
       member(&P::kind).one_of({"training", "table", "matrix", "sweep", "net"})},
      {"suite", "", "suite", "Suite or set of sizes; empty for a plan from options.", member(&P::suite)},
      {"order_seed", "", "seed of the order", "Seed of the order of repeats.",
       member(&P::order_seed).of_any_sign()},
      {"budget_seconds", "s", "budget", "Time budget; null if unlimited.", member(&P::budget)},
      {"interleaved_run", "", "interleaved run", "Identifier of an interleaved run, equal for all variants.",
       member(&P::interleaved_run).own_word().optional()},
      {"variant", "", "variant", "Variant in an interleaved run: `A`, `B`, ...",
       member(&P::variant).own_word().optional()},
  });
  return fields;
}

const FieldTable<PublishedRecord>& published_fields() {
  using P = PublishedRecord;
  static const FieldTable<P> fields({
      {"title", "", "publication", "Subject and publication.", member(&P::title).at_least(1)},
      {"address", "", "address", "URL of the publication.", member(&P::address)},
      {"protocol", "", "protocol", "Description of the measurement.", member(&P::protocol).at_least(1)},
      {"note", "", "note", "Cautions for comparisons, and values added by gpubench.",
       member(&P::note).at_least(1)},
  });
  return fields;
}

const FieldTable<Environment>& environment_fields() {
  using E = Environment;
  static const FieldTable<E> fields({
      {"host", "", "host", kInTable, "Host name; empty if anonymized.", member(&E::host)},
      {"os", "", "operating system", kInTable, "Operating system and version.", member(&E::os).own_word()},
      {"kernel", "", "kernel", "Kernel name, release and machine type.", member(&E::kernel).own_word()},
      {"cpu", "", "CPU", kInTable, "CPU model.", member(&E::cpu).own_word()},
      {"physical_cores", "", "physical cores", "Physical cores of the machine.", member(&E::physical_cores)},
      {"logical_cores", "", "logical cores", "Logical cores of the machine.", member(&E::logical_cores)},
      {"available_cores", "", "available cores", kInTable, "Cores that affinity and cgroup quota allow.",
       member(&E::available_cores).at_least(0)},
      {"memory_bytes", "B", "memory", kInTable, "Main memory.", member(&E::memory)},
      {"threads", "", "threads", kInTable, "Intra-op threads of LibTorch.", member(&E::threads).at_least(1)},
      {"threads_note", "", "threads note", "Reason for fewer threads than cores; else empty.",
       member(&E::threads_note)},
      {"thread_variables", "", "thread variables", kInTable,
       "OpenMP variables that are set, such as `OMP_PROC_BIND=close`.", member(&E::thread_variables)},
      {"wait_policy", "", "wait policy", kInTable,
       "Wait policy of OpenMP threads; see [training.md](training.md).", member(&E::wait_policy)},
      {"libtorch_version", "", "LibTorch", kInTable, "Version of LibTorch.",
       member(&E::libtorch_version).own_word()},
      {"libtorch_build", "", "LibTorch build", "Libraries in the LibTorch build.",
       member(&E::libtorch_build).own_word()},
      {"allocator", "", "allocator", "Host allocator: `tuned` (glibc thresholds raised) or `system`.",
       member(&E::allocator).own_word()},
      {"blas_note", "", "BLAS note", "Change to BLAS threads that conflict with LibTorch.",
       member(&E::blas_note)},
      {"governor", "", "CPU governor", "CPU frequency governor; several if mixed.",
       member(&E::governor).own_word()},
      {"visible_devices", "", "visible devices", kVisibleDevices, member(&E::visible_devices)},
  });
  return fields;
}

const FieldTable<DeviceRecord>& device_fields() {
  using D = DeviceRecord;
  static const FieldTable<D> fields({
      {"name", "", "device", kInTable, "Device name on the command line.",
       member(&D::name).at_least(1).own_word()},
      {"model", "", "model", kInTable, "Product name.", member(&D::model).own_word()},
      {"memory_bytes", "B", "memory", kInTable, "Device memory; host memory for `cpu`.", member(&D::memory)},
      {"driver", "", "driver", kInTable, "Driver version.", member(&D::driver).own_word()},
      {"architecture", "", "architecture", kInTable, "Compute capability, instruction set or GPU family.",
       member(&D::architecture).own_word()},
      {"uuid", "", "UUID", "GPU UUID, as in nvidia-smi.", member(&D::uuid).in("identity")},
      {"pci_address", "", "PCI address", "PCI address: domain, bus, device and function.",
       member(&D::pci_address).in("identity")},
      {"peak_flops_per_second", "FLOP/s", "peak",
       "Peak FLOP/s by precision; see [checking-a-device.md](checking-a-device.md).",
       member(&D::peak_flops_per_second).in("peak")},
      {"peak_from_rows", "", "peak from rows", "Precisions whose peak is the rate of a row.",
       member(&D::peak_from_rows).own_word()},
      {"triad_bytes_per_second", "B/s", "triad", "Bandwidth of a = b + s c on large arrays.",
       member(&D::triad_bytes_per_second).in("peak")},
      {"copy_bytes_per_second", "B/s", "copy", "Bandwidth of a copy, bytes read plus written.",
       member(&D::copy_bytes_per_second).in("peak")},
      {"host_to_device_bytes_per_second", "B/s", "host to device", "Bandwidth of copies from the host.",
       member(&D::host_to_device_bytes_per_second).in("peak")},
      {"launch_latency_seconds", "s", "launch latency", "Time per launch of a tiny operation.",
       member(&D::launch_latency).in("peak")},
      {"graph_node_latency_seconds", "s", "graph node latency",
       "Time per tiny operation in a recorded graph.", member(&D::graph_node_latency).in("peak")},
      {"peak_measured_at", "", "peak measured", "Time of the peak measurement, UTC.",
       member(&D::peak_measured_at).own_word().in("peak")},
      {"power_limit_watts", "W", "power limit", "Power limit at the start of the run.",
       member(&D::power_limit).at_least(0)},
  });
  return fields;
}

const FieldTable<DatasetRecord>& dataset_fields() {
  using D = DatasetRecord;
  static const FieldTable<D> fields({
      {"name", "", "dataset", kInTable, "Dataset name.", member(&D::name).at_least(1).own_word()},
      {"synthetic", "", "synthetic", kInTable, "True for synthetic data.", member(&D::is_synthetic)},
      {"note", "", "note", kInTable, "Reason for other data than requested; else empty.", member(&D::note)},
  });
  return fields;
}

const FieldTable<DataFileRecord>& data_file_fields() {
  using F = DataFileRecord;
  static const FieldTable<F> fields({
      {"name", "", "file", "File name without folder.", member(&F::name).like("^[^/\\\\]")},
      {"size_bytes", "B", "size", "File size.", member(&F::size)},
      {"sha256", "", "SHA-256", "SHA-256 of the file.", member(&F::sha256).like("^[0-9a-f]{64}$").own_word()},
      {"provenance", "", "provenance",
       "`official` (publisher's checksum), `other` (another one) or `unverified` (none known).",
       member(&F::provenance).one_of({"official", "other", "unverified"})},
  });
  return fields;
}

const FieldTable<RankRecord>& rank_fields() {
  using R = RankRecord;
  static const FieldTable<R> fields({
      {"rank", "", "rank", kInTable, "Rank number, from 0.", member(&R::rank)},
      {"host", "", "host", kInTable, "Host name.", member(&R::host)},
      {"os", "", "system", "Operating system and version.", member(&R::os).own_word()},
      {"kernel", "", "kernel", "Kernel name, release and machine type.", member(&R::kernel).own_word()},
      {"cpu", "", "CPU", kInTable, "CPU model.", member(&R::cpu).own_word()},
      {"device", "", "device", kInTable, "Device name on that host.",
       member(&R::device).at_least(1).own_word()},
      {"device_model", "", "model", kInTable, "Product name of the device.",
       member(&R::device_model).own_word()},
      {"driver", "", "driver", "Driver version.", member(&R::driver).own_word()},
      {"libtorch_build", "", "LibTorch build", "Libraries in the LibTorch build.",
       member(&R::libtorch_build).own_word()},
      {"threads", "", "threads", kInTable, "Intra-op threads of LibTorch.", member(&R::threads)},
      {"address", "", "address", kInTable, "Network address of the host.", member(&R::address)},
      {"link", "", "link", kInTable, "Link to rank 0, such as `loopback`; empty if unknown.",
       member(&R::link).own_word()},
      {"device_link", "", "GPU link", kInTable, "Link between the host's GPUs, such as `PCIe 5 x16`.",
       member(&R::device_link).own_word()},
      {"device_uuid", "", "UUID", "UUID of the GPU.", member(&R::device_uuid).in("identity")},
      {"device_pci_address", "", "PCI address", "PCI address of the GPU.",
       member(&R::device_pci_address).in("identity")},
      {"visible_devices", "", "visible devices", kVisibleDevices, member(&R::visible_devices)},
  });
  return fields;
}

const FieldTable<EnergyRecord>& energy_fields() {
  using E = EnergyRecord;
  static const FieldTable<E> fields({
      {"meter", "", "meter", kInTable, "Meter, or format of a log.",
       member(&E::meter).at_least(1).own_word()},
      {"part", "", "part", kInTable, "Measured part.", member(&E::part)},
      {"device", "", "device", "Measured device; empty if unknown.", member(&E::device).own_word()},
      {"scope", "", "scope", kInTable, "Hardware covered by the source.", member(&E::scope)},
      {"device_note", "", "device note", "Reason for an unknown device, whose energy is unused.",
       member(&E::device_note)},
      {"quantity", "", "quantity", kInTable, "Quantity read, such as `energy counter`.",
       member(&E::quantity).own_word()},
      {"method", "", "method", kInTable, "Method of computing energy; `spike-q30` is biased upward.",
       member(&E::method)},
      {"energy_joules", "J", "energy", kInTable, "Gross energy over the timed epochs.", member(&E::energy)},
      {"epoch_joules", "J", "epochs", "Gross energy of each epoch.", member(&E::epoch_joules).of_any_sign()},
      {"window_seconds", "s", "window", kInTable, "Total time of the timed epochs.", member(&E::window)},
      {"peak_watts", "W", "peak", kInTable, "Peak power in the timed epochs.", member(&E::peak)},
      {"idle_before_watts", "W", "idle before", kInTable, "Mean idle power before the process.",
       member(&E::idle_before).in("idle")},
      {"idle_after_watts", "W", "idle after", kInTable, "Mean idle power after the process.",
       member(&E::idle_after).in("idle")},
      {"coverage", "fraction", "coverage", kInTable, "Fraction of the timed epochs with readings.",
       member(&E::coverage).at_most(1)},
      {"samples", "", "samples", kInTable, "Number of readings in the timed epochs.", member(&E::samples)},
      {"source_period_seconds", "s", "source period", kInTable, "Update period of the source.",
       member(&E::source_period)},
      {"sampler_load", "fraction", "sampler load", "Fraction of one core used by the sampler.",
       member(&E::sampler_load)},
      {"watts_start_seconds", "s", "start of watts", "Start of `watts`; negative, since idle is included.",
       member(&E::watts_start).of_any_sign().in("trace")},
      {"watts_step_seconds", "s", "step of watts", "Averaging time of each of `watts`.",
       member(&E::watts_step).in("trace")},
      {"watts", "W", "power over time", "Power from idle to idle.", member(&E::watts).of_any_sign()},
      {"temperature_celsius", "°C", "temperature by epoch", "Highest temperature in each epoch.",
       member(&E::temperature_celsius).of_any_sign()},
      {"clock_hertz", "Hz", "clock by epoch", "Mean clock in each epoch.", member(&E::clock_hertz)},
      {"epoch_limit_watts", "W", "power limit by epoch", "Power limit in each epoch.",
       member(&E::epoch_limit_watts)},
      {"epoch_throttle", "", "throttling by epoch", "Reason for a reduced clock in each epoch; else empty.",
       member(&E::epoch_throttle)},
      {"notes", "", "notes", "Cautions about the figures.", member(&E::notes)},
  });
  return fields;
}

}  // namespace gpubench
