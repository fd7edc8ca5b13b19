#include "compare/candidate.h"

#include <array>
#include <cmath>
#include <initializer_list>
#include <set>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"

namespace gpubench {
namespace {

using enum Comparability;

/// Returns "laptop" for "laptop.json".
std::string file_stem(const Candidate& one) { return one.file.substr(0, one.file.rfind(".json")); }

constexpr std::size_t kNameChoices = 6;

/// Returns the possible names, in order of preference. Labels are always unique.
std::array<std::string, kNameChoices> list_names(const Candidate& one) {
  const std::string& device = one.device.name;
  const std::string& host = one.published ? device : one.host;
  const std::string stem = file_stem(one);
  return {host, device, host + " " + device, stem, stem + " " + device, one.label};
}

/// Returns true if all rows of `early` started before those of `late`; false if a file lacks its times.
bool is_before(const Candidate& early, const Candidate& late) {
  if (early.first_start.empty() || late.first_start.empty()) return false;
  // The second run may begin in the second in which the first ends.
  return early.last_start <= late.first_start && early.first_start < late.last_start;
}

/// Formats "laptop, mps (Apple M2 Max)", or "M1 Max, published".
std::string device_text(const Candidate& candidate) {
  const DeviceRecord& device = candidate.device;
  if (candidate.published) return fmt::format("{}, published", device.name);
  const std::string model = device.model.empty() ? "" : fmt::format(" ({})", device.model);
  const std::string host = candidate.host.empty() ? "" : candidate.host + ", ";
  return host + device.name + model;
}

bool are_alike(const Condition& one, const Condition& other) {
  constexpr double kTolerance = 0.01;
  if (one.value.empty() || other.value.empty() || one.scope != other.scope) return true;
  if (one.is_doubtful || other.is_doubtful) return false;
  if (one.amount > 0 && other.amount > 0)
    return std::abs(one.amount - other.amount) <= kTolerance * std::max(one.amount, other.amount);
  return one.value == other.value;
}

/// Compares conditions by position. Both sides have the same list, that of their kind of row.
std::vector<Difference> compare_conditions(const Conditions& left, const Conditions& right, bool may_choose) {
  std::vector<Difference> all;
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    const Condition& one = left[i];
    const Condition& other = right[i];
    if (are_alike(one, other)) continue;
    Difference difference{std::string(one.name), one.value, other.value, one.effects,
                          one.is_choice && one.value != other.value};
    if (may_choose && difference.is_choice) difference.effect = kNoEffect;
    if (one.is_doubtful || other.is_doubtful) {
      for (Comparability& effect : difference.effect) effect = std::min(effect, kCaveat);
    }
    all.push_back(std::move(difference));
  }
  return all;
}

bool has_rounds(const Candidate& candidate) {
  return std::ranges::any_of(
      candidate.rows, [](const RowFigures& row) { return row.process_seconds.size() >= kFewestForInterval; });
}

/// Returns a caution for runs of one host in sequence, since repeats do not show changes between the runs.
std::vector<Difference> order_difference(const Candidate& left, const Candidate& right) {
  const bool is_one_host = left.host == right.host;
  if (!is_one_host || find_measuring(left, right) != Measuring::kApart) return {};
  if (!has_rounds(left) || !has_rounds(right)) return {};
  const bool is_left_first = is_before(left, right);
  return {{"order of measuring",
           is_left_first ? "ran first" : "ran afterwards",
           is_left_first ? "ran afterwards" : "ran first",
           {kCaveat, kComparable, kComparable, kComparable, kCaveat}}};
}

/// Returns "precision amp-bf16" or "variant B" in interleaved runs, or the file if others have the same
/// device.
std::string describe_distinction(const Candidate& one, const std::vector<Candidate>& all) {
  std::vector<std::string> choices;
  for (const Candidate& other : all) {
    if (!are_interleaved(one, other)) continue;
    std::vector<Difference> found;
    for (std::size_t i = 0; i < std::min(one.rows.size(), other.rows.size()); ++i)
      append(found, differences(one.rows[i], other.rows[i]));
    append(found, differences(one, other));
    for (const Difference& difference : found) {
      if (difference.is_choice) add_once(choices, difference.what + " " + difference.left);
    }
  }
  if (!choices.empty()) return join(choices);
  if (!one.variant.empty()) return "variant " + one.variant;
  const auto is_same_device = [&](const Candidate& other) {
    return other.file != one.file && device_text(other) == device_text(one);
  };
  return std::ranges::any_of(all, is_same_device) ? one.file : "";
}

}  // namespace

Measuring find_measuring(const Candidate& left, const Candidate& right) {
  if (are_interleaved(left, right)) return Measuring::kInterleaved;
  if (left.is_of_history || right.is_of_history) return Measuring::kHistory;
  if (is_same_file(left, right)) return Measuring::kMixed;
  if (left.host != right.host) return Measuring::kApart;
  return is_before(left, right) || is_before(right, left) ? Measuring::kApart : Measuring::kMixed;
}

std::vector<CandidateRow> make_rows(const std::vector<Candidate>& candidates) {
  std::vector<CandidateRow> rows;
  for (const Candidate& candidate : candidates) {
    for (const RowFigures& figures : candidate.rows) rows.push_back({&candidate, &figures});
  }
  return rows;
}

void set_price(std::vector<Candidate>& all, const std::string& name, double per_hour) {
  bool is_known = false;
  for (Candidate& one : all) {
    const std::initializer_list<std::string> names = {one.label,      one.name, one.file,
                                                      file_stem(one), one.host, one.device.name};
    if (std::ranges::find(names, name) == names.end()) continue;
    one.price_per_hour = per_hour;
    is_known = true;
  }
  if (!is_known) throw_unknown_name("--price", "machine", name, names_in(all));
}

std::vector<RowIdentity> make_identities(const std::vector<Candidate>& candidates) {
  return mapped(make_rows(candidates),
                [](const CandidateRow& row) { return row.figures->identity.without({"device"}); });
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
  return static_cast<std::size_t>(std::ranges::count(candidate.rows, true, &RowFigures::is_ok));
}

std::string named(const Candidate& candidate) {
  const std::string& distinction = candidate.distinction;
  return fmt::format("{} ({}{})", candidate.label, device_text(candidate),
                     distinction.empty() ? "" : ", " + distinction);
}

std::string to_string(Metric metric) {
  constexpr std::array kNames = {"epoch time", "start-up", "memory", "accuracy", "energy"};
  return kNames[static_cast<std::size_t>(metric)];
}

std::string to_string(Comparability comparability) {
  constexpr std::array kNames = {"comparable", "caveat", "refused"};
  return kNames[static_cast<std::size_t>(comparability)];
}

std::vector<Difference> all_differences(const Candidate& left, const Candidate& right) {
  return compare_conditions(left.conditions, right.conditions, are_interleaved(left, right));
}

std::vector<Difference> differences(const Candidate& left, const Candidate& right) {
  std::vector<Difference> found = all_differences(left, right);
  std::erase_if(found, [](const Difference& one) { return one.effect == kNoEffect && !one.is_choice; });
  append(found, order_difference(left, right));
  return found;
}

std::vector<Difference> differences(const RowFigures& left, const RowFigures& right, bool may_choose) {
  return compare_conditions(left.conditions, right.conditions, may_choose);
}

void name_candidates(std::vector<Candidate>& all) {
  constexpr std::size_t kLongestName = 20;
  for (Candidate& one : all) one.distinction = describe_distinction(one, all);
  const auto lists = mapped(all, list_names);
  for (std::size_t choice = 0; choice < kNameChoices; ++choice) {
    std::set<std::string> unlike;
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].name = lists[i][choice];
      if (!all[i].name.empty() && all[i].name.size() <= kLongestName) unlike.insert(all[i].name);
    }
    if (unlike.size() == all.size()) return;
  }
}

Comparability comparability_on(Metric metric, const std::vector<Difference>& differences) {
  Comparability worst = kComparable;
  for (const Difference& difference : differences) worst = std::max(worst, difference.on(metric));
  return worst;
}

RowIdentity to_work(const RowIdentity& identity) {
  std::vector<RowIdentity::Part> parts = identity.parts();
  std::erase_if(parts, [](const RowIdentity::Part& part) {
    return part.key->mode_distance > 0 || part.key->key == "device";
  });
  return RowIdentity(std::move(parts));
}

}  // namespace gpubench
