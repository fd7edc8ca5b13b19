#include "gpubench/record/row_command.h"

#include "gpubench/dataset.h"
#include "gpubench/record/run_record.h"
#include "support/catch.h"

namespace gpubench::test::row_command_test {
namespace {

CaseRecord vae_case() {
  CaseRecord record;
  record.model = "vae";
  record.dataset = "mnist";
  record.device = "M1 Ultra GPU";
  record.batch_size = 128;
  return record;
}

}  // namespace

TEST_CASE("a command has the options that identify the work, without the device") {
  CaseRecord record = vae_case();
  CHECK(make_command(record) == "gpubench --model vae --dataset mnist --batch 128");
  record.repeat = 3;
  record.epochs = 20;
  record.seed = 7;
  CHECK(make_command(record) == make_command(vae_case()));
  record.sizes = "layers=4,width=256";
  record.ranks = 8;
  record.accumulate = 2;
  record.mode.precision = Precision::kAmpBf16;
  record.min_timed = {1.5};
  record.learning_rate = 0.001;
  CHECK(make_command(record) ==
        "gpubench --model vae --model-arg layers=4,width=256 --dataset mnist --batch 128 --world-size 8 "
        "--accumulate 2 --precision amp-bf16 --min-time 1.5 --learning-rate 0.001");
}

TEST_CASE("a command of another workload names it") {
  CaseRecord record = vae_case();
  record.protocol = "single-stream";
  record.batch_size = 1;
  CHECK(make_command(record) ==
        "gpubench infer --model vae --dataset mnist --batch 1 --scenario single-stream");
}

TEST_CASE("a command uses synthetic data instead of synthetic rows and of the user's own files") {
  CaseRecord record = vae_case();
  for (const DatasetEntry& entry : datasets()) {
    record.dataset = entry.name;
    const bool has_own_files = entry.adapt != nullptr;
    const std::string expected = has_own_files ? "synthetic" : entry.name;
    CHECK(make_command(record) == "gpubench --model vae --dataset " + expected + " --batch 128");
  }
  record = vae_case();
  record.is_synthetic = true;
  CHECK(make_command(record) == "gpubench --model vae --dataset synthetic --batch 128");
}

TEST_CASE("a command of an operation quotes its sizes") {
  OpRecord row;
  row.op = "sum";
  row.sizes = "64x128 axis=0";
  row.type = OpType::kBf16;
  row.protocol = OpProtocol::kS4;
  CHECK(make_command(row) == "gpubench ops --op sum --shape '64x128 axis=0' --dtype bf16 --protocol s4");
  row.sizes = "it's $(id)";
  row.type = OpType::kFp32;
  CHECK(make_command(row) == "gpubench ops --op sum --shape 'it'\\''s $(id)' --protocol s4");
}

TEST_CASE("a command of a collective measures its message size") {
  OpRecord row;
  row.op = "all_reduce";
  row.sizes = "1024";
  row.ranks = 4;
  CHECK(make_command(row) == "gpubench net --collective all_reduce --sizes '1024:1024:*2' --world-size 4");
}

}  // namespace gpubench::test::row_command_test
