#include "compare/published.h"

#include <algorithm>
#include <set>

#include "compare/rows.h"
#include "gpubench/core/error.h"
#include "gpubench/record/op_case.h"
#include "support/catch.h"

namespace gpubench::test::published_test {
namespace {

/// Returns the tables of all machines, each with all backends.
std::vector<RunRecord> all_tables() {
  std::vector<RunRecord> all;
  for (const std::string& name : published_names()) {
    const RunRecord run = published_run(name);
    if (run.has_operations() && name.find('/') == std::string::npos) all.push_back(run);
  }
  return all;
}

const OpRecord& to_row(const RunRecord& ops, const std::string& op, const std::string& sizes) {
  const auto found = std::find_if(ops.operations.begin(), ops.operations.end(),
                                  [&](const OpRecord& row) { return row.op == op && row.sizes == sizes; });
  if (found == ops.operations.end()) FAIL("no such row: " << op << " " << sizes);
  return *found;
}

}  // namespace

TEST_CASE("a publication has a name, and so has each of its devices") {
  const RunRecord whole = published_run("m1-ultra-rtx-2070-super");
  const RunRecord part = published_run("rtx-2070-super");
  CHECK(whole.cases.size() == 33);
  CHECK(part.cases.size() < whole.cases.size());
  CHECK(part.published->figures.size() == part.cases.size());
  CHECK(make_candidates(part, "x").size() == 1);
  CHECK(make_candidates(whole, "x").size() == 3);
}

TEST_CASE("the energy of a published epoch is its power times its time") {
  const Candidate device = make_candidates(published_run("rtx-2070-super"), "x").at(0);
  const ComparedRow& row = device.rows.at(0);
  CHECK(row.identity.subject() == "dcgan");
  CHECK(row.estimate("mean_epoch_joules").value().value == approx(84 * typical_seconds(row).value().value));
}

TEST_CASE("all published operation times are available under unique names") {
  const std::vector<std::string> names = published_names();
  CHECK(names.size() == 4 + 7 + 22 + 44);
  CHECK(std::set(names.begin(), names.end()).size() == names.size());
  std::set<std::string> machines;
  std::size_t rows = 0;
  for (const RunRecord& table : all_tables()) {
    machines.insert(table.published->title);
    rows += table.operations.size();
  }
  CHECK(machines.size() == 22);
  CHECK(rows == 3440);
  CHECK(list_devices(published_run("m3-max").operations).size() == 2);
  CHECK(list_devices(published_run("m3-max/cpu").operations).size() == 1);
}

TEST_CASE("a table names its machine, and a document whose device is one does not") {
  CHECK(make_candidates(published_run("m3-max/mps"), "x").at(0).host == "M3 Max");
  CHECK(published_run("v100-nvlink").environment.host == "Tesla V100 NVLink");
  CHECK(published_run("rtx-2070-super").environment.host.empty());
}

TEST_CASE("published times are converted to seconds") {
  const RunRecord table = published_run("m3-max/mps");
  const OpRecord& row = to_row(table, "argmax", "64x1024x128 axis=0");
  REQUIRE(row.call_seconds.size() == 1);
  CHECK(row.call_seconds[0] == approx(0.00074));
  CHECK(row.type == OpType::kFp32);
  CHECK(row.device == "mps");
  CHECK(to_row(published_run("a100/cuda"), "sum", "64x128x128x128 axis=3").status == RowStatus::kOk);
}

TEST_CASE("a published time that was rounded to zero is missing") {
  const RunRecord table = published_run("m3-max/cpu");
  const OpRecord& row = to_row(table, "gather", "64x256 10");
  CHECK(row.call_seconds.empty());
  CHECK_THAT(row.status_reason, contains_text("0.00 ms"));
}

TEST_CASE("published sizes have gpubench's format") {
  for (const RunRecord& table : all_tables()) {
    for (const OpRecord& row : table.operations) {
      if (to_string(parse_op_case(row.sizes, "sizes")) != row.sizes) FAIL(row.sizes);
    }
  }
}

TEST_CASE("an unknown publication is refused with the nearest known one") {
  CHECK_THROWS_WITH(published_run("rtx-2070-supper"), contains_text("did you mean 'rtx-2070-super'"));
  CHECK_THROWS_WITH(published_run("m3-maxx"), contains_text("did you mean 'm3-max'"));
  CHECK_THROWS_WITH(published_run("rtx"),
                    "published:rtx: unknown publication; did you mean 'rtx-2070-super' or 'rtx-4090'? see "
                    "'gpubench list published'");
  CHECK_THROWS_WITH(published_run("m3-max/cuda"),
                    contains_text("m3-max/mps") && !contains_text("m4-max/mps"));
  CHECK_THROWS_WITH(published_run("a-toaster-of-1998"),
                    "published:a-toaster-of-1998: unknown publication; see 'gpubench list published'");
  CHECK_THROWS_WITH(published_run(""), contains_text("unknown publication; see"));
}

}  // namespace gpubench::test::published_test
