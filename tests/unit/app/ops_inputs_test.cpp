#include "app/files/inputs.h"

#include "app/command_line.h"
#include "gpubench/core/error.h"
#include "record/document/record_json.h"
#include "support/catch.h"
#include "support/sample_ops.h"
#include "support/sample_runs.h"
#include "support/temp_dir.h"

namespace gpubench::test::ops_inputs_test {
using gpubench::test::contains_text;

namespace {

/// Folder with a table of operations and the result of a run.
struct Files {
  test::TempDir folder;
  std::string ops = folder.file("ops.json", run_document(test::mixed_ops())).string();
  std::string run = folder.file("run.json", run_document(test::mixed_run())).string();
};

/// Returns the error of `gpubench compare` with these arguments.
std::string complaint(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "compare");
  try {
    parse_command_line(arguments)();
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a published result determines the compared kind, otherwise a run does") {
  const Files files;
  const auto is_of_ops = [](const std::vector<std::string>& inputs) {
    return compared_kind(inputs) == DocumentKind::kOperations;
  };
  CHECK(is_of_ops({files.ops}));
  CHECK_FALSE(is_of_ops({files.ops, files.run}));
  CHECK_FALSE(is_of_ops({files.folder.path().string()}));
  CHECK_FALSE(is_of_ops({files.run + ".none"}));
  CHECK(is_of_ops({"published:m3-max"}));
  CHECK(is_of_ops({files.run, "published:m3-max/mps"}));
  CHECK_FALSE(is_of_ops({files.ops, "published:rtx-2070-super"}));
}

TEST_CASE("loaders read only documents of the requested kind, by name and from a folder") {
  Files files;
  const std::string peak =
      files.folder.file("peak.json", R"({"schema_version": 1, "results": [{"workload": "peak"}]})").string();
  const std::string selftest =
      files.folder.file("selftest.json", R"({"schema_version": 1, "results": [{"workload": "selftest"}]})")
          .string();
  RunRecord failed = test::mixed_run();
  for (CaseRecord& record : failed.cases) record.status = RowStatus::kError;
  files.folder.file("failed.json", run_document(failed));
  const std::string folder = files.folder.path().string();
  const std::vector<std::string> all = {files.ops, peak, selftest, files.run, "published:m3-max"};
  REQUIRE(load_runs(all, DocumentKind::kRun).size() == 1);
  CHECK(load_runs({folder}, DocumentKind::kRun).at(0).name == "run.json");
  CHECK(candidates_in(load_runs({folder}, DocumentKind::kRun)).at(0).file == "run.json");
  CHECK(load_runs(all, DocumentKind::kOperations).at(0).name == "ops.json");
  CHECK(load_runs({folder}, DocumentKind::kOperations).at(0).name == "ops.json");
  CHECK(load_runs({folder + "/failed.json"}, DocumentKind::kRun).size() == 1);
  CHECK_THROWS_WITH(load_runs({peak, files.ops}, DocumentKind::kRun), contains_text("no file is a run"));
  CHECK_THROWS_WITH(load_runs({selftest, files.run}, DocumentKind::kOperations),
                    contains_text("no file is a table of operations"));
}

TEST_CASE("options that --values does not support are errors that name the option") {
  const Files files;
  CHECK_THAT(complaint({files.run, "--values", "runs"}),
             contains_text("--values: needs a machine-readable format"));
  CHECK_THAT(complaint({files.run, "--values", "runs", "--format", "tsv", "--gate", "5%"}),
             contains_text("--values: excludes --gate"));
  CHECK_THAT(complaint({files.run, "--values", "peaks", "--format", "tsv"}),
             contains_text("--values peaks: give runs or operations"));
}

TEST_CASE("options that tables of operations do not support are errors that name the option") {
  const Files files;
  CHECK_THAT(complaint({files.ops, "published:a100", "--unlike"}),
             contains_text("--unlike: is not supported for tables of operations"));
  CHECK_THAT(complaint({files.ops, "published:a100", "--price-kwh", "0.30"}),
             contains_text("--price-kwh: is not supported for tables of operations"));
}

TEST_CASE("the equivalence margin must be above 0, and excludes a gate") {
  const Files files;
  CHECK_THAT(complaint({files.ops, "published:a100", "--equivalence-margin", "0"}),
             contains_text("--equivalence-margin 0: must be above 0"));
  CHECK_THAT(complaint({files.ops, "published:a100", "--equivalence-margin", "wide"}),
             contains_text("--equivalence-margin 'wide': "));
  CHECK_THAT(complaint({files.ops, "published:a100", "--equivalence-margin", "2%", "--gate", "5%"}),
             contains_text("--equivalence-margin: excludes --gate"));
  CHECK_THAT(complaint({files.run, "--equivalence-margin", "2%", "--values", "runs", "--format", "tsv"}),
             contains_text("excludes --gate, --price-kwh and --equivalence-margin"));
}

}  // namespace gpubench::test::ops_inputs_test
