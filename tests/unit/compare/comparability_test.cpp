// Differences that are caveats, and differences for which a comparison is refused.

#include <string>
#include <vector>

#include "compare/comparison.h"
#include "compare/rows.h"
#include "support/catch.h"
#include "support/compared_runs.h"
#include "support/sample_energy.h"

namespace gpubench::test::comparability_test {
namespace {

Comparison compared(const RunRecord& a, const RunRecord& b) {
  std::vector<Candidate> candidates = make_candidates(a, "a.json");
  append(candidates, make_candidates(b, "b.json"));
  return compare(std::move(candidates), false);
}

/// Returns all differences as "driver 550 against 570".
std::vector<std::string> find_differences(const RunRecord& a, const RunRecord& b) {
  const Comparison comparison = compared(a, b);
  return mapped(difference_counts(comparison.versus_baseline.at(0)), [](const DifferenceCount& count) {
    const Difference& one = count.difference;
    return one.what + " " + one.left + " against " + one.right;
  });
}

using Texts = std::vector<std::string>;

/// Returns the differences of runs that `set` changes, the first with true and the second with false.
template <class Set>
Texts between(Set set, const std::string& device = "cpu") {
  RunRecord a = run_on("desk", device, {timed_case("mlp", 32, 4, 0)});
  RunRecord b = a;
  set(a, true);
  set(b, false);
  return find_differences(a, b);
}

/// Returns repeats that start at the given hours.
RunRecord started_at(const std::string& host, const std::vector<std::string>& hours) {
  RunRecord run = run_on(host, "cpu", {});
  for (std::size_t i = 0; i < hours.size(); ++i) {
    CaseRecord record = timed_case("mlp", 32, 4, 0);
    record.device = "cpu";
    record.repeat = static_cast<std::int64_t>(i) + 1;
    record.started_at = "2024-02-03T" + hours[i] + ":00:00.000Z";
    run.cases.push_back(record);
  }
  return run;
}

}  // namespace

TEST_CASE("different parameters or multiply-accumulates are refused, different FLOP are a caution") {
  const auto refusal = [](auto change) {
    RunRecord a = run_on("desk", "cpu", {timed_case("mlp", 32, 4, 0)});
    a.cases.front().parameters = std::int64_t{1000};
    a.cases.front().forward_macs = std::int64_t{2000};
    a.cases.front().train_flop_per_sample = 12000.0;
    RunRecord b = a;
    change(b.cases.front());
    return speed_ratio(compared(a, b).versus_baseline.at(0).pairs.at(0)).reason();
  };
  const auto flop_differences = [](double flop) {
    RunRecord a = run_on("desk", "cpu", {timed_case("mlp", 32, 4, 0)});
    a.cases.front().train_flop_per_sample = 12000.0;
    RunRecord b = a;
    b.cases.front().train_flop_per_sample = flop;
    return compared(a, b).versus_baseline.at(0).pairs.at(0).differences;
  };
  CHECK(refusal([](CaseRecord&) {}).empty());
  CHECK(refusal([](CaseRecord& c) { c.parameters = std::int64_t{1001}; }) ==
        "refused: parameters: a 1000, b 1001");
  CHECK(refusal([](CaseRecord& c) { c.forward_macs = std::int64_t{2500}; }) ==
        "refused: forward MACs: a 2000, b 2500");
  CHECK(refusal([](CaseRecord& c) { c.train_flop_per_sample = 15000.0; }).empty());
  CHECK(flop_differences(15000).size() == 1);
  CHECK(flop_differences(12100).empty());
  CHECK(refusal([](CaseRecord& c) { c.parameters = missing("an older file"); }).empty());
}

TEST_CASE("drivers, power limits and cores of different models are not cautions") {
  const auto set = [](RunRecord& run, bool is_first) {
    run.environment.devices.front().driver = std::string(is_first ? "550" : "570");
    run.environment.available_cores = is_first ? 4 : 8;
    run.environment.devices.front().model = is_first ? "one" : "another";
  };
  CHECK(between(set).empty());
}

TEST_CASE("different power limits of machines of one model are a caution") {
  const auto limited = [](RunRecord& run, bool is_first) {
    CaseRecord& record = run.cases.front();
    record = with_energy(record, 100, PowerScope::kGpuBoard);
    const double later = is_first ? 300 : 250;
    record.energy.front().epoch_limit_watts = {300, 300, 300, later, later};
  };
  CHECK(between(limited, "cuda:0") == Texts{"power limit 300 W against 250 to 300 W"});
}

TEST_CASE("warnings and epochs with a trend are cautions, on one side and on both") {
  RunRecord plain = run_on("desk", "cpu", {timed_case("mlp", 32, 4, 0)});
  plain.cases.front().epoch_seconds = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  RunRecord warned = plain;
  warned.cases.front().warnings = {{KindName("heat"), 90, "it is hot"}};
  CHECK(find_differences(plain, warned) == Texts{"disturbed no against yes"});
  CHECK(find_differences(warned, warned) == Texts{"disturbed yes against yes"});
  RunRecord drifting = plain;
  drifting.cases.front().epoch_seconds = {1, 1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8};
  CHECK(find_differences(plain, drifting) == Texts{"stable times yes against no"});
  CHECK(find_differences(drifting, drifting) == Texts{"stable times no against no"});
  CHECK(find_differences(plain, plain).empty());
}

TEST_CASE("sides measured in sequence have a caution, and mixed ones do not") {
  const RunRecord early = started_at("desk", {"01", "02", "03"});
  const RunRecord late = started_at("desk", {"04", "05", "06"});
  const auto measuring = [](const RunRecord& one, const RunRecord& other) {
    return find_measuring(make_candidates(one, "one").front(), make_candidates(other, "other").front());
  };
  CHECK(measuring(early, late) == Measuring::kApart);
  CHECK(measuring(early, started_at("other", {"01", "02", "03"})) == Measuring::kApart);
  CHECK(measuring(early, started_at("desk", {"02", "04", "06"})) == Measuring::kMixed);
  CHECK(measuring(early, started_at("desk", {"03", "04"})) == Measuring::kApart);
  CHECK(find_differences(early, late) == Texts{"order of measuring ran first against ran afterwards"});
  CHECK(find_differences(late, early) == Texts{"order of measuring ran afterwards against ran first"});
  const RunRecord odd = started_at("desk", {"01", "03", "05"});
  CHECK(find_differences(odd, started_at("desk", {"02", "04", "06"})).empty());
  CHECK(find_differences(early, started_at("other", {"04", "05", "06"})).empty());
  CHECK(find_differences(started_at("desk", {"01"}), started_at("desk", {"02"})).empty());
}

}  // namespace gpubench::test::comparability_test
