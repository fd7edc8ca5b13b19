#include "compare/candidate.h"

#include <sstream>

#include <fmt/format.h>

#include "gpubench/core/collect.h"

namespace gpubench {
namespace {

std::string count_text(std::int64_t count) { return count > 0 ? std::to_string(count) : ""; }

/// The lowest and highest power limit of all epochs for which a meter of the device reported one.
std::string power_limit_text(const std::vector<CaseRecord>& rows, const std::string& device) {
  std::vector<double> watts;
  for (const CaseRecord& row : rows) {
    for (const EnergyRecord& source : row.energy) {
      if (row.device == device && source.device == device) append(watts, source.epoch_limit_watts);
    }
  }
  std::erase_if(watts, [](double limit) { return !(limit > 0); });
  if (watts.empty()) return "";
  const auto [least, most] = std::ranges::minmax(watts);
  return least == most ? fmt::format("{:.0f} W", least) : fmt::format("{:.0f} to {:.0f} W", least, most);
}

/// Makes the candidate of a device from what runs and tables of operations have in common.
template <class Record>
Candidate make_candidate(const Record& record, const std::string& file, const std::string& device) {
  const Environment& environment = record.environment;
  Candidate candidate;
  candidate.file = file;
  candidate.host = environment.host;
  candidate.device.name = device;
  for (const DeviceRecord& known : environment.devices) {
    if (known.name == device) candidate.device = known;
  }
  candidate.published = record.published;
  candidate.libtorch_version = environment.libtorch_version;
  candidate.threads = environment.threads;
  candidate.started_at = record.tool.started_at;
  const Measured<std::string>& driver = candidate.device.driver;
  const Measured<std::string>& commit = record.tool.git_commit;
  candidate.facts = {{"protocol", record.published ? "published, other protocol" : "gpubench"},
                     {"gpubench", record.tool.version},
                     {"gpubench commit", commit.has_value() ? commit.value() : ""},
                     {"LibTorch", environment.libtorch_version},
                     {"LibTorch build", environment.libtorch_build},
                     {"driver", driver.has_value() ? driver.value() : ""}};
  if (!is_cpu(candidate)) return candidate;
  const double cores = environment.available_cores;
  candidate.facts["available cores"] = cores > 0 ? fmt::format("{:g}", cores) : "";
  candidate.facts["threads"] = count_text(environment.threads);
  candidate.facts["allocator"] = environment.allocator;
  candidate.facts["waiting threads"] = environment.wait_policy;
  return candidate;
}

/// The rows under their devices.
template <class Record>
std::vector<Candidate> by_device(const Record& record, const std::string& file) {
  std::vector<Candidate> candidates;
  for (RowFigures& row : make_rows(record)) {
    const std::string& device = row.identity.at("device");
    auto candidate =
        std::ranges::find_if(candidates, [&](const auto& one) { return one.device.name == device; });
    if (candidate == candidates.end())
      candidate = candidates.insert(candidate, make_candidate(record, file, device));
    candidate->rows.push_back(std::move(row));
  }
  return candidates;
}

}  // namespace

std::vector<Candidate> make_candidates(const RunRecord& run, const std::string& file) {
  std::vector<Candidate> candidates = by_device(run, file);
  for (Candidate& candidate : candidates) {
    candidate.facts["power limit"] = power_limit_text(run.cases, candidate.device.name);
    candidate.facts["isolation"] = run.plan.isolation;
    if (run.plan.alternation.has_value()) candidate.alternation = run.plan.alternation.value();
    if (run.plan.side.has_value()) candidate.side = run.plan.side.value();
    candidate.scaling = compute_scaling(run);
    std::erase_if(candidate.scaling,
                  [&](const ScalingRow& row) { return row.identity.at("device") != candidate.device.name; });
    for (const CaseRecord& row : run.cases) {
      if (row.device != candidate.device.name || !row.started_at.has_value()) continue;
      const std::string& start = row.started_at.value();
      if (candidate.first_start.empty() || start < candidate.first_start) candidate.first_start = start;
      candidate.last_start = std::max(candidate.last_start, start);
    }
  }
  return candidates;
}

std::vector<Candidate> make_candidates(const OpsRecord& ops, const std::string& file) {
  std::vector<Candidate> candidates = by_device(ops, file);
  for (Candidate& candidate : candidates) {
    if (!ops.published) candidate.facts["protocol of calls"] = ops.settings.protocol;
    if (!ops.tool.finished_at.has_value()) continue;
    candidate.first_start = ops.tool.started_at;
    candidate.last_start = ops.tool.finished_at.value();
  }
  return candidates;
}

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

std::vector<RowIdentity> make_identities(const std::vector<Candidate>& candidates) {
  return mapped(make_rows(candidates),
                [](const CandidateRow& row) { return row.figures->identity.without({"device"}); });
}

bool is_cpu(const Candidate& candidate) {
  if (!candidate.published) return candidate.device.name == "cpu";
  std::istringstream words(candidate.device.name);
  for (std::string word; words >> word;) {
    if (word == "CPU") return true;
  }
  return false;
}

bool is_of_same_file(const Candidate& left, const Candidate& right) {
  return left.file == right.file && left.started_at == right.started_at && left.side == right.side;
}

bool are_in_alternation(const Candidate& left, const Candidate& right) {
  return !left.alternation.empty() && left.alternation == right.alternation && left.side != right.side;
}

bool have_one_sensor(const CandidateRow& left, const CandidateRow& right) {
  return left.candidate->device.model == right.candidate->device.model &&
         left.figures->energy.meter == right.figures->energy.meter;
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
