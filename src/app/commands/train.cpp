#include "app/commands/train.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "app/commands/common_options.h"
#include "app/run/engine_loader.h"
#include "app/run/run.h"
#include "app/run/terminal.h"
#include "device/host/host_process.h"
#include "engine/plan/suite.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/core/text/utf8.h"
#include "gpubench/record/workload.h"
#include "gpubench/report_writer.h"
#include "pages/format.h"

namespace gpubench {
namespace {

using Words = std::vector<std::string>;

/// Returns the plan of the command line, or the suite's groups, overridden by the command line.
std::vector<TrainGrid> list_groups(const TrainOptions& given, PlannedRun& run) {
  if (given.suite.empty()) return {given.plan};
  Suite suite = load_suite(given.suite);
  run.plan.suite = suite.name;
  if (!run.options.timeout) run.options.timeout = suite.timeout;
  if (!run.options.budget) run.options.budget = suite.budget;
  for (TrainGrid& group : suite.groups) group.overlay(given.plan);
  return std::move(suite.groups);
}

/// Calls `work`, and adds the name of the suite, if any, to its errors.
template <class Work>
auto in_suite(const std::string& suite, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (suite.empty()) throw;
    throw Error(error.kind(), "suite {}: {}", suite, error.what());
  }
}

void check_group(const TrainGrid& group, const std::string& suite) {
  const auto has = [&](const char* key, const char* word) {
    const Words words = group.words(key);
    return std::ranges::find(words, word) != words.end();
  };
  require(!has("world_size", "all") || group.words("world_size").size() == 1,
          "--world-size all: excludes other values; leave them out");
  if (!group.finds_max_batch()) return;
  require(!has("protocol", "single-stream"), "--batch max: single-stream has no batches; use offline");
  require(group.words("batch_size").size() == 1, "--batch max: excludes other sizes; leave them out");
  require(suite.empty(),
          "--batch max: is not for suites; run it alone, as in 'gpubench --model cnn --batch max'");
}

/// Returns the points of a group. Without --world-size, all ranks of a launcher train together.
std::vector<TrainPoint> list_points(const TrainGrid& group) {
  std::vector<TrainPoint> points;
  for (TrainPoint point : group.points()) {
    if (!group.is_given("world_size")) {
      point.ranks = launched_ranks();
      const WorkloadEntry& workload = workload_for(point.protocol);
      const bool is_alone = std::ranges::find(workload.unused, "world_size") != workload.unused.end();
      require(!is_alone || point.ranks == 1,
              "{}: runs in one process, not in {}; start it without the launcher", workload.name,
              point.ranks);
    }
    const bool is_all = point.ranks == 0;
    const std::int64_t most = is_all ? most_ranks_for({point.device}) : point.ranks;
    for (std::int64_t ranks = 1; is_all && ranks < most; ranks *= 2) {
      point.ranks = ranks;
      points.push_back(point);
    }
    point.ranks = most;
    points.push_back(std::move(point));
  }
  return points;
}

/// Returns true if no option sets a duration or repeats, so that cases run kPlainRepeats times.
bool is_plain_run(const TrainOptions& options) {
  for (const Parameter<TrainPoint>& parameter : train_parameters()) {
    if (parameter.use.topic == Topic::kLength && options.plan.is_given(parameter.key)) return false;
  }
  return options.suite.empty() && !options.is_dry_run && !options.plan.finds_max_batch();
}

/// Returns "mlp on cpu" or "mlp on cpu, bf16".
std::string case_kind(const Case& c) {
  const std::string mode = mode_text(c.asked.mode);
  // Spaces let tables wrap the sizes.
  const std::string model = fmt::format("{}", fmt::join(split_fields(model_text(c), ','), ", "));
  return model + " on " + c.asked.device + (mode.empty() ? "" : ", " + mode);
}

/// Shows times below 10 s with two digits, since whole seconds would hide differences.
std::string short_text(Seconds time) {
  return time.value < 10 ? fmt::format("{:.2g} s", time.value) : duration_text(time);
}

Table memory_table(const std::string& title, const MemoryEstimate& memory) {
  Table table{"", {{"memory of " + title}, {"size", "", true}}, {}};
  const auto add = [&](const char* part, Bytes size) {
    if (size.value > 0) table.rows.push_back({{part}, {byte_text(size)}});
  };
  add("parameters", memory.parameters);
  add("gradients", memory.gradients);
  add("optimizer state", memory.optimizer);
  add("activations and workspace", memory.activations);
  add("samples", memory.data);
  add("program and libraries", memory.program);
  add("total", memory.total());
  return table;
}

/// Expected time and memory of the cases of a dry run.
class DryRun {
 public:
  explicit DryRun(const RunResources& resources, const Environment& environment)
      : resources_(resources), environment_(environment) {}

  void add(const Case& c) {
    Case built = c;
    // The case has names and sizes only; the engine can build the model.
    built.model = engine_.models().find(c.model->name);
    const Measured<Forecast> time = expect_time(built, c);
    const Measured<MemoryEstimate> memory = expect_memory(built);
    const bool is_known = time.has_value();
    table_.rows.push_back({{case_kind(c)},
                           {c.dataset->name},
                           {std::to_string(c.asked.batch_size)},
                           {std::to_string(c.asked.repeat)},
                           {c.asked.protocol},
                           {is_known ? std::to_string(time.value().epochs) : "unknown"},
                           {is_known ? short_text(time.value().training) : "unknown"},
                           {memory.has_value() ? byte_text(memory.value().total()) : "unknown"}});
    if (is_known)
      total_ = total_ + time.value().training;
    else
      add_once(table_.notes, fmt::format("time of {} unknown: {}", case_kind(c), time.reason()));
    has_unknown_ = has_unknown_ || !is_known;
    const std::string title = fmt::format("{}, batch {}", case_kind(c), c.asked.batch_size);
    if (memory.has_value())
      memories_.emplace(title, memory_table(title, memory.value()));
    else if (is_known)  // Otherwise, the reason is the same.
      add_once(table_.notes, fmt::format("memory of {} unknown: {}", case_kind(c), memory.reason()));
  }

  /// Returns a row for each case, and the parts of the memory if all cases need the same.
  Page page() const {
    Section section{"", {folded(table_)}};
    if (memories_.size() == 1) section.blocks.push_back(memories_.begin()->second);
    section.blocks.push_back(
        Paragraph{fmt::format("{}, at least {}{} (dry run, no training)", counted(table_.rows.size(), "row"),
                              short_text(total_), has_unknown_ ? " plus the unknown times" : "")});
    section.blocks.push_back(
        Paragraph{"The estimate assumes the peaks of the device and omits the start of processes."});
    return {"", {}, {std::move(section)}, {}};
  }

 private:
  Measured<Forecast> expect_time(const Case& built, const Case& c) {
    const auto [cost, is_new] =
        costs_.try_emplace({model_text(c), c.asked.protocol}, missing("this engine lacks the model"));
    if (is_new && built.model != nullptr) cost->second = engine_.step_costs(built);
    return cost->second.then([&](const StepCosts& known) {
      return forecast(c, describe(c, resources_.data_facts(c)), known, environment_);
    });
  }

  Measured<MemoryEstimate> expect_memory(const Case& built) const {
    if (built.model == nullptr) return missing("this engine lacks the model");
    const SplitSizes samples = used_sizes(built, resources_.data_facts(built));
    return engine_.estimate_memory(built, samples).then([&](MemoryEstimate known) {
      if (built.asked.device == "cpu") known.program = program_;
      return known;
    });
  }

  /// Rounds to 64 MiB, since equal commands should print equal estimates.
  static Bytes rounded(Bytes size) {
    constexpr std::int64_t kUnit = std::int64_t{64} << 20;
    return {(size.value + kUnit / 2) / kUnit * kUnit};
  }

  const RunResources& resources_;
  const Environment& environment_;
  Bytes before_ = current_resident();
  const Engine& engine_ = load_engine();
  Bytes program_ = rounded(current_resident() - before_);  // Without the data, which is in memory already.
  /// By model and protocol; the batch size does not matter.
  std::map<std::pair<std::string, std::string>, Measured<StepCosts>> costs_;
  Table table_{"",
               {{"case"},
                {"dataset"},
                {"batch", "", true},
                {"repeat"},
                {"protocol"},
                {"epochs", "", true},
                {"time", "", true},
                {"memory", "", true}},
               {}};
  std::map<std::string, Table> memories_;  // By title.
  Seconds total_{};
  bool has_unknown_ = false;  // Some time is unknown.
};

/// Prints the cases with their expected time and memory (--dry-run).
ExitCode run_dry(PlannedRun& run) {
  const RunResources resources(run);
  DryRun dry(resources, run.facts.environment);
  for (const Case& c : run.cases()) dry.add(c);
  print(render_for_stdout(dry.page(), report_formats().require("txt", "--format")));
  return ExitCode::kOk;
}

/// Searches for the largest batch size of each model, device and mode (--batch max).
ExitCode run_max_batch(PlannedRun& run) {
  RunResources resources(run);
  const auto interrupts = watch_interrupts();
  TrialControl control(*interrupts);
  const bool is_quiet = run.options.is_quiet;
  const auto bytes_cell = [](const Measured<Bytes>& bytes) {
    return bytes.has_value() ? byte_text(bytes.value()) : "-";
  };
  TextTable table({{"case"},
                   {"dataset"},
                   {"largest batch", Align::kRight},
                   {"memory per sample", Align::kRight},
                   {"memory", Align::kRight},
                   {"next larger batch"}});
  for (const Case& c : run.cases()) {
    if (c.asked.repeat > 1) continue;
    const std::int64_t samples = used_sizes(c, resources.data_facts(c)).train;
    const ReportTrial report = [&](std::int64_t size, const Pilot& pilot) {
      if (!is_quiet) log_info("{}, batch {}: {}", case_kind(c), size, to_string(pilot.status));
    };
    const MaxBatch found = find_max_batch(c, samples, resources.executor(), control, report);
    table.add_row({case_kind(c), c.dataset->name, std::to_string(found.batch_size),
                   bytes_cell(found.bytes_per_sample), bytes_cell(found.peak),
                   found.failed_size > 0 ? fmt::format("{}: {}", found.failed_size, found.failure)
                                         : "none: the batch has all training samples"});
    if (interrupts->count() > 0) return ExitCode::kInterrupted;
  }
  print(table.to_string(output_width()));
  return ExitCode::kOk;
}

}  // namespace

PlannedTraining::PlannedTraining(const TrainOptions& given) : PlannedRun(given) {
  if (given.is_dry_run || given.plan.finds_max_batch()) options.meter = "none";
  const auto groups = mapped(list_groups(given, *this), [&](const TrainGrid& group) {
    return in_suite(given.suite, [&] {
      check_group(group, given.suite);
      return list_points(group);
    });
  });
  std::int64_t most_ranks = 1;
  Words devices;
  is_plain = is_plain_run(given) && !options.budget;
  is_repeated = is_plain || options.budget.has_value();  // The remaining budget is spent on repeats.
  for (const std::vector<TrainPoint>& group : groups) {
    for (const TrainPoint& point : group) {
      most_ranks = std::max(most_ranks, point.ranks);
      add_once(devices, point.device);
      is_repeated = is_repeated || point.repeat > 1;
    }
  }
  launch_ranks(*this, most_ranks);
  ask_engine({devices});
  const auto get_device = [](TrainPoint& point) -> std::string& { return point.device; };
  for (const std::vector<TrainPoint>& group : groups) {
    append(work, in_suite(given.suite, [&] {
             return make_plan(resolved(group, get_device), model_catalog(), datasets());
           }));
  }
  require_room(work.size());
  plan.order_seed = std::get<Case>(work.front()).asked.seed;
  if (options.budget) plan.budget = *options.budget;
}

ExitCode run_train(const TrainOptions& options) {
  if (const auto code = run_peer_rank(options)) return *code;
  if (options.resume && !options.is_continued) return continued_command(options)();
  PlannedTraining plan(options);
  if (options.is_dry_run) return run_dry(plan);
  if (options.plan.finds_max_batch()) return run_max_batch(plan);
  return run_recorded(plan);
}

namespace {

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<TrainOptions>();
  const WorkloadEntry& workload = workloads().require(parser.name(), "command");
  add_training_options(parser, *options);
  if (workload.name != workloads().begin()->name) {
    const std::string usual = " (default " + workload.protocols.front() + ")";
    parser.group({"--scenario"}, "Workload");
    parser.describe("--scenario", "Timed work: " + join(workload.protocols) + usual);
  }
  parser.remove(mapped(workload.unused, [](const std::string& key) -> std::string {
    return train_parameters().find(key)->use.option;
  }));
  parser.footer(
      fmt::format("Examples:\n  gpubench {0} {1}\n"
                  "  gpubench {0} --model mlp,cnn --device cpu,cuda --repeat 5\n"
                  "Comma-separated values run every combination. --batch max searches the largest\n"
                  "batch size that fits into memory. All options: gpubench {0} --help-all\n"
                  "Exit code 5: a case failed",
                  workload.name, workload.example));
  parser.on_parsed([options, &workload] {
    if (!options->plan.is_given("protocol")) options->plan.set("protocol", {workload.protocols.front()});
    for (const std::string& protocol : options->plan.words("protocol")) {
      const WorkloadEntry& other = workload_for(protocol);
      require(&other == &workload || &workload == &*workloads().begin(),
              "--protocol {}: belongs to 'gpubench {}'; use that command", protocol, other.name);
    }
    return run_train(*options);
  });
}

}  // namespace

CommandEntry workload_command(const WorkloadEntry& workload) {
  return {workload.name, workload.summary, add_options};
}

}  // namespace gpubench
