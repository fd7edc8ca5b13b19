#include "gpubench/record/row_identity.h"

#include "gpubench/record/run_record.h"
#include "support/catch.h"

namespace gpubench::test::row_names_test {
namespace {

CaseRecord make_case(const std::string& model, const std::string& sizes, std::int64_t batch_size) {
  CaseRecord record;
  record.model = model;
  record.sizes = sizes;
  record.dataset = "cifar10";
  record.device = "cpu";
  record.batch_size = batch_size;
  return record;
}

std::vector<std::string> enum_names(const std::vector<RowIdentity>& rows) {
  const RowNames names(rows);
  std::vector<std::string> all;
  for (const RowIdentity& row : rows) all.push_back(names.of(row));
  return all;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("cases are named by their differences and by their batch size") {
  std::vector<CaseRecord> cases = {make_case("mlp", "", 32), make_case("mlp", "", 64)};
  CHECK(enum_names(make_identities(cases)) == Names{"mlp, batch 32", "mlp, batch 64"});
  cases[1].device = "mps";
  cases[1].mode.precision = Precision::kBf16;
  CHECK(enum_names(make_identities(cases)) == Names{"mlp on cpu, batch 32", "mlp on mps, batch 64, bf16"});
}

TEST_CASE("names include the sizes, data and samples in which cases of one model differ") {
  std::vector<CaseRecord> cases = {make_case("lm", "layers=2,heads=4", 8),
                                   make_case("lm", "layers=3,heads=4", 8), make_case("mlp", "hidden=5", 8)};
  cases[2].dataset = "mnist";
  const RowNames names(make_identities(cases));
  CHECK(names.of(make_identity(cases[0])) == "lm (layers=2), batch 8");
  CHECK(names.of(make_identity(cases[2])) == "mlp, batch 8");
  cases[1].train_samples = 100;
  cases[1].sizes = cases[0].sizes;
  CHECK(enum_names(make_identities(cases))[1] == "lm, batch 8");
  cases[0].train_samples = 200;
  CHECK(enum_names(make_identities(cases))[1] == "lm, batch 8, 100 samples");
}

TEST_CASE("names include the sizes that only some cases of one model have, because defaults are omitted") {
  const std::vector<CaseRecord> cases = {make_case("lm", "heads=4,layers=2", 8),
                                         make_case("lm", "heads=4", 8)};
  CHECK(enum_names(make_identities(cases)) == Names{"lm (layers=2), batch 8", "lm, batch 8"});
}

TEST_CASE("a part of an identity is named without conjunctions") {
  CaseRecord c = make_case("mlp", "", 32);
  c.mode.loader = Loader::kHost;
  const RowNames names(std::vector{make_identity(c)});
  CHECK(names.of(make_identity(c).without({"batch_size"})) == "mlp, loader host");
  CHECK(names.of(make_identity(c).without({"model", "batch_size"})) == "loader host");

  std::vector<CaseRecord> cases = {make_case("lm", "layers=2", 8), make_case("lm", "layers=3", 8)};
  cases[0].train_samples = 100;
  cases[1].train_samples = 200;
  const RowNames unlike(make_identities(cases));
  const RowIdentity rest = make_identity(cases[0]).without({"model", "batch_size"});
  CHECK(unlike.of(rest) == "layers=2, 100 samples");
  CHECK(unlike.of(rest.without({"sizes"})) == "100 samples");
}

TEST_CASE("operations are named with their sizes, and with the type if there are several") {
  std::vector<OpRecord> rows(2);
  rows[0].op = rows[1].op = "sum";
  rows[0].sizes = "64x2";
  rows[1].sizes = "64x4";
  CHECK(enum_names(make_identities(rows)) == Names{"sum 64x2", "sum 64x4"});
  rows[1].type = OpType::kBf16;
  CHECK(enum_names(make_identities(rows)) == Names{"sum 64x2, fp32", "sum 64x4, bf16"});
}

}  // namespace gpubench::test::row_names_test
