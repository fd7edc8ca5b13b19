// Derived figures of several ranks and of collectives.

#include "gpubench/record/derived.h"
#include "support/catch.h"
#include "support/figure.h"

namespace gpubench::test::ranks_test {

namespace {

CaseRecord ranked(std::int64_t ranks, std::int64_t batch, double epoch) {
  CaseRecord record;
  record.model = "mlp";
  record.dataset = "data";
  record.device = "cpu";
  record.batch_size = batch;
  record.ranks = ranks;
  record.train_samples = 1000;
  record.status = RowStatus::kOk;
  record.warmup_epochs = 1;
  record.epoch_seconds = {9, epoch, epoch, epoch};
  return record;
}

OpRecord collective(const std::string& op, std::int64_t bytes, double seconds) {
  OpRecord row;
  row.op = op;
  row.sizes = std::to_string(bytes);
  row.device = "cpu";
  row.ranks = 4;
  row.backend = std::string("gloo");
  row.status = RowStatus::kOk;
  row.traffic = Bytes{bytes};
  row.call_seconds = {seconds, seconds, seconds};
  return row;
}

}  // namespace

TEST_CASE("shares of epochs are medians after the warm-up, missing for a single rank") {
  CaseRecord record = ranked(2, 10, 2);
  record.communication_seconds = {8, 1, 0.5, 0.2};
  record.imbalance = {7, 0.1, 0.3, 0.2};
  CHECK(figure(record, "communication_share").value() == approx(0.25));
  CHECK(figure(record, "median_imbalance").value() == approx(0.2));
  record.communication_seconds.pop_back();
  CHECK_FALSE(figure(record, "communication_share").has_value());
  CHECK_THAT(figure(ranked(1, 10, 2), "communication_share").reason(), contains_text("a single rank"));
}

TEST_CASE("energy covers the devices of all ranks, and no others") {
  CaseRecord record = ranked(2, 10, 2);
  record.device = "cuda:1";
  for (const char* device : {"cuda:0", "cuda:1", "cuda:2", "cuda:3"}) {
    EnergyRecord energy;
    energy.device = device;
    energy.scope = PowerScope::kGpuBoard;
    energy.energy = Joules{60};
    energy.window = Seconds{6};
    record.energy.push_back(energy);
  }
  CHECK(case_energy(record).value().epoch_joules == approx(40));
  record.ranks = 1;
  CHECK(case_energy(record).value().epoch_joules == approx(20));
}

TEST_CASE("an epoch of several ranks adds its imbalance and busy times") {
  CaseRecord record = ranked(2, 10, 2);
  EpochRecord epoch;
  epoch.training = {{"loss", 1}};
  epoch.communication = Seconds{0.5};
  epoch.rank_busy_seconds = {1, 3};
  add_training(record, epoch);
  add_training(record, epoch);
  CHECK(record.imbalance == std::vector<double>{0.5, 0.5});
  CHECK(record.rank_busy_seconds == std::vector<double>{2, 6});
  CHECK(record.communication_seconds == std::vector<double>{0.5, 0.5});
}

TEST_CASE("strong efficiency has equal batches, weak efficiency equal batches per rank") {
  RunRecord run;
  run.cases = {ranked(1, 100, 4), ranked(2, 100, 2.5), ranked(1, 50, 5), ranked(4, 300, 2)};
  const auto rows = compute_scaling(run);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].kind == "strong");
  CHECK(rows[0].efficiency == approx(0.8));
  CHECK(rows[1].kind == "weak");
  CHECK(rows[1].efficiency == approx(1));
  CHECK_FALSE(rows[0].interval.has_value());
  run.cases[0].status = RowStatus::kCrashed;
  CHECK(compute_scaling(run).size() == 1);
}

TEST_CASE("repeats give the efficiency an interval between runs") {
  RunRecord run;
  for (int i = 0; i < 5; ++i) {
    run.cases.push_back(ranked(1, 100, 4 + 0.1 * i));
    run.cases.push_back(ranked(2, 100, 2.5 + 0.1 * i));
  }
  const auto rows = compute_scaling(run);
  REQUIRE(rows.size() == 1);
  REQUIRE(rows[0].interval.has_value());
  CHECK(rows[0].interval.value().low < rows[0].efficiency);
  CHECK(rows[0].interval.value().high > rows[0].efficiency);
}

TEST_CASE("bus bandwidth has the factors of nccl-tests") {
  const std::pair<const char*, double> factors[] = {{"all_reduce", 1.5},
                                                    {"all_gather", 0.75},
                                                    {"reduce_scatter", 0.75},
                                                    {"broadcast", 1},
                                                    {"send_receive", 1}};
  for (const auto& [op, factor] : factors)
    CHECK(bus_bytes_per_second(collective(op, 1000, 0.5)).value() == approx(2000 * factor));
  CHECK_FALSE(bus_bytes_per_second(collective("matmul", 1000, 0.5)).has_value());
}

TEST_CASE("the fit finds latency and bandwidth") {
  RunRecord ops;
  for (const std::int64_t bytes : {4, 1000, 1'000'000, 100'000'000})
    ops.operations.push_back(collective("all_reduce", bytes, 1e-3 + static_cast<double>(bytes) / 1e9));
  ops.operations.push_back(collective("broadcast", 4, 1));
  const auto fits = latency_fits(ops);
  REQUIRE(fits.size() == 1);
  CHECK(fits[0].op == "all_reduce");
  CHECK(fits[0].latency_seconds == approx(1e-3));
  CHECK(fits[0].bytes_per_second == approx(1e9));
  CHECK(fits[0].worst < 1e-6);
}

}  // namespace gpubench::test::ranks_test
