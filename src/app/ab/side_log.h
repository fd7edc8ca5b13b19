#pragma once
// Results of the runs of a side, the document that they make, and figures that other programs print.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/ab/sides.h"
#include "gpubench/core/units.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// How fast it is: one of these.
struct PeerFigure {
  double samples_per_second = 0;        ///< Above 0, or else
  std::vector<double> epoch_seconds{};  ///< the time of each epoch after the warm-up, above 0.
};

/// The figure in what a peer printed: in all of it where it is one JSON value, else in the last line that is
/// a JSON object. It is where Side::figure or Side::seconds point (RFC 6901); with neither the first of
/// `samples_per_second`, `images_per_s` (rates) and `epoch_seconds` (a list). `wall` is the time of the whole
/// process. Throws a data Error that says what is missing.
PeerFigure peer_figure(std::string_view printed, const Side& side, Seconds wall);

/// Times of epochs of so many samples.
std::vector<double> list_epochs(const PeerFigure& figure, std::int64_t samples);

/// A run of a side. It has rows, or a figure, or a failure.
struct SideRun {
  std::int64_t round = 0;  ///< From 1.
  std::string started_at;  ///< As utc_timestamp_milliseconds() has it.
  Seconds duration{};
  std::vector<CaseRecord> rows{};  ///< Of gpubench.
  PeerFigure figure{};
  RowStatus status = RowStatus::kOk;  ///< Of a failure
  std::string failure{};              ///< why; empty where there is none.
  std::vector<std::string> stderr_tail{};

  /// Whether it measured anything.
  bool is_fine() const;
};

/// All runs of a side so far.
struct SideLog {
  Side side;
  RunRecord document{};       ///< Without rows.
  bool is_described = false;  ///< Whether a run of gpubench has told of itself and its machine.
  std::vector<SideRun> runs{};

  bool has_run_in(std::int64_t round) const;
};

/// Adds a run that ended. Throws a usage Error where gpubench says that the command line of the side is
/// wrong, which no further run would mend.
void add_run(SideLog& log, std::int64_t round, const std::string& started_at, const ProcessEnd& run);

/// The log of a document that make_document() made.
SideLog make_log(const Side& side, RunRecord document);

/// What the rows of sides that did not tell are said to be of: what gpubench was asked for on the side itself
/// or else on the first that has a row; where only other programs run, what the options say. Empty while
/// gpubench has yet to tell.
std::vector<CaseRecord> asked_rows(const SideLog& log, const std::vector<SideLog>& all);

/// What the options of a side say, for sides that none of gpubench stands beside.
CaseRecord named_row(const NamedOptions& options);

/// The document of a side with a row for each of `asked` and each round. Throws a usage Error where another
/// program's figure is to stand beside several rows.
RunRecord make_document(const SideLog& log, const std::vector<SideLog>& all,
                        const std::vector<CaseRecord>& asked);

}  // namespace gpubench
