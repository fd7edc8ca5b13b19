#include "app/ab/variants.h"
#include "compare/rows.h"

#include "compare/candidate.h"
#include "gpubench/core/clock.h"
#include "gpubench/core/collect.h"
#include "record/document/record_json.h"
#include "support/catch.h"
#include "support/compared_runs.h"

namespace gpubench::test::variant_log_test {
using gpubench::test::contains_text;

namespace {

VariantLog make_log(const std::string& name, const std::string& command) {
  VariantLog log{{name, {}}};
  log.variant.command = command;
  log.document.tool = {missing("a test"),    "1.0", missing("a test"), {"ab"}, "2026-11-22T18:00:00Z",
                       missing("it goes on")};
  return log;
}

ProcessEnd printed(const std::string& text, int exit_code = 0) {
  ProcessEnd run;
  run.printed = text;
  run.end = {exit_code, 0, {}, {}, Seconds{2}, {"first", "last words"}};
  return run;
}

CaseRecord whole_case(const std::string& model, double epoch) {
  CaseRecord row = test::timed_case(model, 32, epoch, 0.1);
  row.steps_per_epoch = (row.train_samples + 31) / 32;
  return row;
}

ProcessEnd printed_run(double epoch, std::vector<CaseRecord> more = {}) {
  std::vector<CaseRecord> rows{whole_case("mlp", epoch)};
  append(rows, more);
  return printed(run_document(test::run_on("host", "cpu", rows)));
}

void add(VariantLog& log, std::int64_t round, const ProcessEnd& run) {
  add_run(log, round, utc_timestamp_milliseconds(), run);
}

bool decided(const std::vector<VariantLog>& all, const std::vector<GateLimit>& limits = {}) {
  std::vector<Candidate> candidates;
  const auto documents = make_documents(all, false);
  for (std::size_t i = 0; i < documents.size(); ++i)
    append(candidates, make_candidates(documents[i], all[i].variant.name));
  return is_decided(compare(std::move(candidates), false), limits);
}

/// Returns the logs of two external programs that print these rates, one per round.
std::vector<VariantLog> peers(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<VariantLog> all{make_log("A", "a"), make_log("B", "b")};
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto round = static_cast<std::int64_t>(i + 1);
    add(all[0], round, printed(fmt::format("{{\"images_per_s\": {}}}", a[i])));
    add(all[1], round, printed(fmt::format("{{\"images_per_s\": {}}}", b[i])));
  }
  return all;
}

void check_valid(const RunRecord& document) {
  const Json json = sealed(run_to_json(document));
  for (const std::string& fault : document_faults(json)) {
    INFO(fault);
    CHECK(fault.empty());
  }
}

}  // namespace

TEST_CASE("a row of another program has the parameters of gpubench's row, and lacks unknown values") {
  std::vector<VariantLog> all{make_log("A", ""), make_log("B", "peer")};
  add(all[1], 1, printed(R"({"images_per_s": 100})"));
  CHECK(make_documents(all, false).back().cases.empty());
  add(all[0], 1, printed_run(0.5));
  const RunRecord document = make_documents(all, false).back();
  const CaseRecord& row = document.cases.front();
  const CaseRecord& asked = all[0].document.cases.front();
  CHECK(make_identity(row) == make_identity(asked));
  CHECK(row.epoch_seconds.at(0) == approx(static_cast<double>(asked.train_samples) / 100));
  CHECK_FALSE(row.parameters.has_value());
  CHECK(document.tool.version == kAnotherProgram);
  CHECK(document.environment.libtorch_version.empty());
  check_valid(document);

  add(all[0], 2, printed_run(0.5, {whole_case("cnn", 0.5)}));
  all[0].document.cases.erase(all[0].document.cases.begin());
  CHECK_THROWS_WITH(make_documents(all, false), contains_text("2 cases"));
}

TEST_CASE("with a gate, the comparison is decided as soon as the gate is conclusive") {
  const std::vector<double> a{100, 101, 99, 100, 100, 101, 99, 100};
  const auto slower = peers(a, {80, 81, 79, 80, 81, 80, 79, 80});
  CHECK(decided(slower, {{nullptr, 0.05}}));
  // Significantly slower, but the interval contains the threshold.
  const auto close = peers(a, {95.2, 96.4, 94.1, 95.3, 95.3, 96.1, 94.2, 95.4});
  CHECK_FALSE(decided(close, {{nullptr, 0.05}}));
}

TEST_CASE("variants without common rows are an error, unless a failed row may still succeed") {
  std::vector<VariantLog> all{make_log("A", ""), make_log("B", "")};
  add(all[0], 1, printed_run(0.5));
  add(all[1], 1, printed("", 1));
  CHECK_FALSE(decided(all));
  const CaseRecord other = whole_case("cnn", 0.5);
  all[1].document.cases.clear();
  add(all[1], 1, printed(run_document(test::run_on("host", "cpu", {other}))));
  CHECK_THROWS_WITH(decided(all), contains_text("do not compare"));
}

}  // namespace gpubench::test::variant_log_test
