#include "app/files/result_file.h"

#include <fstream>

#include <nlohmann/json.hpp>

#include "gpubench/core/io/files.h"
#include "record/document/record_json.h"
#include "support/catch.h"
#include "support/temp_dir.h"

namespace gpubench::test::result_file_test {
using gpubench::test::contains_text;
using gpubench::test::TempDir;

namespace {

std::size_t files_in(const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator files(folder);
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

std::size_t saved_cases(const std::filesystem::path& path) {
  return nlohmann::json::parse(std::ifstream(path)).at("results").size();
}

}  // namespace

TEST_CASE("each save replaces the whole document and leaves no temporary file") {
  const TempDir dir;
  {
    const ResultFile file((dir.path() / "new" / "run.json").string(), "unused.json", false);
    RunRecord run;
    run.cases.resize(1);
    file.save_snapshot(run_document(run));
    CHECK(saved_cases(file.path()) == 1);
    run.cases.resize(2);
    file.save(run_document(run));
    CHECK(saved_cases(file.path()) == 2);
  }
  CHECK(files_in(dir.path() / "new") == 1);
}

TEST_CASE("an existing file in a folder is replaced only with --force") {
  const TempDir dir;
  ResultFile(dir.path().string(), "run.json", false).save("{}");
  CHECK_THROWS_WITH(ResultFile(dir.path().string(), "run.json", false), contains_text("already exists"));
  ResultFile(dir.path().string(), "run.json", true);
}

TEST_CASE("result names contain only characters that every file system accepts") {
  CHECK(result_name("20261121T101500Z", "my host/1", {"cpu", "cuda:0"}) ==
        "20261121T101500Z-my-host-1-cpu+cuda-0.json");
}

}  // namespace gpubench::test::result_file_test
