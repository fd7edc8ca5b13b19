#pragma once
// A planned run of fictitious models.

#include <string>
#include <vector>

#include "engine/plan/work.h"
#include "engine/sweep/recorder.h"
#include "support/sample_runs.h"
#include "support/train_grid.h"

namespace gpubench::test {

inline EpochRecord small_epoch() {
  EpochRecord epoch;
  epoch.duration = Seconds{0.5};
  epoch.training = {{"loss", 0.25}, {"accuracy", 0.75}};
  return epoch;
}

/// Models flat and net on dataset grey-set, with the given batch sizes, three epochs, on the CPU. The cases
/// point into this object.
struct SmallRun {
  explicit SmallRun(const std::vector<std::int64_t>& batches = {16, 32}, std::int64_t repeat = 1)
      : models("model", {model("flat"), model("net")}), datasets("dataset", {grey_set()}) {
    TrainGrid grid = make_grid({{"model", "flat,net"}, {"device", "cpu"}, {"epochs", "3"}});
    grid.set("repeat", std::to_string(repeat));
    const auto to_word = [](std::int64_t batch) { return std::to_string(batch); };
    grid.set(*train_parameters().find("batch_size"), mapped(batches, to_word), "--batch");
    cases = make_plan(grid.points(), models, datasets);
    for (const Case& c : cases) rows.push_back(describe(c, {{96, 8, 8}, true}));
    header = empty_run();
    header.tool.run_id = std::string(32, '5');
    header.tool.finished_at = missing("the run has not finished");
    header.environment.devices = {{"cpu", "Processor 9000", missing("unknown"), missing("unknown"),
                                   missing("unknown"), NamedValues{{"fp32", 1e9}}}};
  }
  SmallRun(const SmallRun&) = delete;
  SmallRun& operator=(const SmallRun&) = delete;

  std::vector<Work> work() const { return {cases.begin(), cases.end()}; }

  std::vector<Result> planned() const { return {rows.begin(), rows.end()}; }

  /// Begins the run, without a store by default.
  Recorder begin() const { return {header, planned(), no_store, ""}; }
  Recorder begin(OptionalStore& store) const { return {header, planned(), store, "/run.json"}; }

  /// Returns the row of a case after `epochs` epochs.
  CaseRecord after(std::size_t position, std::size_t epochs) const {
    CaseRecord row = rows.at(position);
    for (std::size_t i = 0; i < epochs; ++i) add_epoch(row, small_epoch());
    return row;
  }

  CaseRecord ended(std::size_t position, RowStatus status, const std::string& reason = "") const {
    CaseRecord row = after(position, 3);
    row.status = status;
    row.status_reason = reason;
    return row;
  }

  Catalog<ModelEntry> models;
  Catalog<DatasetEntry> datasets;
  std::vector<Case> cases;
  std::vector<CaseRecord> rows;
  RunRecord header;
  mutable OptionalStore no_store;

 private:
  static DataSpec spec() { return {Task::kClassification, {1, 28, 28}, 10}; }
  static ModelEntry model(const std::string& name) { return {name, "", name, spec(), "image", nullptr}; }
  static DatasetEntry grey_set() {
    DatasetEntry entry{};
    entry.name = "grey-set";
    entry.spec = spec();
    return entry;
  }
};

}  // namespace gpubench::test
