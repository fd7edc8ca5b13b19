#include "compare/candidate.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"

namespace gpubench {
namespace {

/// "laptop" of "laptop.json".
std::string file_stem(const Candidate& one) { return one.file.substr(0, one.file.rfind(".json")); }

constexpr std::size_t kNameChoices = 6;

/// The first that differs among all candidates is taken; labels always do.
std::array<std::string, kNameChoices> list_names(const Candidate& one) {
  const std::string& device = one.device.name;
  const std::string& host = one.published ? device : one.host;
  const std::string stem = file_stem(one);
  return {host, device, host + " " + device, stem, stem + " " + device, one.label};
}

}  // namespace

bool is_before(const Candidate& early, const Candidate& late) {
  if (early.first_start.empty() || late.first_start.empty()) return false;
  // One may end in the second in which the other begins.
  return early.last_start <= late.first_start && early.first_start < late.last_start;
}

Measuring find_measuring(const Candidate& left, const Candidate& right) {
  if (are_in_alternation(left, right)) return Measuring::kAlternation;
  if (is_of_same_file(left, right)) return Measuring::kMixed;
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

void name_candidates(std::vector<Candidate>& all) {
  constexpr std::size_t kLongestName = 20;
  const auto lists = mapped(all, list_names);
  for (std::size_t choice = 0; choice < kNameChoices; ++choice) {
    std::set<std::string> unlike;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string& name = all[i].name = lists[i][choice];
      if (!name.empty() && name.size() <= kLongestName) unlike.insert(name);
    }
    if (unlike.size() == all.size()) return;
  }
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

bool is_of_same_file(const Candidate& left, const Candidate& right) {
  return left.file == right.file && left.started_at == right.started_at && left.side == right.side;
}

bool are_in_alternation(const Candidate& left, const Candidate& right) {
  return !left.alternation.empty() && left.alternation == right.alternation && left.side != right.side;
}

std::size_t count_of_good(const Candidate& candidate) {
  return static_cast<std::size_t>(std::ranges::count(candidate.rows, true, &RowFigures::is_ok));
}

std::string device_text(const Candidate& candidate) {
  const DeviceRecord& device = candidate.device;
  if (candidate.published) return fmt::format("{}, published", device.name);
  const std::string model = device.model.empty() ? "" : fmt::format(" ({})", device.model);
  const std::string host = candidate.host.empty() ? "" : candidate.host + ", ";
  return host + device.name + model;
}

std::string format_description(const Candidate& candidate) {
  const std::string& distinction = candidate.distinction;
  return device_text(candidate) + (distinction.empty() ? "" : ", " + distinction);
}

std::string named(const Candidate& candidate) {
  return fmt::format("{} ({})", candidate.label, format_description(candidate));
}

}  // namespace gpubench
