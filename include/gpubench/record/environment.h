#pragma once
// The machine, the libraries and the data that a run used, and what disturbed it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpubench/core/measured.h"
#include "gpubench/core/units.h"

namespace gpubench {

/// A disturbance of a measurement. Stored as data; formatted where it is shown.
struct Warning {
  std::string kind;  ///< Alike for one cause, "host-memory-growth"; docs/environment.md lists them.
  std::optional<double> figure;  ///< How bad, in a unit of the kind's: the larger the worse.
  std::string text;              ///< A sentence for people, with the figure.

  friend bool operator==(const Warning&, const Warning&) = default;
};

/// One file of a dataset as it was read.
struct DataFileRecord {
  std::string name;  ///< Without its folder: results are shared between people.
  Bytes size;
  std::string sha256;
  std::string provenance;  ///< "official": the checksum is the publisher's; "other" or "unverified".

  friend bool operator==(const DataFileRecord&, const DataFileRecord&) = default;
};

/// A dataset that cases used.
struct DatasetRecord {
  std::string name;
  bool is_synthetic = false;
  std::string note;  ///< Why it is not what was asked for, or not official; else empty.
  std::vector<DataFileRecord> files;

  friend bool operator==(const DatasetRecord&, const DatasetRecord&) = default;
};

/// Which gpubench made the record, and how it was called.
struct ToolRecord {
  Measured<std::string> run_id = missing("not recorded");  ///< Of this run alone: 32 hexadecimal digits.
  std::string version;
  Measured<std::string> git_commit;
  std::vector<std::string> arguments;
  std::string started_at;             ///< UTC, ISO 8601.
  Measured<std::string> finished_at;  ///< Missing while the run goes on.
};

/// The publication that states the figures of a record which no gpubench measured.
struct PublishedRecord {
  std::string title;              ///< What was compared, and where.
  Measured<std::string> address;  ///< URL of the publication.
  std::string protocol;           ///< What was measured, and how, in words.
  std::string note;               ///< What to mind before such figures stand beside measured ones.

  /// Further figures of each case, in their order, with units in their names: {"power_watts", 35}.
  std::vector<NamedValues> figures;
};

/// A device that cases ran on.
struct DeviceRecord {
  std::string name;                      ///< As on the command line: "cpu", "cuda:0", "mps".
  std::string model{};                   ///< As the maker calls it.
  Measured<Bytes> memory{};              ///< Memory of the device; the host's on the CPU.
  Measured<std::string> driver{};        ///< Driver version.
  Measured<std::string> architecture{};  ///< Compute capability, instruction set in use, GPU family.

  // Its peak, measured by `gpubench peak`, a short trial or a row that reached more: docs/utilization.md.
  Measured<NamedValues> peak_flops_per_second{};  ///< Best product or convolution by precision: "fp32", ...
  std::vector<std::string> peak_from_rows{};      ///< Precisions in which that is the rate of a row.
  Measured<double> triad_bytes_per_second{};      ///< a = b + s * c on arrays far larger than the caches.
  Measured<double> copy_bytes_per_second{};       ///< Bytes read and written.
  Measured<double> host_to_device_bytes_per_second{};
  Measured<Seconds> launch_latency{};      ///< Of a tiny operation, launched by itself, many in a row.
  Measured<Seconds> graph_node_latency{};  ///< Of one inside a recorded graph.
  Measured<std::string> peak_measured_at{};

  Measured<Watts> power_limit{};  ///< In force before anything ran.

  // GPUs only; see match_gpus().
  Measured<std::string> uuid = missing("not recorded");         ///< "GPU-8f6e...", as nvidia-smi prints it.
  Measured<std::string> pci_address = missing("not recorded");  ///< "0000:65:00.0", lower case.
};

/// One of several processes that train cases together.
struct RankRecord {
  std::int64_t rank = 0;
  std::string host;
  std::string os;
  std::string kernel;
  std::string cpu;
  std::string device;  ///< "cuda:1": its own name there.
  std::string device_model;
  Measured<std::string> driver;
  std::string libtorch_build;
  std::int64_t threads = 0;  ///< Intra-op threads of LibTorch.
  std::string address;       ///< Of its machine, on the way to rank 0.
  std::string link;          ///< That leads there: "Ethernet, 10000 Mbit/s", "loopback"; empty where unknown.
  Measured<std::string> device_link;  ///< Between the GPUs of its machine: "PCIe 5 x16"; see gpu_link.
  Measured<std::string> device_uuid = missing("not recorded");  ///< As in DeviceRecord.
  Measured<std::string> device_pci_address = missing("not recorded");
  Measured<std::string> visible_devices = missing("not recorded");  ///< As in Environment.
};

/// The host and the software; of several ranks that of rank 0.
struct Environment {
  std::string host;
  std::string os;      ///< Name and version of the distribution.
  std::string kernel;  ///< Kernel name, release and machine.
  std::string cpu;
  Measured<std::int64_t> physical_cores;
  std::int64_t logical_cores = 0;
  double available_cores = 0;  ///< What affinity and the cgroup quota leave to this process.
  Measured<Bytes> memory;
  std::int64_t threads = 0;      ///< Intra-op threads of LibTorch.
  std::string threads_note;      ///< Why these are fewer than the cores; empty where they are not.
  std::string thread_variables;  ///< "OMP_PROC_BIND=close, ...": what the user sets of OpenMP's threads.
  std::string wait_policy;       ///< How these wait for each other: "GOMP_SPINCOUNT=1000", "default".
  std::string libtorch_version;
  std::string libtorch_build;      ///< BLAS, oneDNN, CUDA and cuDNN that LibTorch was built with.
  std::string allocator;           ///< "tuned" (glibc thresholds raised) or "system".
  std::string blas_note;           ///< What was done about threads of a BLAS; empty where nothing was.
  Measured<std::string> governor;  ///< Of the CPU's frequency; "performance, powersave" where mixed.

  /// Variables that hide or renumber GPUs, as they were set: "CUDA_VISIBLE_DEVICES=3;
  /// CUDA_DEVICE_ORDER=PCI_BUS_ID", empty where none was set. Missing: not recorded.
  Measured<std::string> visible_devices = missing("not recorded");

  std::vector<DeviceRecord> devices;
  std::vector<DatasetRecord> datasets;
  std::vector<RankRecord> ranks;  ///< In their order; empty where one process trains by itself.
};

}  // namespace gpubench
