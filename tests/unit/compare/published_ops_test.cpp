#include "compare/published.h"

#include <algorithm>
#include <set>

#include "gpubench/core/error.h"
#include "gpubench/record/op_case.h"
#include "support/catch.h"

namespace gpubench::test::published_ops_test {
namespace {

std::vector<RunRecord> all_tables() {
  std::vector<RunRecord> all;
  for (const std::string& name : published_ops_names()) all.push_back(published_ops(name).at(0));
  return all;
}

const OpRecord& to_row(const RunRecord& ops, const std::string& op, const std::string& sizes) {
  const auto found = std::find_if(ops.operations.begin(), ops.operations.end(),
                                  [&](const OpRecord& row) { return row.op == op && row.sizes == sizes; });
  if (found == ops.operations.end()) FAIL("no such row: " << op << " " << sizes);
  return *found;
}

}  // namespace

TEST_CASE("every published time of an operation is there, under a name of its own") {
  const std::vector<std::string> names = published_ops_names();
  CHECK(names.size() == 44);
  CHECK(std::set(names.begin(), names.end()).size() == 44);
  std::set<std::string> machines;
  std::size_t rows = 0;
  for (const RunRecord& table : all_tables()) {
    machines.insert(table.published->title);
    rows += table.operations.size();
  }
  CHECK(machines.size() == 22);
  CHECK(rows == 3440);
}

TEST_CASE("a published time is that of the publication, in seconds") {
  const RunRecord table = published_ops("m3-max/mps").at(0);
  const OpRecord& row = to_row(table, "argmax", "64x1024x128 axis=0");
  REQUIRE(row.call_seconds.size() == 1);
  CHECK(row.call_seconds[0] == approx(0.00074));
  CHECK(row.type == OpType::kFp32);
  CHECK(row.device == "mps");
  CHECK(to_row(published_ops("a100/cuda").at(0), "sum", "64x128x128x128 axis=3").status == RowStatus::kOk);
}

TEST_CASE("a published time that was rounded to zero is no time") {
  const RunRecord table = published_ops("m3-max/cpu").at(0);
  const OpRecord& row = to_row(table, "gather", "64x256 10");
  CHECK(row.call_seconds.empty());
  CHECK_THAT(row.status_reason, contains_text("0.00 ms"));
}

TEST_CASE("published sizes are written as gpubench writes sizes") {
  for (const RunRecord& table : all_tables()) {
    for (const OpRecord& row : table.operations) {
      if (to_string(parse_op_case(row.sizes, "sizes")) != row.sizes) FAIL(row.sizes);
    }
  }
}

TEST_CASE("the name of a machine means all of its backends") {
  CHECK(published_ops("m3-max").size() == 2);
  CHECK(published_ops("m3-max/cpu").size() == 1);
  CHECK(published_ops("m4-pro-mlx-0.24.1").size() == 2);
}

TEST_CASE("an unknown table of operations is refused with the nearest known one") {
  CHECK_THROWS_WITH(published_ops("m3-maxx"), contains_text("did you mean 'm3-max'"));
  CHECK_THROWS_WITH(published_ops("m3-max/cuda"), contains_text("m3-max/"));
}

}  // namespace gpubench::test::published_ops_test
