#include "app/run/table_run.h"

#include <map>

#include <fmt/format.h>

#include "app/command_line.h"
#include "app/files/inputs.h"
#include "app/run/engine_loader.h"
#include "engine/execution/wire.h"
#include "engine/sweep/journal.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/report_writer.h"
#include "pages/comparison/comparison_page.h"
#include "pages/run_page.h"

namespace gpubench {
namespace {

/// Draws progress between two rows, so that no thread disturbs a measurement.
class TableProgress : public Progress {
 public:
  explicit TableProgress(bool is_shown) : is_shown_(is_shown) {}

  void row_started(const Result& planned, std::size_t index, std::size_t count) override {
    if (!is_shown_) return;
    const auto& row = std::get<OpRecord>(planned);
    draw_status(fmt::format("{}[{}/{}] {} {} {} on {}", kClearLine, index + 1, count, row.op, row.sizes,
                            to_string(row.type), row.device));
  }
  void row_finished(const Result& /*row*/) override {
    if (is_shown_) draw_status(kClearLine);
  }

 private:
  bool is_shown_;
};

}  // namespace

void PlannedTable::resolve_devices(const std::vector<std::string>& words) {
  std::map<std::string, std::string> devices;
  std::map<std::string, std::string> first_words;
  for (std::size_t i = 0; i < words.size(); ++i) {
    devices[words[i]] = facts.devices.at(i);
    first_words.emplace(facts.devices.at(i), words[i]);
  }
  std::erase_if(work, [&](const OpWork& row) {
    return first_words.at(devices.at(row.asked.device)) != row.asked.device;
  });
  for (OpWork& row : work) row.asked.device = devices.at(row.asked.device);
}

TableRun::TableRun(const PlannedTable& plan, const std::string& prefix, InterruptWatch& interrupts,
                   std::unique_ptr<Observer> ranks)
    : JournaledRun(plan.common(), plan.open_output(prefix)),
      plan_(plan),
      interrupts_(interrupts),
      executor_(plan.is_isolated()
                    ? make_isolated_executor(plan.workers, shared_,
                                             {plan.threads(), plan.timeout, std::nullopt, false})
                    : make_local_executor(load_engine(), datasets_, clock_)),
      ranks_(std::move(ranks)) {}

JournalHeader TableRun::header() const {
  JournalHeader header{tool_record(plan_.arguments, plan_.started_at), plan_.plan, plan_.facts.environment};
  header.environment.ranks = plan_.ranks;
  return header;
}

Work TableRun::added_work(const Json& json) const {
  return work_from_json(json, Catalog<ModelEntry>("model", {}), datasets());
}

bool TableRun::sweep(const std::vector<Work>& all, const std::vector<std::size_t>& positions,
                     Journal& journal) {
  TableProgress progress(shows_progress(options_.is_quiet));
  const auto peaks =
      make_peak_observer(journal, [this](const std::string& device) { return plan_.renewed_peak(device); });
  Observers observers{peaks.get()};
  if (ranks_) observers.push_back(ranks_.get());
  return run_sweep(all, positions, {*executor_, observers, journal, progress, interrupts_, clock_, [&] {
                                      save_snapshot(journal);
                                    }});
}

/// Returns the page without details, then the comparison. A matrix has its words only.
std::string TableRun::shown(const RunRecord& record) const {
  const ReportFormat& format = report_formats().require("txt", "--format");
  const std::string name = file_->path().filename().string();
  Page page = run_page(record, name);
  if (is_matrix()) page.sections.resize(1);
  if (plan_.baseline.empty()) return format.render(page);
  std::vector<NamedRun> tables = plan_.baseline;
  tables.push_back({name, record});
  return format.render(page) + "\n" + format.render(comparison_page(compare(candidates_in(tables), false)));
}

/// In a matrix, unsupported is an answer.
bool TableRun::is_fine(const RowRecord& row) const {
  return JournaledRun::is_fine(row) || (is_matrix() && row.status == RowStatus::kUnsupported);
}

ExitCode continue_table(const std::string& file, const std::vector<std::string>& arguments) {
  const JournalState state = read_journal(journal_path(file));
  require_kind(state, journal_path(file), /*is_of_operations=*/true);
  return parse_continued(state.header.tool.arguments, arguments)();
}

}  // namespace gpubench
