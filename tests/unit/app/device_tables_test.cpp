#include "app/commands/device_tables.h"

#include "support/catch.h"

namespace gpubench::test::device_tables_test {

namespace {

std::vector<PeakPoint> some_points() {
  std::vector<PeakPoint> points{
      {PeakKind::kGemm, "fp32", 1024, 1.434e11},
      {PeakKind::kGemm, "fp32", 2048, 1.2e11},
      {PeakKind::kGemm, "tf32", 0, missing("TF32 changes no product on this device")},
      {PeakKind::kConvolution, "fp32", 1024, 1.5e11},
      {PeakKind::kTriad, "", 1 << 28, 2.34e10},
      {PeakKind::kLaunch, "", 1000, 2.1e-6}};
  for (PeakPoint& point : points) point.device = "cuda:0";
  return points;
}

std::vector<CheckRow> some_checks() {
  const Missing none = missing("numbers were not compared");
  return {{"cuda:0", "losses", "cnn", "losses are right", CheckStatus::kPass, "1e-06 off", 1e-6, 1e-4, {0.5}},
          {"cuda:0",
           "replay",
           "",
           "replays differ",
           CheckStatus::kUnchecked,
           "graphs need a GPU",
           none,
           none,
           {}},
          {"cuda:0", "energy", "rapl", "it is in watts", CheckStatus::kFail, "80000 W", none, none, {9.5}}};
}

}  // namespace

TEST_CASE("the peak table has a line per measurement, with the size or the reason for a missing value") {
  CHECK(peak_table(some_points()) ==
        "device  measurement                    peak  at\n"
        "cuda:0  matrix product fp32     143 GFLOP/s  1024 x 1024\n"
        "cuda:0  matrix product tf32               -  TF32 changes no product on this\n"
        "                                             device\n"
        "cuda:0  convolution fp32        150 GFLOP/s  1024 channels\n"
        "cuda:0  memory triad              23.4 GB/s  arrays of 256 MiB\n"
        "cuda:0  launch of an operation      2.10 µs\n");
}

TEST_CASE("the selftest table has a line per check, and the number of checks by status") {
  CHECK(selftest_table(some_checks()) ==
        "      device  check   subject  result\n"
        "ok    cuda:0  losses  cnn      1e-06 off\n"
        "--    cuda:0  replay           cannot be checked: graphs need a GPU\n"
        "FAIL  cuda:0  energy  rapl     80000 W\n"
        "\n"
        "1 passed, 1 failed, 1 cannot be checked on this machine\n");
}

}  // namespace gpubench::test::device_tables_test
