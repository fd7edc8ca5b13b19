#pragma once
// The results of a side and their document; figures that other programs print.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/ab/sides.h"
#include "gpubench/core/units.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// The speed of another program.
struct PeerFigure {
  double samples_per_second = 0;        ///< Above 0, or 0 with times of epochs.
  std::vector<double> epoch_seconds{};  ///< Time of each epoch after the warm-up, above 0.
};

/// Returns the figure in the output of another program: in all of it if it is one JSON value, else in the
/// last line that is a JSON object. Side::figure or Side::seconds point to it (RFC 6901); without either it
/// is the first of `samples_per_second`, `images_per_s` (rates) and `epoch_seconds` (a list). `wall` is the
/// time of the whole process. Throws a data Error for a missing figure.
PeerFigure peer_figure(std::string_view printed, const Side& side, Seconds wall);

/// A run of a side. It has rows, or a figure, or a failure.
struct SideRun {
  std::int64_t round = 0;  ///< From 1.
  std::string started_at;  ///< As utc_timestamp_milliseconds() has it.
  Seconds duration{};
  std::vector<CaseRecord> rows{};  ///< Of gpubench.
  PeerFigure figure{};
  RowStatus status = RowStatus::kOk;  ///< Of a failure.
  std::string failure{};              ///< Reason of a failure; empty: none.
  std::vector<std::string> stderr_tail{};

  /// Whether it measured anything.
  bool is_fine() const;
};

/// All runs of a side so far.
struct SideLog {
  Side side;
  RunRecord document{};       ///< Without rows.
  bool is_described = false;  ///< `document` has the machine as a run of gpubench described it.
  std::vector<SideRun> runs{};

  bool has_run_in(std::int64_t round) const;
};

/// Adds a run that ended. Throws a usage Error if gpubench refuses the command line of the side: it stays
/// wrong.
void add_run(SideLog& log, std::int64_t round, const std::string& started_at, const ProcessEnd& run);

/// Returns the log of a document that make_document() made.
SideLog make_log(const Side& side, RunRecord document);

/// Returns what the rows of another program are about: what gpubench was asked for on that side or else on
/// the first one with a row; if only other programs run, what the options say. Empty until gpubench has a
/// row.
std::vector<CaseRecord> asked_rows(const SideLog& log, const std::vector<SideLog>& all);

/// Returns a row of what the options say, for comparisons without gpubench.
CaseRecord named_row(const NamedOptions& options);

/// Returns the document of a side with a row for each of `asked` and each round. Throws a usage Error if the
/// figure of another program would stand beside several rows.
RunRecord make_document(const SideLog& log, const std::vector<SideLog>& all,
                        const std::vector<CaseRecord>& asked);

}  // namespace gpubench
