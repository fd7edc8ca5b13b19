// `gpubench ops` and `gpubench list ops`, with the real binary.

#include <algorithm>
#include <fstream>

#include <nlohmann/json.hpp>

#include "gpubench_process.h"
#include "support/catch.h"
#include "support/schema.h"

namespace gpubench::test::ops_test {

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

/// Returns the arguments for rows of a few milliseconds on one thread.
std::vector<std::string> quick(std::vector<std::string> more) {
  more.insert(more.begin(), {"ops", "--device", "cpu", "--threads", "1", "--sample", "1ms", "--time", "5ms"});
  return more;
}

Json read_json(const fs::path& path) { return Json::parse(std::ifstream(path)); }

std::size_t list_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

void check_valid(const Json& document) { CHECK(schema_errors(document) == std::vector<std::string>()); }

std::vector<std::string> asked(const Json& document, const std::string& key) {
  std::vector<std::string> found;
  for (const Json& row : document["results"]) found.push_back(row["asked"][key]);
  return found;
}

bool has_draft(const fs::path& folder) {
  const fs::directory_iterator files(folder);
  return std::any_of(begin(files), end(files),
                     [](const fs::directory_entry& file) { return file.path().extension() == ".part"; });
}

}  // namespace

TEST_CASE("small operations succeed, with a table and a valid document", "[seam]") {
  const Gpubench gpubench;
  const auto result = gpubench.run(quick({"--op", "matmul,sum,relu", "--set", "small", "-o", "ops.json"}));
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, contains_text("matmul     256x256 256x256        ok"));
  CHECK_THAT(result.out, contains_text("of peak"));
  CHECK_THAT(result.err, contains_text("result in ops.json"));

  const Json document = read_json(gpubench.folder() / "ops.json");
  check_valid(document);
  CHECK(document["tool"]["arguments"][0] == "ops");
  CHECK(document["tool"]["finished_at"].is_string());
  CHECK(document["environment"]["allocator"] == "system");
  CHECK(document["plan"]["suite"] == "small");
  CHECK(document["results"][0]["asked"]["sample_seconds"] == 0.001);
  CHECK_THAT(result.out, contains_text("rows ok"));
  for (const Json& row : document["results"]) {
    INFO(row["asked"]["op"]);
    CHECK(row["status"] == "ok");
    CHECK(row["figures"]["median_call_seconds"] > 0);
    CHECK(row["facts"]["error"] <= row["facts"]["tolerance"]);
    CHECK(row["facts"]["peak_flops_per_second"] > 0);
    CHECK(row["samples"]["call_seconds"].size() >= 3);
  }
  CHECK_FALSE(has_draft(gpubench.folder()));
}

TEST_CASE("every combination of shape, type and direction is a row") {
  const Gpubench gpubench;
  const auto result =
      gpubench.run(quick({"--op", "matmul", "--shape", "8x16 16x4,3x5 5x7", "--dtype", "fp32,fp64",
                          "--direction", "forward,forward+backward", "-o", "ops.json"}));
  INFO(result.err << result.out);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, contains_text("direction"));
  const Json document = read_json(gpubench.folder() / "ops.json");
  check_valid(document);
  const auto sizes = asked(document, "sizes");
  REQUIRE(sizes.size() == 8);
  CHECK(sizes.front() == "8x16 16x4");
  CHECK(sizes.back() == "3x5 5x7");
  CHECK(asked(document, "type")[2] == "fp64");
  CHECK(asked(document, "direction")[1] == "forward+backward");
  CHECK(document["plan"]["suite"] == "");
}

TEST_CASE("a matrix has a status for each operation and type, and unsupported rows do not fail the run") {
  const Gpubench gpubench;
  const auto result = gpubench.run(quick({"--matrix", "--op", "matmul,softmax", "-o", "matrix.json"}));
  INFO(result.err << result.out);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, contains_text("fp32  fp16"));
  CHECK_THAT(result.out, contains_text("\nmatmul 32x1x1000"));
  CHECK_THAT(result.out, contains_text("unsupported"));
  const Json document = read_json(gpubench.folder() / "matrix.json");
  check_valid(document);
  CHECK(document["plan"]["kind"] == "matrix");
  CHECK(document["results"].size() == 12);
}

TEST_CASE("without --matrix, an unsupported row fails, with the reason below the table") {
  const Gpubench gpubench;
  const auto result = gpubench.run(quick({"--op", "softmax", "--set", "small", "--dtype", "int32"}));
  CHECK(result.exit_code == 5);
  CHECK_THAT(result.out, contains_text("unsupported: softmax"));
  CHECK_THAT(result.out, contains_text("unsupported [1]"));
  CHECK_THAT(result.out, contains_text("\n[1] "));
}

TEST_CASE("a sweep measures square matrix products, and its document has the kind sweep") {
  const Gpubench gpubench;
  const auto result = gpubench.run(quick({"--sweep", "64:256:*2", "-o", "sweep.json"}));
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const Json document = read_json(gpubench.folder() / "sweep.json");
  check_valid(document);
  CHECK(document["plan"]["kind"] == "sweep");
  CHECK(asked(document, "sizes") ==
        std::vector<std::string>{"64x64 64x64", "128x128 128x128", "256x256 256x256"});
  CHECK(document["results"][0]["facts"]["flop"] == 2.0 * 64 * 64 * 64);
}

TEST_CASE("a table can be compared with published results", "[seam]") {
  const Gpubench gpubench;
  CHECK(
      gpubench.run(quick({"--op", "argmax", "--shape", "64x128x1024 axis=2", "-o", "mine.json"})).exit_code ==
      0);
  const auto compared = gpubench.run({"compare", "mine.json", "--baseline", "published:m3-max/cpu"});
  INFO(compared.err << compared.out);
  CHECK(compared.exit_code == 0);
  CHECK_THAT(compared.out, contains_text("published"));
}

TEST_CASE("invalid options of ops are errors before any measurement") {
  const Gpubench gpubench;
  const auto refuses = [&](const std::vector<std::string>& arguments, const std::string& text) {
    const auto result = gpubench.run(quick(arguments));
    INFO(text);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, contains_text(text));
    CHECK(list_lines(result.err) == 1);
  };
  refuses({"--op", "matmull"}, "--op: unknown operation 'matmull'; did you mean 'matmul'?");
  refuses({"--dtype", "fp8"}, "unknown type 'fp8'");
  refuses({"--direction", "sideways"}, "unknown direction 'sideways'");
  refuses({"--cache", "tepid"}, "unknown cache 'tepid'");
  refuses({"--set", "large"}, "--set: unknown set 'large'");
  refuses({"--shape", "4x4"}, "--shape: applies to a single operation");
  refuses({"--op", "matmul", "--shape", "4x"}, "--shape \"4x\"");
  refuses({"--op", "matmul", "--shape", "4x5 4x5"}, "--shape \"4x5 4x5\"");
  refuses({"--op", "relu", "--shape", "9223372036854775807x2"}, "size in bytes overflows");
  refuses({"--sweep", "4000000000:4000000000:*2"}, "4000000000 is not between 1 and");
  refuses({"--sweep", "9:3:*2"}, "--sweep 9:3:*2: the first size is larger than the last");
  refuses({"--sweep", "3:9:*2", "--op", "sum"}, "remove --op");
  refuses({"--matrix", "--cache", "warm,cold"}, "give one --cache");
  refuses({"--protocol", "s5"}, "unknown protocol 's5'");
  refuses({"--protocol", "s4"}, "leave --sample and --time out");
  refuses({"--seed", "-1"}, "--seed -1");
  refuses({"--op", "relu", "-o", "/dev/null/ops.json"}, "--output");
  refuses({"--device", "toaster"}, "--device");
  CHECK(gpubench.run({"ops", "--sample", "0s"}).exit_code == 2);
  CHECK(gpubench.run({"ops", "--time", "soon"}).exit_code == 2);
  CHECK(gpubench.run({"ops", "--threads", "-1"}).exit_code == 2);
  CHECK(gpubench.run({"ops", "--device", "cuda:99"}).exit_code == 4);
}

TEST_CASE("the MPS fallback is disabled with a message") {
  Gpubench gpubench;
  gpubench.set("PYTORCH_ENABLE_MPS_FALLBACK", "1");
  const auto result = gpubench.run(quick({"--op", "relu", "--set", "small"}));
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, contains_text("PYTORCH_ENABLE_MPS_FALLBACK: ignored"));
  CHECK(gpubench.run(quick({"--op", "relu", "--set", "small", "-q"})).err.empty());
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"--model", "mlp", "--dataset", "synthetic", "--max-samples", "256",
                                 "--epochs", "1", "--device", "cpu", "--threads", "1"},
        {"peak", "--quick", "--device", "cpu", "-o", "-"}}) {
    CHECK_THAT(gpubench.run(command).err, contains_text("PYTORCH_ENABLE_MPS_FALLBACK: ignored"));
  }
}

TEST_CASE("list ops shows every operation with its sizes and rows, also as JSON") {
  const Gpubench gpubench;
  const auto table = gpubench.run({"list", "ops"});
  CHECK(table.exit_code == 0);
  CHECK_THAT(table.out, contains_text("[B]xMxK [B]xKxN"));
  const Json document = Json::parse(gpubench.run({"list", "ops", "--json"}).out);
  CHECK(document.size() == 1);
  CHECK(document["ops"].size() > 20);
  for (const Json& op : document["ops"]) {
    CHECK_THAT(table.out, contains_text(op["name"].get<std::string>()));
    CHECK_FALSE(op["summary"].get<std::string>().empty());
    CHECK(op["published"].size() >= 1);
    CHECK(op["small"].size() >= 1);
  }
}

}  // namespace gpubench::test::ops_test
