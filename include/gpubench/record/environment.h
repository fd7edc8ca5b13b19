#pragma once
// Machine, libraries and data of a run.

#include <cstdint>
#include <string>
#include <vector>

#include "gpubench/core/measured.h"
#include "gpubench/core/units.h"

namespace gpubench {

struct DataFileRecord {
  std::string name;  ///< File name without its folder, which may identify the user.
  Bytes size;
  std::string sha256;
  std::string provenance;  ///< "official" if the checksum is the publisher's, else "other" or "unverified".

  friend bool operator==(const DataFileRecord&, const DataFileRecord&) = default;
};

struct DatasetRecord {
  std::string name;
  bool is_synthetic = false;
  std::string note;  ///< Reason for other data than requested or official; else empty.
  std::vector<DataFileRecord> files;

  friend bool operator==(const DatasetRecord&, const DatasetRecord&) = default;
};

/// Version and command line of gpubench.
struct ToolRecord {
  Measured<std::string> run_id = missing("not recorded");  ///< Random identifier, 32 hexadecimal digits.
  std::string version;
  Measured<std::string> git_commit;
  std::vector<std::string> arguments;
  std::string started_at;             ///< UTC, ISO 8601.
  Measured<std::string> finished_at;  ///< UTC; missing until the run ends.
};

/// Publication whose figures a record contains instead of measurements.
struct PublishedRecord {
  std::string title;              ///< Subject and publication.
  Measured<std::string> address;  ///< URL of the publication.
  std::string protocol;           ///< Description of the measurement.
  std::string note;               ///< Cautions for comparisons with measured figures.

  /// Other figures of each case, in order of cases. Names contain the unit: {"power_watts", 35}.
  std::vector<NamedValues> figures;
};

struct DeviceRecord {
  std::string name;                      ///< Name on the command line: "cpu", "cuda:0", "mps".
  std::string model{};                   ///< Product name.
  Measured<Bytes> memory{};              ///< Memory of the device; the host's on the CPU.
  Measured<std::string> driver{};        ///< Driver version.
  Measured<std::string> architecture{};  ///< Compute capability, instruction set in use, GPU family.

  // Peak, from `gpubench peak`, a short trial, or a faster row; see docs/checking-a-device.md.
  Measured<NamedValues> peak_flops_per_second{};  ///< Best product or convolution by precision: "fp32", ...
  std::vector<std::string> peak_from_rows{};      ///< Precisions whose peak is the rate of a row.
  Measured<double> triad_bytes_per_second{};      ///< Bandwidth of a = b + s * c on large arrays.
  Measured<double> copy_bytes_per_second{};       ///< Bandwidth of a copy, bytes read plus bytes written.
  Measured<double> host_to_device_bytes_per_second{};
  Measured<Seconds> launch_latency{};      ///< Time per tiny operation, many launched in a row.
  Measured<Seconds> graph_node_latency{};  ///< Time per tiny operation in a recorded graph.
  Measured<std::string> peak_measured_at{};

  Measured<Watts> power_limit{};  ///< Power limit at the start of the run.

  // GPUs only; see match_gpus().
  Measured<std::string> uuid = missing("not recorded");         ///< "GPU-8f6e...", as in nvidia-smi.
  Measured<std::string> pci_address = missing("not recorded");  ///< "0000:65:00.0", lower case.
};

/// One process of a data-parallel case.
struct RankRecord {
  std::int64_t rank = 0;
  std::string host;
  std::string os;
  std::string kernel;
  std::string cpu;
  std::string device;  ///< Device name on the rank's machine: "cuda:1".
  std::string device_model;
  Measured<std::string> driver;
  std::string libtorch_build;
  std::int64_t threads = 0;  ///< Intra-op threads of LibTorch.
  std::string address;       ///< Address of its machine towards rank 0.
  std::string link;          ///< Link towards rank 0: "Ethernet, 10000 Mbit/s", "loopback"; empty if unknown.
  Measured<std::string> device_link;  ///< Link between the GPUs of its machine: "PCIe 5 x16"; see gpu_link.
  Measured<std::string> device_uuid = missing("not recorded");         ///< See DeviceRecord::uuid.
  Measured<std::string> device_pci_address = missing("not recorded");  ///< See DeviceRecord::pci_address.
  Measured<std::string> visible_devices = missing("not recorded");     ///< See Environment::visible_devices.
};

/// Host, software and data of a run; with several ranks, those of rank 0.
struct Environment {
  std::string host;
  std::string os;      ///< Name and version of the distribution.
  std::string kernel;  ///< Kernel name, release and machine.
  std::string cpu;
  Measured<std::int64_t> physical_cores;
  std::int64_t logical_cores = 0;
  double available_cores = 0;  ///< Cores that affinity and cgroup quota allow.
  Measured<Bytes> memory;
  std::int64_t threads = 0;      ///< Intra-op threads of LibTorch.
  std::string threads_note;      ///< Reason for fewer threads than cores; else empty.
  std::string thread_variables;  ///< OpenMP variables set by the user: "OMP_PROC_BIND=close, ...".
  std::string wait_policy;       ///< Wait policy of OpenMP threads: "GOMP_SPINCOUNT=1000", "default".
  std::string libtorch_version;
  std::string libtorch_build;      ///< BLAS, oneDNN, CUDA and cuDNN of the LibTorch build.
  std::string allocator;           ///< "tuned" (glibc thresholds raised) or "system".
  std::string blas_note;           ///< Change to the threads of a BLAS; else empty.
  Measured<std::string> governor;  ///< CPU frequency governor; "performance, powersave" if mixed.

  /// Variables that hide or renumber GPUs: "CUDA_VISIBLE_DEVICES=3; CUDA_DEVICE_ORDER=PCI_BUS_ID". "none" if
  /// none is set.
  Measured<std::string> visible_devices = missing("not recorded");

  std::vector<DeviceRecord> devices;
  std::vector<DatasetRecord> datasets;
  std::vector<RankRecord> ranks;  ///< All ranks in order; empty for a single process.
};

}  // namespace gpubench
