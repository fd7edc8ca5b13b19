#include "app/run/trials.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "app/run/interrupt_watch.h"
#include "engine/plan/plan.h"
#include "engine/sweep/budget.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/quantities.h"

namespace gpubench {
namespace {

bool is_default(const TrainingMode& mode) { return mode == TrainingMode{}; }

bool is_same_kind(const Case& a, const Case& b) {
  return make_identity(a).without({"batch_size"}) == make_identity(b).without({"batch_size"});
}

std::string to_text(const Measured<Bytes>& bytes) {
  return bytes.has_value() ? byte_text(bytes.value()) : "-";
}

/// With digits where whole seconds would hide what differs.
std::string short_text(Seconds time) {
  return time.value < 10 ? fmt::format("{:.2g} s", time.value) : duration_text(time);
}

void add_row(CaseTable& table, const Case& c, const Measured<Forecast>& expected) {
  const bool is_known = expected.has_value();
  table.add_row(c, {std::to_string(c.batch_size), std::to_string(c.repeat), to_string(c.protocol),
                    is_known ? std::to_string(expected.value().epochs) : "unknown",
                    is_known ? "about " + short_text(expected.value().training) : "unknown"});
}

CaseTable dry_table(const std::vector<Case>& cases) {
  return {cases,
          {{"batch", Align::kRight},
           {"repeat", Align::kRight},
           {"protocol", Align::kLeft},
           {"epochs", Align::kRight},
           {"time", Align::kRight}}};
}

/// Counts a model once, whatever its batch sizes.
class CostCounter {
 public:
  explicit CostCounter(const Engine& engine) : engine_(engine) {}

  Measured<StepCosts> of(const Case& c) {
    const auto [entry, is_new] = known_.try_emplace(model_text(c), missing("not counted"));
    if (is_new) entry->second = counted(c);
    return entry->second;
  }

 private:
  /// A worker's catalog tells names and sizes alone; this process builds the model.
  Measured<StepCosts> counted(Case c) const {
    c.model = engine_.models().find(c.model->name);
    if (c.model == nullptr) return missing("this engine lacks the model");
    return engine_.step_costs(c);
  }

  const Engine& engine_;
  std::map<std::string, Measured<StepCosts>> known_;
};

CaseTable max_batch_table(const std::vector<Case>& cases) {
  return {cases,
          {{"largest batch", Align::kRight},
           {"memory a sample", Align::kRight},
           {"memory", Align::kRight},
           {"what stops a larger one", Align::kLeft}}};
}

void add_row(CaseTable& table, const Case& c, const MaxBatch& found) {
  table.add_row(c, {std::to_string(found.batch_size), to_text(found.bytes_per_sample), to_text(found.peak),
                    found.failed_size > 0 ? fmt::format("{} is {}", found.failed_size, found.failure)
                                          : "all training samples fit into one batch"});
}

}  // namespace

CaseTable::CaseTable(const std::vector<Case>& cases, const std::vector<TextTable::Heading>& figures)
    : has_modes_(!std::all_of(cases.begin(), cases.end(), [](const Case& c) { return is_default(c.mode); })) {
  for (const char* name : {"model", "dataset", "device"}) table_.add_column(name, Align::kLeft);
  if (has_modes_) table_.add_column("mode", Align::kLeft);
  for (const TextTable::Heading& figure : figures) table_.add_column(figure.text, figure.align);
}

void CaseTable::add_row(const Case& c, const std::vector<std::string>& figures) {
  std::vector<std::string> cells{model_text(c), c.dataset->name, c.device};
  if (has_modes_) cells.push_back(is_default(c.mode) ? "default" : mode_text(c.mode));
  cells.insert(cells.end(), figures.begin(), figures.end());
  table_.add_row(std::move(cells));
}

std::string case_kind(const Case& c) {
  const std::string mode = mode_text(c.mode);
  return model_text(c) + " on " + c.device + (mode.empty() ? "" : ", " + mode);
}

std::vector<Case> smallest_cases(const std::vector<Case>& cases) {
  std::vector<Case> smallest;
  for (const Case& c : cases) {
    const auto same = std::find_if(smallest.begin(), smallest.end(),
                                   [&](const Case& other) { return is_same_kind(c, other); });
    if (same == smallest.end())
      smallest.push_back(c);
    else if (c.batch_size < same->batch_size)
      *same = c;
  }
  return smallest;
}

ExitCode run_dry(const PlanExecution& execution) {
  const std::vector<Case>& cases = execution.run().cases;
  CostCounter costs(execution.run().engine());
  CaseTable table = dry_table(cases);
  std::vector<std::string> notes;
  Seconds total{};
  for (const Case& c : cases) {
    const Measured<Forecast> expected = costs.of(c).then([&](const StepCosts& known) {
      return forecast(c, describe(c, execution.store().make_facts(c)), known,
                      execution.run().facts.environment);
    });
    add_row(table, c, expected);
    if (expected.has_value())
      total = total + expected.value().training;
    else
      add_once(notes, fmt::format("time of {} unknown: {}\n", case_kind(c), expected.reason()));
  }
  print(
      "{}\n{}{} cases, about {}{}: an estimate from counted work and the device's peaks, which a "
      "run hardly reaches; the start of each process comes on top. Nothing was trained.\n",
      table.to_string(), join(notes, ""), cases.size(), duration_text(total),
      notes.empty() ? "" : " and the unknown ones");
  return ExitCode::kOk;
}

ExitCode run_max_batch(PlanExecution& execution) {
  InterruptWatch interrupts(/*ends_at_second=*/true);
  TrialControl control(interrupts);
  const bool is_quiet = execution.run().options.is_quiet;
  CaseTable table = max_batch_table(execution.run().cases);
  for (const Case& c : smallest_cases(execution.run().cases)) {
    const std::int64_t samples = used_sizes(c, execution.store().make_facts(c)).train;
    const TellTrial tell = [&](std::int64_t size, const PilotResult& result) {
      if (!is_quiet) {
        log_info("{}, batch {}: {}", case_kind(c), size, to_string(result.pilot.status));
      }
    };
    add_row(table, c, find_max_batch(c, samples, execution.executor(), control, tell));
    if (interrupts.count() > 0) return ExitCode::kInterrupted;
  }
  print(table.to_string());
  return ExitCode::kOk;
}

}  // namespace gpubench
