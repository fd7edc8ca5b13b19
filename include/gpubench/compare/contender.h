#pragma once
// A device of a result file, reduced to what comparisons read: a thousand files of fifty cases fit into
// memory.

#include <cstdint>
#include <string>
#include <vector>

#include "gpubench/core/estimate.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// What is known of the energy of a case, over all repetitions whose energy is of one scope.
struct EnergyFigures {
  std::string scope;   ///< "gpu-board", ...; "published" for a stated power; empty where there is no energy.
  std::string method;  ///< "counter-difference", ...; empty for a publication.
  std::string meter;
  std::vector<double> process_joules;         ///< Of a mean epoch, a repetition each,
  std::vector<double> process_joule_seconds;  ///< and that times its median epoch.
  Reading<double> net_joules;                 ///< Of an epoch, less idle power times its time.
  Reading<double> joules_per_1000_samples;
  Reading<double> mean_watts;
  Reading<double> peak_watts;  ///< The highest of all repetitions.
  Reading<double> idle_watts;
  Reading<double> coverage;        ///< The least of all repetitions.
  Reading<double> period_seconds;  ///< Of the source, the longest.
};

/// All repetitions of one case on one device. Plain data.
struct CaseFigures {
  // What was trained.
  std::string model;
  std::string sizes;
  std::string dataset;
  std::int64_t batch_size = 0;
  TrainingMode mode;
  Protocol protocol = Protocol::kEpoch;

  // How: what must be alike for figures to compare.
  std::string execution_used;  ///< Empty where it is not known.
  std::string layout_used;
  std::string optimizer;
  std::string dataset_digest;  ///< Of the files' checksums; "synthetic" for made-up data; empty if unknown.
  std::int64_t train_samples = 0;  ///< Of an epoch; 0 where a publication does not tell.
  std::int64_t epochs = 0;
  bool is_last_batch_dropped = false;
  bool has_warnings = false;  ///< Of heat, power or load while it ran.

  // What came of it.
  CaseStatus status = CaseStatus::kError;  ///< `ok` where at least one repetition ended well.
  std::string status_reason;
  std::int64_t processes = 0;           ///< Repetitions that ended well.
  std::int64_t failures = 0;            ///< Those that did not.
  std::vector<double> process_seconds;  ///< Median steady epoch of each that ended well.
  Reading<Estimate> epoch_seconds;      ///< Median steady epoch; of the repetitions' medians where repeated.
  Reading<double> startup_seconds;      ///< T0; median of the repetitions.
  Reading<Estimate> epoch_joules;       ///< Gross energy of a mean epoch; median of the repetitions.
  Reading<double> peak_bytes;           ///< Most memory of tensors on the device; of the process on a CPU.
  Reading<double> accuracy;             ///< On the test split; median of the repetitions.
  EnergyFigures energy;                 ///< What else is known of `epoch_joules`.
};

/// One device of one file, with its cases.
struct Contender {
  std::string label;  ///< Unique among those compared: "A", "B"; empty until it is among others.
  std::string file;   ///< As given; without its folder.
  std::string host;
  DeviceRecord device;
  std::string libtorch_version;
  std::string allocator;
  std::string isolation;
  std::string cpu;
  std::int64_t threads = 0;
  std::string started_at;   ///< UTC, of the run.
  std::string publication;  ///< Title of the publication; empty for what gpubench measured.
  std::string publication_note;
  std::vector<CaseFigures> cases;  ///< In the order of the file.
};

/// Whether medians come with their intervals, which take a third of the time of comparing a thousand files.
enum class Intervals { kComputed, kLeftOut };

/// The devices of a run that have cases, in the order of the first ones. `file` is the name to show.
std::vector<Contender> contenders_of(const RunRecord& run, const std::string& file,
                                     Intervals intervals = Intervals::kComputed);

/// Whether its device is a CPU: of a publication, which names devices in words of its own, whether "CPU" is
/// one of these.
bool is_cpu(const Contender& contender);

/// "laptop, mps (Apple M2 Max)"; a publication's device by its name alone.
std::string description_of(const Contender& contender);

}  // namespace gpubench
