#include "record/field_value.h"

namespace gpubench {
namespace {

constexpr const char* kVisibleDevices =
    "Variables that hide or renumber GPUs, as they were set: `CUDA_VISIBLE_DEVICES` and `CUDA_DEVICE_ORDER`. "
    "`none` where none was set; null where that was not recorded.";
constexpr const char* kUtc = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$";

}  // namespace

const FieldTable<ToolRecord>& tool_fields() {
  using T = ToolRecord;
  static const FieldTable<T> fields({
      {"run_id", "", "run", "Of this run alone: 32 random hexadecimal digits.",
       member(&T::run_id).like("^[0-9a-f]{32}$").own_word()},
      {"version", "", "gpubench", kInTable, "Version of gpubench.",
       member(&T::version).at_least(1).own_word()},
      {"git_commit", "", "commit", "Commit that it was built from.", member(&T::git_commit).own_word()},
      {"arguments", "", "arguments", "The command line as it was given, the program's name left out.",
       member(&T::arguments)},
      {"started_at", "", "started", "UTC.", member(&T::started_at).like(kUtc).own_word()},
      {"finished_at", "", "finished", "UTC; null in a file that an interrupted run left.",
       member(&T::finished_at).like(kUtc).own_word()},
  });
  return fields;
}

const FieldTable<PlanRecord>& plan_fields() {
  using P = PlanRecord;
  static const FieldTable<P> fields({
      {"kind", "", "kind",
       "`training`, or of operations: `table`, `matrix` (by types), `sweep` or `net` (collectives).",
       member(&P::kind).one_of({"training", "table", "matrix", "sweep", "net"})},
      {"suite", "", "suite", "Suite or set of sizes; empty for a plan made of options.", member(&P::suite)},
      {"order_seed", "", "seed of the order", "Seed of the order in which repetitions ran.",
       member(&P::order_seed).of_any_sign()},
      {"budget_seconds", "s", "budget", "Time that the run was given; null where it had as much as it took.",
       member(&P::budget)},
      {"alternation", "", "alternation", "Shared by the files of all sides measured in alternation.",
       member(&P::alternation).own_word().optional()},
      {"side", "", "side", "Which of these sides: `A`, `B`, ...", member(&P::side).own_word().optional()},
  });
  return fields;
}

const FieldTable<PublishedRecord>& published_fields() {
  using P = PublishedRecord;
  static const FieldTable<P> fields({
      {"title", "", "publication", "What was measured or compared, and where.",
       member(&P::title).at_least(1)},
      {"address", "", "address", "URL of the publication.", member(&P::address)},
      {"protocol", "", "protocol", "What was measured, and how, in words.", member(&P::protocol).at_least(1)},
      {"note", "", "note", "Cautions for comparisons, and what was filled in.", member(&P::note).at_least(1)},
  });
  return fields;
}

const FieldTable<Environment>& environment_fields() {
  using E = Environment;
  static const FieldTable<E> fields({
      {"host", "", "host", kInTable, "Name of the host; empty in a shared file.", member(&E::host)},
      {"os", "", "operating system", kInTable, "Name and version of the operating system.",
       member(&E::os).own_word()},
      {"kernel", "", "kernel", "Name, release and machine type of the kernel.",
       member(&E::kernel).own_word()},
      {"cpu", "", "CPU", kInTable, "Processor, as its maker calls it.", member(&E::cpu).own_word()},
      {"physical_cores", "", "physical cores", "Of the machine.", member(&E::physical_cores)},
      {"logical_cores", "", "logical cores", "Of the machine.", member(&E::logical_cores)},
      {"available_cores", "", "cores available", kInTable, "Cores left by affinity and the cgroup quota.",
       member(&E::available_cores).at_least(0)},
      {"memory_bytes", "B", "memory", kInTable, "Main memory.", member(&E::memory)},
      {"threads", "", "threads", kInTable, "Intra-op threads of LibTorch.", member(&E::threads).at_least(1)},
      {"threads_note", "", "fewer threads", "Why there are fewer threads than cores; else empty.",
       member(&E::threads_note)},
      {"thread_variables", "", "thread variables", kInTable,
       "As set: `OMP_PROC_BIND=close`, ...; else empty.", member(&E::thread_variables)},
      {"wait_policy", "", "waiting threads", kInTable,
       "How OpenMP's threads wait for each other; see [modes.md](../docs/modes.md#allocator-and-threads).",
       member(&E::wait_policy)},
      {"libtorch_version", "", "LibTorch", kInTable, "Version of LibTorch.",
       member(&E::libtorch_version).own_word()},
      {"libtorch_build", "", "LibTorch build", "Libraries that it was built with.",
       member(&E::libtorch_build).own_word()},
      {"allocator", "", "allocator", "`tuned`: thresholds of glibc's malloc raised; `system`: as it came.",
       member(&E::allocator).own_word()},
      {"blas_note", "", "BLAS", "Change to the threads of a BLAS that conflicts with LibTorch; else empty.",
       member(&E::blas_note)},
      {"governor", "", "CPU governor", "Of the CPU's frequency; several where cores differ.",
       member(&E::governor).own_word()},
      {"visible_devices", "", "visible devices", kVisibleDevices, member(&E::visible_devices)},
  });
  return fields;
}

const FieldTable<DeviceRecord>& device_fields() {
  using D = DeviceRecord;
  static const FieldTable<D> fields({
      {"name", "", "device", kInTable, "As on the command line; a case's `device` refers to it.",
       member(&D::name).at_least(1).own_word()},
      {"model", "", "model", kInTable, "As its maker calls it.", member(&D::model).own_word()},
      {"memory_bytes", "B", "memory", kInTable, "Memory of the device; the host's for `cpu`.",
       member(&D::memory)},
      {"driver", "", "driver", kInTable, "Version of the driver.", member(&D::driver).own_word()},
      {"architecture", "", "architecture", kInTable,
       "Compute capability, instruction set in use, or GPU family.", member(&D::architecture).own_word()},
      {"uuid", "", "UUID", "As nvidia-smi prints it; `gpubench file anonymize` removes it.",
       member(&D::uuid).in("identity")},
      {"pci_address", "", "PCI address", "Of a GPU: domain, bus, device and function.",
       member(&D::pci_address).in("identity")},
      {"peak_flops_per_second", "FLOP/s", "peak",
       "Best rate by precision; see [utilization.md](../docs/utilization.md).",
       member(&D::peak_flops_per_second).in("peak")},
      {"peak_from_rows", "", "peak from rows", "Precisions whose peak is the rate of a row.",
       member(&D::peak_from_rows).own_word()},
      {"triad_bytes_per_second", "B/s", "triad", "Memory bandwidth of a = b + s c on large arrays.",
       member(&D::triad_bytes_per_second).in("peak")},
      {"copy_bytes_per_second", "B/s", "copy", "Memory bandwidth of a copy, bytes read and bytes written.",
       member(&D::copy_bytes_per_second).in("peak")},
      {"host_to_device_bytes_per_second", "B/s", "host to device", "Copies from host memory to the device.",
       member(&D::host_to_device_bytes_per_second).in("peak")},
      {"launch_latency_seconds", "s", "launch latency",
       "Least time of a tiny operation that is launched by itself.", member(&D::launch_latency).in("peak")},
      {"graph_node_latency_seconds", "s", "latency in a graph", "Least time of one inside a recorded graph.",
       member(&D::graph_node_latency).in("peak")},
      {"peak_measured_at", "", "peak measured", "When these were measured, UTC.",
       member(&D::peak_measured_at).own_word().in("peak")},
      {"power_limit_watts", "W", "power limit", "Power limit in force before anything ran.",
       member(&D::power_limit).at_least(0)},
  });
  return fields;
}

const FieldTable<DatasetRecord>& dataset_fields() {
  using D = DatasetRecord;
  static const FieldTable<D> fields({
      {"name", "", "dataset", kInTable, "A case's `dataset` refers to it.",
       member(&D::name).at_least(1).own_word()},
      {"synthetic", "", "synthetic", kInTable, "Whether it is a made-up stand-in of the same shape.",
       member(&D::is_synthetic)},
      {"note", "", "note", kInTable, "Why the data is not as asked, or not official; else empty.",
       member(&D::note)},
  });
  return fields;
}

const FieldTable<DataFileRecord>& data_file_fields() {
  using F = DataFileRecord;
  static const FieldTable<F> fields({
      {"name", "", "file", "Without the folder it was read from.", member(&F::name).like("^[^/\\\\]")},
      {"size_bytes", "B", "size", "Its size.", member(&F::size)},
      {"sha256", "", "SHA-256", "Its checksum.", member(&F::sha256).like("^[0-9a-f]{64}$").own_word()},
      {"provenance", "", "provenance",
       "`official`: the checksum is the publisher's; `other`: it differs; `unverified`: none is known.",
       member(&F::provenance).one_of({"official", "other", "unverified"})},
  });
  return fields;
}

const FieldTable<RankRecord>& rank_fields() {
  using R = RankRecord;
  static const FieldTable<R> fields({
      {"rank", "", "rank", kInTable, "From 0.", member(&R::rank)},
      {"host", "", "host", kInTable, "Name of its machine.", member(&R::host)},
      {"os", "", "system", "Name and version.", member(&R::os).own_word()},
      {"kernel", "", "kernel", "Name, release and machine.", member(&R::kernel).own_word()},
      {"cpu", "", "CPU", kInTable, "Its machine's processor.", member(&R::cpu).own_word()},
      {"device", "", "device", kInTable, "Where it trains, by its name there.",
       member(&R::device).at_least(1).own_word()},
      {"device_model", "", "model", kInTable, "What that is.", member(&R::device_model).own_word()},
      {"driver", "", "driver", "Version of the driver.", member(&R::driver).own_word()},
      {"libtorch_build", "", "LibTorch build", "What its LibTorch was built with.",
       member(&R::libtorch_build).own_word()},
      {"threads", "", "threads", kInTable, "Intra-op threads of LibTorch.", member(&R::threads)},
      {"address", "", "address", kInTable, "Of its machine, on the way to rank 0.", member(&R::address)},
      {"link", "", "link", kInTable, "Link to rank 0: `Ethernet, 10000 Mbit/s`, `loopback`; empty: unknown.",
       member(&R::link).own_word()},
      {"device_link", "", "between GPUs", kInTable,
       "Link of its GPU to the others of its machine: `PCIe 5 x16`, ...", member(&R::device_link).own_word()},
      {"device_uuid", "", "UUID", "Of its GPU.", member(&R::device_uuid).in("identity")},
      {"device_pci_address", "", "PCI address", "Of its GPU.", member(&R::device_pci_address).in("identity")},
      {"visible_devices", "", "visible devices", kVisibleDevices, member(&R::visible_devices)},
  });
  return fields;
}

const FieldTable<EnergyRecord>& energy_fields() {
  using E = EnergyRecord;
  static const FieldTable<E> fields({
      {"meter", "", "meter", kInTable, "Name of the meter, or of the format of a log.",
       member(&E::meter).at_least(1).own_word()},
      {"part", "", "part", kInTable, "Which of its sources.", member(&E::part)},
      {"device", "", "device", "Device whose work it measures; empty: unknown.",
       member(&E::device).own_word()},
      {"scope", "", "scope", kInTable, "What it includes; figures of different scopes do not compare.",
       named(&E::scope)},
      {"device_note", "", "device unknown", "Why the device is unknown: its energy counts for no case.",
       member(&E::device_note)},
      {"quantity", "", "quantity", kInTable, "What was read, such as `energy counter`.",
       member(&E::quantity).own_word()},
      {"method", "", "method", kInTable, "How joules were found; `spike-q30` is biased upward.",
       named(&E::method)},
      {"energy_joules", "J", "energy", kInTable, "Gross, over the timed epochs.", member(&E::energy)},
      {"epoch_joules", "J", "epochs", "Gross, of every epoch.", member(&E::epoch_joules).of_any_sign()},
      {"window_seconds", "s", "window", kInTable, "What the timed epochs last together.", member(&E::window)},
      {"peak_watts", "W", "peak", kInTable, "Highest power in the timed epochs.", member(&E::peak)},
      {"idle_before_watts", "W", "idle before", kInTable, "Mean power before the case's process started.",
       member(&E::idle_before).in("idle")},
      {"idle_after_watts", "W", "idle after", kInTable, "Mean power after it ended.",
       member(&E::idle_after).in("idle")},
      {"coverage", "fraction", "coverage", kInTable, "Part of the timed epochs with readings.",
       member(&E::coverage).at_most(1)},
      {"samples", "", "samples", kInTable, "Readings within them.", member(&E::samples)},
      {"source_period_seconds", "s", "source period", kInTable,
       "Between two changes of what the source shows.", member(&E::source_period)},
      {"sampler_load", "fraction", "sampler's load", "Part of one core that reading all sources took.",
       member(&E::sampler_load)},
      {"watts_start_seconds", "s", "start of watts", "Start of `watts`: negative, since idle is included.",
       member(&E::watts_start).of_any_sign().in("trace")},
      {"watts_step_seconds", "s", "step of watts", "Each of `watts` is the mean over such a stretch.",
       member(&E::watts_step).in("trace")},
      {"watts", "W", "power over time", "Power from idle to idle.", member(&E::watts).of_any_sign()},
      {"temperature_celsius", "°C", "temperature, an epoch each", "Highest temperature in every epoch.",
       member(&E::temperature_celsius).of_any_sign()},
      {"clock_hertz", "Hz", "clock, an epoch each", "Mean clock in every epoch.", member(&E::clock_hertz)},
      {"epoch_limit_watts", "W", "power limit, an epoch each", "Power limit in every epoch.",
       member(&E::epoch_limit_watts)},
      {"epoch_throttle", "", "clock held down by, an epoch each",
       "Why the clock was held down in every epoch; empty where it was not.", member(&E::epoch_throttle)},
      {"notes", "", "notes", "What a reader should know about the figures.", member(&E::notes)},
  });
  return fields;
}

}  // namespace gpubench
