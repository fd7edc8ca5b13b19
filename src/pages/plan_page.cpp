#include "pages/plan_page.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "compare/row_names.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/derived.h"
#include "pages/record_table.h"
#include "pages/words.h"

namespace gpubench {
namespace {

using Plans = std::vector<CasePlan>;

/// What the command line says about how much is measured, and where it goes.
constexpr std::array kReplaced = {
    "--repeat",    "--epochs", "--min-epochs", "--max-epochs", "--target-halfwidth",
    "--target-cv", "--margin", "--budget",     "--resume",     "--output",
    "-o"};

bool is_replaced(const std::string& option) {
  return std::ranges::find(kReplaced, option) != kReplaced.end();
}

/// As a shell takes it for one word.
std::string quoted(const std::string& word) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || std::strchr("_@%+=:,./-", c);
  };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return one_line(text + "'");
}

/// The words of the pilot's command line that a run as planned has too.
std::vector<std::string> kept_words(const std::vector<std::string>& arguments) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (is_replaced(word)) {
      ++i;  // Its value.
    } else if (word != "--plan" && !is_replaced(word.substr(0, word.find('=')))) {
      kept.push_back(quoted(word));
    }
  }
  return kept;
}

/// Whether the words are those of a training: a file may have been merged of several.
bool is_training(const std::vector<std::string>& arguments) {
  return arguments.empty() || arguments.front().starts_with('-') || arguments.front() == "suite";
}

/// One plan for all cases.
struct CommonPlan {
  std::int64_t epochs = 0;  ///< Without the warm-up.
  std::int64_t warmup = 0;
  std::int64_t processes = 0;
  Seconds duration;
};

std::optional<CommonPlan> common_plan(const Plans& plans, double margin) {
  CommonPlan common;
  for (const CasePlan& c : plans) {
    if (!c.plan.has_value()) continue;
    common.epochs = std::max(common.epochs, c.plan.value().epochs);
    common.warmup = std::max(common.warmup, c.warmup_epochs);
  }
  if (common.epochs == 0) return std::nullopt;
  for (const CasePlan& c : plans) {
    if (!c.variation.has_value()) continue;
    common.processes =
        std::max(common.processes, processes_needed(c.variation.value(), common.epochs, margin));
  }
  for (const CasePlan& c : plans) {
    if (c.plan.has_value())
      common.duration = common.duration + cost_of(c.costs, common.processes, common.epochs);
  }
  return common;
}

/// No number of a file is too large for it.
std::string time_text(Seconds duration) {
  constexpr double kMost = 1e12;
  return duration.value < kMost ? duration_text(duration) : "ages";
}

std::string command_of(const RunRecord& run, const CommonPlan& plan) {
  const auto& arguments = run.tool.arguments;
  std::vector<std::string> words{"gpubench"};
  append(words, is_training(arguments) ? kept_words(arguments) : std::vector<std::string>{"..."});
  return fmt::format("{} --repeat {} --epochs {}", join(words, " "), plan.processes,
                     plan.warmup + plan.epochs);
}

Seconds duration_of(const CasePlan& c) {
  return cost_of(c.costs, c.plan.value().processes, c.plan.value().epochs);
}

std::vector<Paragraph> summary_of(const RunRecord& run, const Plans& plans, const RowNames& names,
                                  double margin) {
  const auto common = common_plan(plans, margin);
  if (!common)
    return {caution("No plan: {}.", plans.empty()
                                        ? "no case has a timed epoch"
                                        : "no case has run in three processes or more; try --repeat 5")};
  std::vector<Paragraph> summary{{fmt::format("{} known to ± {} (95 %) takes about {}:",
                                              plans.size() == 1 ? "The median" : "Every median",
                                              percent_text(margin), time_text(common->duration))},
                                 {command_of(run, *common)}};
  if (run.plan.isolation == "none")
    summary.push_back(
        caution("All repetitions ran in one process (--isolate none): how processes differ is not in this."));
  std::vector<std::string> unseen;
  for (const CasePlan& c : plans) {
    if (c.variation.has_value() && c.variation.value().between == 0)
      unseen.push_back(one_line(names.of(c.identity)));
  }
  if (!unseen.empty())
    summary.push_back(
        caution("These processes do not tell whether processes differ, for their epochs explain all of it: "
                "{}. More of them would.",
                counted(unseen)));
  return summary;
}

Cell between_cell(const CasePlan& c) {
  if (!c.variation.has_value()) return no_figure(c.variation.reason());
  const Variation& v = c.variation.value();
  return {fmt::format("{} (up to {})", v.between > 0 ? percent_text(v.between) : "none seen",
                      percent_text(v.most_between)),
          v.between};
}

Cell processes_cell(const CasePlan& c) {
  if (!c.plan.has_value()) return no_figure("");
  const RepetitionPlan& plan = c.plan.value();
  const auto text = [](std::int64_t count) {
    return count < kMostProcesses ? std::to_string(count) : std::to_string(count) + " or more";
  };
  return {fmt::format("{} (up to {})", text(plan.processes), text(plan.most_processes)),
          static_cast<double>(plan.processes)};
}

std::vector<std::string> notes_of(double margin) {
  return {
      "within: standard deviation of an epoch in its process; between: of processes, without what their "
      "epochs explain, and the upper limit of that, of 80 %.",
      fmt::format(
          "epochs: of a process, warm-up included; processes: so that half the 95 % interval of the median "
          "is ± {}, by Student's distribution; in brackets with that limit (Kalibera and Jones 2013).",
          percent_text(margin)),
      "time: start, set-up and warm-up of each process, and its epochs."};
}

Table plan_table(const Plans& plans, const RowNames& names, double margin) {
  Columns<CasePlan> table(plans);
  const auto of_plan = [](auto cell_of) {
    return [=](const CasePlan& c) { return c.plan.has_value() ? Cell{cell_of(c)} : no_figure(""); };
  };
  table.add({"case"}, [&](const CasePlan& c) { return one_line(names.of(c.identity)); });
  table.add({"measured", "", true}, [](const CasePlan& c) { return count_cell(c.processes); });
  table.add({"within", "", true}, [](const CasePlan& c) {
    if (!c.variation.has_value()) return no_figure("");
    return Cell{percent_text(c.variation.value().within), c.variation.value().within};
  });
  table.add({"between", "", true}, between_cell);
  table.add({"epochs", "", true}, of_plan([](const CasePlan& c) {
              return count_cell(static_cast<std::size_t>(c.warmup_epochs + c.plan.value().epochs));
            }));
  table.add({"processes", "", true}, processes_cell);
  table.add({"time", "", true}, of_plan([](const CasePlan& c) {
              return Cell{time_text(duration_of(c)), duration_of(c).value};
            }));
  return table.take("", notes_of(margin));
}

/// For other programs.
Table plan_data(const Plans& plans, const std::string& name) {
  Columns<CasePlan> table(plans);
  table.add({"file"}, [&](const CasePlan&) { return name; });
  table.add({"case"}, [](const CasePlan& c) { return name_of(c.identity); });
  const auto add_variation = [&](const char* heading, double Variation::*member) {
    table.add({heading, "", true}, [=](const CasePlan& c) { return value_cell(c.variation.then(member)); });
  };
  add_variation("within", &Variation::within);
  add_variation("between", &Variation::between);
  add_variation("most_between", &Variation::most_between);
  const auto add_count = [&](const char* heading, std::int64_t RepetitionPlan::*member) {
    table.add({heading, "", true}, [=](const CasePlan& c) {
      return value_cell(
          c.plan.then([=](const RepetitionPlan& plan) { return static_cast<double>(plan.*member); }));
    });
  };
  add_count("timed_epochs", &RepetitionPlan::epochs);
  add_count("processes", &RepetitionPlan::processes);
  add_count("most_processes", &RepetitionPlan::most_processes);
  table.add({"seconds", "", true}, [](const CasePlan& c) {
    return value_cell(c.plan.then([&](const RepetitionPlan&) { return duration_of(c).value; }));
  });
  return table.take();
}

}  // namespace

Page plan_page(const RunRecord& run, const std::string& name, double margin) {
  const Plans plans = plans_of(run, margin);
  const RowNames names(mapped(plans, &CasePlan::identity));
  Page page{name + ": how much is enough", summary_of(run, plans, names, margin), {}, plan_data(plans, name)};
  add_section(page.sections, "Plan", plan_table(plans, names, margin));
  return page;
}

}  // namespace gpubench
