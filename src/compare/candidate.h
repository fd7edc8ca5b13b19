#pragma once
// A device of a result file with its rows, reduced to what comparisons read.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/row_figures.h"
#include "gpubench/record/derived.h"

namespace gpubench {

/// One device of one file: of a run, or of a table of operations.
struct Candidate {
  std::string label;  ///< Unique among those compared: "A", "B"; empty until it is among others.
  std::string file;   ///< As given; without its folder.
  std::string host;
  DeviceRecord device;
  std::string gpubench_version;
  std::string gpubench_commit;  ///< Empty where it is not known.
  std::string libtorch_version;
  std::string libtorch_build;
  std::string allocator;
  std::string isolation;
  std::string call_protocol;  ///< Of operations: "default", "s4".
  std::int64_t threads = 0;
  double available_cores = 0;
  std::string wait_policy;  ///< Of OpenMP's threads; empty in older files.
  std::string power_limit;  ///< "300 W", or "250 to 300 W" where it changed; empty where no meter told it.
  std::string started_at;   ///< UTC, of the run.
  std::string alternation;  ///< In which its rounds were measured; empty where there was none.
  std::string side;         ///< Of the alternation: "A", "B".
  std::string distinction;  ///< From others of its name, once it is among them: "precision fp32", "side A",
                            ///< or its file; empty where there are none.
  std::string first_start;  ///< When the first of its rows started and the last one did,
  std::string last_start;   ///< of operations the first and when all ended; empty where not known.
  std::optional<double>
      equality_margin;      ///< Within which sides are to be told equal; none: see compute_margin().
  std::string publication;  ///< Title of the publication; empty for what gpubench measured.
  std::string publication_protocol;
  std::string publication_note;
  std::vector<RowFigures> rows;       ///< In the order of the file.
  std::vector<ScalingRow> scaling{};  ///< What several ranks gained.
};

/// A row and whose it is. Points into the candidates.
struct CandidateRow {
  const Candidate* candidate;
  const RowFigures* figures;
};

/// All rows, one candidate after the other.
std::vector<CandidateRow> make_rows(const std::vector<Candidate>& candidates);

/// The devices that have rows, in the order of the first ones. `file` is the name to show.
std::vector<Candidate> make_candidates(const RunRecord& run, const std::string& file);
std::vector<Candidate> make_candidates(const OpsRecord& ops, const std::string& file);

/// The devices that records of rows name, each once.
template <class Record>
std::vector<std::string> list_devices(const std::vector<Record>& rows) {
  std::vector<std::string> devices;
  for (const Record& row : rows) {
    if (std::ranges::find(devices, row.device) == devices.end()) devices.push_back(row.device);
  }
  return devices;
}

/// Whether its device is a CPU: of a publication, which names devices in words of its own, whether "CPU" is
/// one of these.
bool is_cpu(const Candidate& candidate);

bool is_of_same_file(const Candidate& left, const Candidate& right);

/// Whether they are sides that were measured in alternation: each round of one goes with that of the other.
bool are_in_alternation(const Candidate& left, const Candidate& right);

/// Whether all rows of one started before those of the other; both have to tell.
bool is_before(const Candidate& early, const Candidate& late);

/// How two sides were measured, which says what of a machine's changes both have seen.
enum class Measuring {
  kAlternation,  ///< Round by round: see are_in_alternation().
  kMixed,        ///< At the same time: in one file, or on one host with times that overlap or are not known.
  kApart,        ///< On one host one after the other, or on two hosts.
};
Measuring find_measuring(const Candidate& left, const Candidate& right);

/// Whether the energies of two rows were read by sensors of one kind: the same meter on the same model of
/// device.
bool have_one_sensor(const CandidateRow& left, const CandidateRow& right);

/// Rows that ended well.
std::size_t count_of_good(const Candidate& candidate);

/// Of all rows, for short names of them; but for their devices, which the candidates tell.
std::vector<RowIdentity> make_identities(const std::vector<Candidate>& candidates);

/// "laptop, mps (Apple M2 Max)"; a publication's device by its name alone.
std::string device_text(const Candidate& candidate);

/// The same with what distinguishes it from others.
std::string format_description(const Candidate& candidate);

/// "B (laptop, mps (Apple M2 Max))".
std::string named(const Candidate& candidate);

}  // namespace gpubench
