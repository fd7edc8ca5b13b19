#include "gpubench/record/row_identity.h"

#include "gpubench/record/run_record.h"
#include "support/catch.h"

namespace gpubench::test::row_identity_test {
namespace {

CaseRecord half_case() {
  CaseRecord record;
  record.model = "mlp";
  record.sizes = "hidden=500";
  record.dataset = "cifar10";
  record.device = "cpu";
  record.batch_size = 128;
  record.train_samples = 50000;
  record.mode.precision = Precision::kBf16;
  record.mode.loader = Loader::kHost;
  return record;
}

OpRecord product() {
  OpRecord row;
  row.op = "matmul";
  row.sizes = "64x256 256x32";
  row.device = "cpu";
  return row;
}

}  // namespace

TEST_CASE("rows with equal parameters have equal identities, whatever their results") {
  const RowIdentity identity = make_identity(half_case());
  CaseRecord other = half_case();
  other.repeat = 3;
  other.status = RowStatus::kCrashed;
  other.epoch_seconds = {1, 2};
  CHECK(make_identity(other) == identity);
  other.train_samples = 1000;
  CHECK(make_identity(other) != identity);
  OpRecord cold = product();
  cold.cache = OpCache::kCold;
  CHECK(make_identity(cold) != make_identity(product()));
}

TEST_CASE("identities can omit or replace a part") {
  CaseRecord large = half_case();
  large.batch_size = 512;
  CHECK(make_identity(large).without({"batch_size"}) == make_identity(half_case()).without({"batch_size"}));
  CHECK(make_identity(large).with("batch_size", "128") == make_identity(half_case()));
  CHECK(make_identity(large).number("batch_size") == 512);
  CHECK(make_identity(product()).at("batch_size").empty());
  CHECK(make_identity(product()).number("batch_size") == 0);
}

TEST_CASE("short names contain the distinguishing parts") {
  CHECK(make_name(make_identity(half_case())) ==
        "mlp (hidden=500) on cpu, cifar10, batch 128, bf16, loader host");
  CHECK(make_name(make_identity(product())) == "matmul 64x256 256x32, fp32, forward, warm, cpu");
}

TEST_CASE("repeats are grouped in order of first appearance") {
  CaseRecord other = half_case();
  other.dataset = "mnist";
  const std::vector<CaseRecord> cases = {half_case(), other, half_case()};
  CHECK(group_repeats(make_identities(cases)) == std::vector<std::vector<std::size_t>>{{0, 2}, {1}});
}

}  // namespace gpubench::test::row_identity_test
