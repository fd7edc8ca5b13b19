#include "compare/candidate.h"

#include <iterator>
#include <sstream>

#include <fmt/format.h>

#include "gpubench/core/collect.h"

namespace gpubench {
namespace {

DeviceRecord device_named(const Environment& environment, const std::string& name) {
  const auto known = std::ranges::find(environment.devices, name, &DeviceRecord::name);
  if (known != environment.devices.end()) return *known;
  DeviceRecord unknown;
  unknown.name = name;
  return unknown;
}

/// What a run and a table of operations tell alike.
template <class Record>
Candidate make_candidate(const Record& record, const std::string& file, const std::string& device) {
  Candidate candidate;
  candidate.file = file;
  candidate.host = record.environment.host;
  candidate.device = device_named(record.environment, device);
  candidate.gpubench_version = record.tool.version;
  if (record.tool.git_commit.has_value()) candidate.gpubench_commit = record.tool.git_commit.value();
  candidate.libtorch_version = record.environment.libtorch_version;
  candidate.libtorch_build = record.environment.libtorch_build;
  candidate.allocator = record.environment.allocator;
  candidate.threads = record.environment.threads;
  candidate.wait_policy = record.environment.wait_policy;
  candidate.available_cores = record.environment.available_cores;
  candidate.started_at = record.tool.started_at;
  if (record.published) {
    candidate.publication = record.published->title;
    candidate.publication_protocol = record.published->protocol;
    candidate.publication_note = record.published->note;
  }
  return candidate;
}

/// The rows under their devices.
template <class Record>
std::vector<Candidate> by_device(const Record& record, const std::string& file,
                                 std::vector<RowFigures> rows) {
  std::vector<Candidate> candidates;
  for (RowFigures& row : rows) {
    const std::string& device = row.identity.at("device");
    auto candidate =
        std::ranges::find_if(candidates, [&](const auto& one) { return one.device.name == device; });
    if (candidate == candidates.end())
      candidate = candidates.insert(candidate, make_candidate(record, file, device));
    candidate->rows.push_back(std::move(row));
  }
  return candidates;
}

/// Of the rows that are the candidate's.
void add_starts(const std::vector<CaseRecord>& rows, Candidate& candidate) {
  for (const CaseRecord& row : rows) {
    if (row.device != candidate.device.name || !row.started_at.has_value()) continue;
    const std::string& start = row.started_at.value();
    if (candidate.first_start.empty() || start < candidate.first_start) candidate.first_start = start;
    candidate.last_start = std::max(candidate.last_start, start);
  }
}

/// Over all epochs of the candidate's rows for which a meter of its device told it.
void add_power_limit(const std::vector<CaseRecord>& rows, Candidate& candidate) {
  std::vector<double> watts;
  for (const CaseRecord& row : rows) {
    if (row.device != candidate.device.name) continue;
    for (const EnergyRecord& source : row.energy) {
      if (source.device == row.device) append(watts, source.epoch_limit_watts);
    }
  }
  std::erase_if(watts, [](double limit) { return !(limit > 0); });
  if (watts.empty()) return;
  const auto [least, most] = std::ranges::minmax(watts);
  candidate.power_limit =
      least == most ? fmt::format("{:.0f} W", least) : fmt::format("{:.0f} to {:.0f} W", least, most);
}

}  // namespace

std::vector<Candidate> make_candidates(const RunRecord& run, const std::string& file) {
  std::vector<Candidate> candidates = by_device(run, file, make_rows(run));
  for (Candidate& candidate : candidates) {
    candidate.isolation = run.plan.isolation;
    if (run.plan.alternation.has_value()) candidate.alternation = run.plan.alternation.value();
    if (run.plan.side.has_value()) candidate.side = run.plan.side.value();
    candidate.scaling = compute_scaling(run);
    std::erase_if(candidate.scaling,
                  [&](const ScalingRow& row) { return row.identity.at("device") != candidate.device.name; });
    add_starts(run.cases, candidate);
    add_power_limit(run.cases, candidate);
  }
  return candidates;
}

std::vector<Candidate> make_candidates(const OpsRecord& ops, const std::string& file) {
  std::vector<Candidate> candidates = by_device(ops, file, make_rows(ops));
  for (Candidate& candidate : candidates) {
    candidate.call_protocol = ops.published ? "" : ops.settings.protocol;
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
  if (candidate.publication.empty()) return candidate.device.name == "cpu";
  std::istringstream words(candidate.device.name);
  return std::find(std::istream_iterator<std::string>(words), {}, "CPU") !=
         std::istream_iterator<std::string>();
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
  if (!candidate.publication.empty()) return fmt::format("{}, published", device.name);
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
