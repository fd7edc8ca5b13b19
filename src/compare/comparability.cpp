#include "gpubench/compare/comparability.h"

#include <algorithm>
#include <functional>

#include "compare/energy_rules.h"

namespace gpubench {
namespace {

using Effect = std::array<Judgement, kMetrics>;

constexpr Judgement kFine = Judgement::kComparable;
constexpr Judgement kMind = Judgement::kCaveat;
constexpr Judgement kNever = Judgement::kRefused;

/// Something to look at, and what it does where it differs: to time, start-up, memory, accuracy, energy.
template <class Subject>
struct Rule {
  std::string what;
  std::function<std::string(const Subject&)> value;
  Effect effect;
};

std::string yes_or_no(bool is_so) { return is_so ? "yes" : "no"; }

std::string count_text(std::int64_t count) { return count > 0 ? std::to_string(count) : ""; }

/// What only matters where the CPU trains.
std::string of_cpu(const Contender& contender, const std::string& text) {
  return is_cpu(contender) ? text : "";
}

std::string data_text(const CaseFigures& figures) {
  if (figures.dataset_digest.empty() || figures.dataset_digest == "synthetic") return figures.dataset_digest;
  return "files " + figures.dataset_digest.substr(0, 8);
}

const std::vector<Rule<Contender>>& contender_rules() {
  using C = Contender;
  static const std::vector<Rule<C>> rules = {
      {"protocol",
       [](const C& c) { return c.publication.empty() ? "gpubench" : "published, other protocol"; },
       {kMind, kMind, kMind, kMind, kMind}},
      {"LibTorch", [](const C& c) { return c.libtorch_version; }, {kMind, kMind, kMind, kFine, kMind}},
      {"threads",
       [](const C& c) { return of_cpu(c, count_text(c.threads)); },
       {kMind, kMind, kFine, kFine, kMind}},
      {"allocator", [](const C& c) { return of_cpu(c, c.allocator); }, {kMind, kMind, kMind, kFine, kMind}},
      {"isolation", [](const C& c) { return c.isolation; }, {kFine, kMind, kMind, kFine, kFine}},
  };
  return rules;
}

const std::vector<Rule<CaseFigures>>& case_rules() {
  using F = CaseFigures;
  static const std::vector<Rule<F>> rules = {
      {"precision",
       [](const F& f) { return to_string(f.mode.precision); },
       {kNever, kNever, kNever, kNever, kNever}},
      {"samples an epoch",
       [](const F& f) { return count_text(f.train_samples); },
       {kNever, kNever, kMind, kNever, kNever}},
      {"protocol of timing",
       [](const F& f) { return to_string(f.protocol); },
       {kMind, kNever, kFine, kFine, kMind}},
      {"loader", [](const F& f) { return to_string(f.mode.loader); }, {kMind, kMind, kMind, kFine, kMind}},
      {"execution", [](const F& f) { return f.execution_used; }, {kMind, kMind, kMind, kFine, kMind}},
      {"layout", [](const F& f) { return f.layout_used; }, {kMind, kFine, kMind, kFine, kMind}},
      {"optimizer", [](const F& f) { return f.optimizer; }, {kMind, kFine, kMind, kMind, kMind}},
      {"data", data_text, {kMind, kFine, kFine, kNever, kMind}},
      {"last batch dropped",
       [](const F& f) { return yes_or_no(f.is_last_batch_dropped); },
       {kMind, kFine, kFine, kMind, kMind}},
      {"epochs trained",
       [](const F& f) { return count_text(f.epochs); },
       {kFine, kFine, kFine, kNever, kFine}},
      {"warnings while it ran",
       [](const F& f) { return yes_or_no(f.has_warnings); },
       {kMind, kFine, kFine, kFine, kMind}},
  };
  return rules;
}

/// What a file does not tell differs from nothing: an older gpubench or a publication may leave it out.
template <class Subject>
std::vector<Difference> found(const std::vector<Rule<Subject>>& rules, const Subject& left,
                              const Subject& right) {
  std::vector<Difference> all;
  for (const Rule<Subject>& rule : rules) {
    const std::string a = rule.value(left);
    const std::string b = rule.value(right);
    if (a != b && !a.empty() && !b.empty()) all.push_back({rule.what, a, b, rule.effect});
  }
  return all;
}

}  // namespace

std::string to_string(Metric metric) {
  static const std::array<std::string, kMetrics> names = {"epoch time", "start-up", "memory", "accuracy",
                                                          "energy"};
  return names[static_cast<std::size_t>(metric)];
}

std::string to_string(Judgement judgement) {
  static const std::array<std::string, 3> names = {"comparable", "caveat", "refused"};
  return names[static_cast<std::size_t>(judgement)];
}

std::vector<Difference> differences(const Contender& left, const Contender& right) {
  return found(contender_rules(), left, right);
}

std::vector<Difference> differences(const CaseFigures& left, const CaseFigures& right) {
  std::vector<Difference> all = found(case_rules(), left, right);
  for (Difference& difference : energy_differences(left, right)) all.push_back(std::move(difference));
  return all;
}

Judgement judgement_on(Metric metric, const std::vector<Difference>& differences) {
  Judgement worst = Judgement::kComparable;
  for (const Difference& difference : differences) worst = std::max(worst, difference.on(metric));
  return worst;
}

int distance(const CaseFigures& left, const CaseFigures& right) {
  // Powers of two: no number of lesser differences outweighs a greater one.
  const std::array<bool, 6> unlike = {
      left.mode.execution != right.mode.execution, left.mode.layout != right.mode.layout,
      left.mode.loader != right.mode.loader,       left.protocol != right.protocol,
      left.train_samples != right.train_samples,   left.mode.precision != right.mode.precision};
  int sum = 0;
  for (std::size_t i = 0; i < unlike.size(); ++i) sum += unlike[i] ? 1 << i : 0;
  return sum;
}

}  // namespace gpubench
