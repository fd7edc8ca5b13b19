#include "compare/candidate.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"

namespace gpubench {
namespace {

using enum Comparability;

bool are_alike(const Condition& one, const Condition& other) {
  constexpr double kTolerance = 0.01;
  if (one.value.empty() || other.value.empty() || one.scope != other.scope) return true;
  if (one.is_doubtful || other.is_doubtful) return false;
  if (one.amount > 0 && other.amount > 0)
    return std::abs(one.amount - other.amount) <= kTolerance * std::max(one.amount, other.amount);
  return one.value == other.value;
}

/// Returns "laptop" for "laptop.json".
std::string file_stem(const Candidate& one) { return one.file.substr(0, one.file.rfind(".json")); }

/// Returns the machine: its host, of a publication its device, or the file of an anonymous result.
std::string machine_name(const Candidate& one) {
  if (!one.host.empty()) return one.host;
  return one.published ? one.device.name : file_stem(one);
}

constexpr std::size_t kNameChoices = 6;

/// Returns the possible names, in order of preference.
std::array<std::string, kNameChoices> list_names(const Candidate& one, bool is_one_machine) {
  const std::string& device = one.device.name;
  const std::string machine = machine_name(one);
  const std::string stem = file_stem(one);
  const std::string both = machine == device ? machine : machine + " " + device;
  return {one.variant, machine, is_one_machine ? device : "", both, stem, stem + " " + device};
}

/// Returns true if all rows of `early` started before those of `late`; false if a file lacks its times.
bool is_before(const Candidate& early, const Candidate& late) {
  if (early.first_start.empty() || late.first_start.empty()) return false;
  // The second run may begin in the second in which the first ends.
  return early.last_start <= late.first_start && early.first_start < late.last_start;
}

bool has_rounds(const Candidate& candidate) {
  return std::ranges::any_of(candidate.rows, [](const ComparedRow& row) {
    const Metric* const metric = find_main_metric({&row});
    return metric != nullptr && row.find(*metric)->size() >= kFewestForInterval;
  });
}

/// Returns "precision amp-bf16" or "variant B" in interleaved runs, or the file if others have the same
/// device.
std::string describe_distinction(const Candidate& one, const std::vector<Candidate>& all) {
  std::vector<std::string> choices;
  for (const Candidate& other : all) {
    if (!are_interleaved(one, other)) continue;
    std::vector<Difference> found;
    for (std::size_t i = 0; i < std::min(one.rows.size(), other.rows.size()); ++i)
      append(found, compare_conditions(one.rows[i].conditions, other.rows[i].conditions));
    append(found, compare_conditions(one.conditions, other.conditions));
    for (const Difference& difference : found) {
      if (difference.is_choice) add_once(choices, difference.what + " " + difference.left);
    }
  }
  if (!choices.empty()) return join(choices);
  const auto is_same_device = [&](const Candidate& other) {
    return other.file != one.file && other.host == one.host && other.device.name == one.device.name;
  };
  return one.variant.empty() && std::ranges::any_of(all, is_same_device) ? one.file : "";
}

}  // namespace

std::vector<Difference> compare_conditions(const Conditions& left, const Conditions& right,
                                           bool allows_choices) {
  std::vector<Difference> all;
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    const Condition& one = left[i];
    const Condition& other = right[i];
    if (are_alike(one, other)) continue;
    Difference difference{
        std::string(one.name), one.value, other.value, one.effects, one.is_choice && one.value != other.value,
        one.is_setting};
    if (allows_choices && difference.is_choice) difference.effect = kNoEffect;
    if (one.is_doubtful || other.is_doubtful) {
      for (Comparability& effect : difference.effect) effect = std::min(effect, kCaveat);
    }
    all.push_back(std::move(difference));
  }
  return all;
}

std::string setting_name(std::string_view condition) {
  std::string name;
  for (const unsigned char c : condition) name += c == ' ' ? '-' : static_cast<char>(std::tolower(c));
  return name;
}

const std::vector<const Metric*>& all_metrics() {
  static const std::vector<const Metric*> all = [] {
    std::vector<const Metric*> metrics;
    const auto add_from = [&](const auto& fields) {
      for (const auto& field : fields) {
        if (field.use) metrics.push_back(&field);
      }
    };
    add_from(case_fields());
    add_from(op_fields());
    return metrics;
  }();
  return all;
}

const std::vector<const Metric*>& main_metrics() {
  static const std::vector<const Metric*> by_rank = [] {
    std::vector<const Metric*> metrics = all_metrics();
    std::erase_if(metrics, [](const Metric* metric) { return metric->use->main_rank == 0; });
    std::ranges::sort(metrics, {}, [](const Metric* metric) { return metric->use->main_rank; });
    return metrics;
  }();
  return by_rank;
}

const Metric& find_metric(const std::string& key, const std::string& option) {
  const auto found = std::ranges::find(all_metrics(), key, &Metric::key);
  if (found == all_metrics().end())
    throw_unknown_name(option, "metric", key, mapped(all_metrics(), &Metric::key));
  return **found;
}

std::vector<const Metric*> find_metrics(const std::string& word, const std::string& option) {
  std::vector<const Metric*> metrics = all_metrics();
  std::erase_if(metrics, [&](const Metric* metric) { return to_string(metric->use->metric_class) != word; });
  if (metrics.empty()) metrics.push_back(&find_metric(word, option));
  return metrics;
}

const MetricSamples* ComparedRow::find(std::string_view key) const {
  const auto found =
      std::ranges::find(metrics, key, [](const MetricSamples& one) { return one.metric->key; });
  return found == metrics.end() ? nullptr : &*found;
}

Measured<Estimate> ComparedRow::estimate(std::string_view key) const {
  const MetricSamples* const samples = find(key);
  return samples == nullptr ? Measured<Estimate>(missing("not measured")) : samples->estimate;
}

Measured<Estimate> typical_seconds(const ComparedRow& row) {
  return row.estimate(row.identity.at("op").empty() ? "median_epoch_seconds" : "median_call_seconds");
}

const Metric* find_main_metric(const std::vector<const ComparedRow*>& rows) {
  const auto found = std::ranges::find_if(main_metrics(), [&](const Metric* metric) {
    return std::ranges::all_of(rows, [&](const auto* row) { return row->estimate(*metric).has_value(); });
  });
  return found == main_metrics().end() ? nullptr : *found;
}

Measuring find_measuring(const Candidate& left, const Candidate& right) {
  if (are_interleaved(left, right)) return Measuring::kInterleaved;
  if (left.is_history || right.is_history) return Measuring::kHistory;
  if (is_same_file(left, right)) return Measuring::kMixed;
  if (left.host != right.host) return Measuring::kApart;
  return is_before(left, right) || is_before(right, left) ? Measuring::kApart : Measuring::kMixed;
}

std::vector<CandidateRow> list_rows(const std::vector<Candidate>& candidates) {
  std::vector<CandidateRow> rows;
  for (const Candidate& candidate : candidates) {
    for (const ComparedRow& row : candidate.rows) rows.push_back({&candidate, &row});
  }
  return rows;
}

void set_price(std::vector<Candidate>& all, const std::string& name, double per_hour) {
  bool is_known = false;
  for (Candidate& one : all) {
    const std::string names[] = {one.name, one.file, file_stem(one), one.host, one.device.name};
    if (std::ranges::find(names, name) == std::end(names)) continue;
    one.price_per_hour = per_hour;
    is_known = true;
  }
  if (is_known) return;
  std::vector<std::string> known = names_in(all);
  for (const Candidate& one : all) add_once(known, file_stem(one));
  throw_unknown_name("--price", "machine", name, known);
}

std::vector<RowIdentity> make_identities(const std::vector<Candidate>& candidates) {
  return mapped(list_rows(candidates),
                [](const CandidateRow& row) { return row.row->identity.without({"device"}); });
}

bool is_cpu(const Candidate& candidate) {
  if (!candidate.published) return candidate.device.name == "cpu";
  return (" " + candidate.device.name + " ").find(" CPU ") != std::string::npos;
}

bool is_same_file(const Candidate& left, const Candidate& right) {
  return left.file == right.file && left.started_at == right.started_at && left.variant == right.variant;
}

bool are_interleaved(const Candidate& left, const Candidate& right) {
  return !left.interleaved_run.empty() && left.interleaved_run == right.interleaved_run &&
         left.variant != right.variant;
}

std::size_t count_ok_rows(const Candidate& candidate) {
  return static_cast<std::size_t>(std::ranges::count(candidate.rows, true, &ComparedRow::is_ok));
}

std::string full_name(const Candidate& candidate) {
  const DeviceRecord& device = candidate.device;
  std::vector<std::string> parts;
  if (candidate.published) {
    parts = {"published"};
  } else {
    const std::string known = " " + candidate.name + " ";
    for (const std::string& part : {candidate.host, device.name}) {
      if (!part.empty() && known.find(" " + part + " ") == std::string::npos) parts.push_back(part);
    }
    if (!device.model.empty()) parts.push_back(device.model);
  }
  const std::string& distinction = candidate.distinction;
  if (!distinction.empty() && !distinction.starts_with(candidate.name)) parts.push_back(distinction);
  return parts.empty() ? candidate.name : fmt::format("{} ({})", candidate.name, join(parts));
}

std::vector<Difference> differences(const Candidate& left, const Candidate& right) {
  std::vector<Difference> found =
      compare_conditions(left.conditions, right.conditions, are_interleaved(left, right));
  std::erase_if(found, [](const Difference& one) { return one.effect == kNoEffect && !one.is_choice; });
  // Repeats do not show changes of a machine between runs in sequence.
  const bool is_in_sequence = left.host == right.host && find_measuring(left, right) == Measuring::kApart;
  if (!is_in_sequence || !has_rounds(left) || !has_rounds(right)) return found;
  const bool is_left_first = is_before(left, right);
  found.push_back({"order of measuring",
                   is_left_first ? "ran first" : "ran afterwards",
                   is_left_first ? "ran afterwards" : "ran first",
                   {kCaveat, kComparable, kComparable, kComparable, kCaveat}});
  return found;
}

void name_candidates(std::vector<Candidate>& all) {
  for (Candidate& one : all) one.distinction = describe_distinction(one, all);
  const auto is_of_first = [&](const Candidate& one) {
    return machine_name(one) == machine_name(all.front()) && is_same_file(one, all.front());
  };
  const bool is_one_machine = std::ranges::all_of(all, is_of_first);
  for (std::size_t choice = 0; choice < kNameChoices; ++choice) {
    std::set<std::string> unlike;
    for (Candidate& one : all) {
      one.name = list_names(one, is_one_machine)[choice];
      if (!one.name.empty()) unlike.insert(one.name);
    }
    if (unlike.size() == all.size()) return;
  }
  // A file may be given twice.
  for (std::size_t i = 0; i < all.size(); ++i) all[i].name += fmt::format(" ({})", i + 1);
}

}  // namespace gpubench
