#include "app/run/trials.h"

#include "support/catch.h"

namespace gpubench::test::trials_test {
namespace {

const ModelEntry kNet{"net", "", "net", {}, "image", nullptr};

const DatasetEntry& greys() {
  static const DatasetEntry entry = [] {
    DatasetEntry made{};
    made.name = "greys";
    return made;
  }();
  return entry;
}

Case make_case(std::int64_t batch_size, Precision precision = Precision::kFp32) {
  Case c;
  c.model = &kNet;
  c.dataset = &greys();
  c.device = "cpu";
  c.batch_size = batch_size;
  c.mode.precision = precision;
  return c;
}

std::string make_table(const std::vector<Case>& cases) {
  CaseTable table(cases, {{"batch", Align::kRight}});
  for (const Case& c : cases) table.add_row(c, {std::to_string(c.batch_size)});
  return table.to_string();
}

}  // namespace

TEST_CASE("a table of cases tells the modes where one is not the default") {
  CHECK(make_table({make_case(32), make_case(32, Precision::kBf16)}) ==
        "model  dataset  device  mode     batch\n"
        "net    greys    cpu     default     32\n"
        "net    greys    cpu     bf16        32\n");
}

TEST_CASE("what is tried is named with its mode") {
  CHECK(case_kind(make_case(32)) == "net on cpu");
  CHECK(case_kind(make_case(32, Precision::kAmpBf16)) == "net on cpu, amp-bf16");
}

TEST_CASE("of each mode the case with the smallest batch is tried") {
  const std::vector<Case> smallest =
      smallest_cases({make_case(64), make_case(64, Precision::kBf16), make_case(32), make_case(128)});
  REQUIRE(smallest.size() == 2);
  CHECK(smallest[0].batch_size == 32);
  CHECK(smallest[0].mode.precision == Precision::kFp32);
  CHECK(smallest[1].batch_size == 64);
  CHECK(smallest[1].mode.precision == Precision::kBf16);
}

}  // namespace gpubench::test::trials_test
