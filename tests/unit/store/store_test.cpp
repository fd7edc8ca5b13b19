#include "store/store.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>

#include "history/history.h"
#include "record/document/record_json.h"
#include "support/catch.h"
#include "support/sample_ops.h"
#include "support/sample_runs.h"
#include "support/temp_dir.h"

namespace gpubench::test::store_test {
namespace {

namespace fs = std::filesystem;
using Access = Database::Access;

std::string to_text(const RunRecord& run) { return json_text(run_to_json(run)); }

RunRecord with_id(RunRecord run, char digit) {
  run.tool.run_id = std::string(32, digit);
  return run;
}

/// Calls `act` in another process, whose exit code is 0 if it returns true.
pid_t start(const std::function<bool()>& act) {
  const pid_t child = fork();
  if (child != 0) return child;
  try {
    _exit(act() ? 0 : 1);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    _exit(2);
  }
}

bool has_succeeded(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct StoreFile {
  TempDir dir;
  fs::path path = dir.path() / "host.sqlite";
};

}  // namespace

TEST_CASE("a store creates its folder with access for its user only") {
  const StoreFile file;
  const fs::path path = file.dir.path() / "state" / "gpubench" / "host.sqlite";
  CHECK(Store(path).runs().empty());
  CHECK(fs::status(path.parent_path()).permissions() == fs::perms::owner_all);
}

TEST_CASE("a store of version 1 is migrated, and its series are derived again from the runs") {
  const StoreFile file;
  {
    Store store(file.path);
    store.import_run(with_id(mixed_run(), 'a'), "run.json");
    index_runs(store);
    store.database().run_all(R"(
      ALTER TABLE point DROP COLUMN host;
      DELETE FROM point WHERE metric != 'median_epoch_seconds';
      UPDATE point SET metric = 'time';
      UPDATE series SET key = 'old ' || id;
      PRAGMA user_version = 1;)");
  }
  Store store(file.path);
  CHECK(store.version() == 2);
  CHECK(has_runs_to_index(store));
  index_runs(store);
  Statement old = store.database().query("SELECT count(*) FROM series WHERE key LIKE 'old %'");
  REQUIRE(old.step());
  CHECK(old.integer(0) == 0);
  const std::vector<HistorySeries> series = load_series(store);
  REQUIRE_FALSE(series.empty());
  const SeriesPoints points = load_points(store, series.front().id, series_metrics(), 10);
  REQUIRE(points.metric != nullptr);
  CHECK(points.metric->key == "median_epoch_seconds");
  CHECK(points.points.size() == 1);
}

TEST_CASE("damaged files and files of newer versions or other programs are refused") {
  const StoreFile file;
  const auto make_with = [&](const char* sql) {
    fs::remove(file.path);
    Store(file.path).database().run_all(sql);
  };
  make_with("PRAGMA user_version = 99");
  CHECK_THROWS_WITH(Store(file.path), contains_text("newer gpubench"));
  make_with("PRAGMA application_id = 1");
  CHECK_THROWS_WITH(Store(file.path), contains_text("another program"));
  CHECK_THROWS_WITH(Store(file.dir.file("text.sqlite", std::string(5000, 'x'))), contains_text("damaged"));
  const fs::path other = file.dir.path() / "other.sqlite";
  Database(other, Access::kWrite).run("CREATE TABLE run (id INTEGER)");
  CHECK_THROWS_WITH(Store(other), contains_text("another program"));
  CHECK_THROWS_AS(Store(file.dir.path()), DatabaseError);
}

TEST_CASE("a store that is opened for reading is not changed") {
  const StoreFile file;
  CHECK_THROWS_AS(Store(file.path, Access::kRead), DatabaseError);
  CHECK_FALSE(fs::exists(file.path));
  const RunId run = Store(file.path).import_run(with_id(mixed_run(), 'a'), "/run.json");
  Store store(file.path, Access::kRead);
  CHECK(store.load_run(run).cases.size() == mixed_run().cases.size());
  CHECK_THROWS_AS(store.remove_run(run), DatabaseError);
  CHECK_THROWS_AS(store.keep_fact("key", "text"), DatabaseError);
}

TEST_CASE("all processes read the latest text of a fact") {
  const StoreFile file;
  Store store(file.path);
  CHECK_FALSE(store.find_fact("peak of \xff").has_value());
  store.keep_fact("peak of \xff", "1");
  store.keep_fact("peak of \xff", "2");
  CHECK(Store(file.path, Access::kRead).find_fact("peak of \xff") == "2");
}

TEST_CASE("importing a run again replaces it") {
  const StoreFile file;
  Store store(file.path);
  store.import_run(with_id(empty_run(), 'b'), "/other.json");
  store.import_run(with_id(mixed_run(), 'a'), "/run.json");
  RunRecord again = with_id(mixed_run(), 'a');
  again.cases.resize(2);
  const RunId run = store.import_run(again, "/moved.json");
  CHECK(store.runs().size() == 2);
  CHECK(store.find_run(std::string(32, 'a')) == run);
  CHECK(to_text(store.load_run(run)) == to_text(again));
  store.remove_run(run);
  CHECK(store.runs().size() == 1);
  CHECK_THROWS_AS(store.load_run(run), DatabaseError);
}

TEST_CASE("the store does not change documents of any kind, with any bytes in their texts") {
  const StoreFile file;
  Store store(file.path);
  for (const RunRecord& run : {eventful_run(), hostile_run(), reticent_run(), mixed_ops()}) {
    const RunId id = store.import_run(with_id(run, 'c'), "/\xff\n.json");
    CHECK(to_text(store.load_run(id)) == to_text(with_id(run, 'c')));
    CHECK(store.runs().front().output == "/\xff\n.json");
  }
}

TEST_CASE("a run is claimed by the process that measures it until that process ends") {
  const StoreFile file;
  std::optional<Store> store(file.path);
  const RunId run = store->begin_run(with_id(empty_run(), 'a'), {}, "/run.json");
  const auto is_free = [&] {
    Store own(file.path);
    return !own.is_claimed(run) && own.claim(run);
  };
  const auto is_taken = [&] {
    Store own(file.path);
    return own.is_claimed(run) && !own.claim(run) && own.claim(run + 1);
  };
  CHECK(has_succeeded(start(is_taken)));
  store.reset();
  CHECK(has_succeeded(start(is_free)));
  CHECK(has_succeeded(start(is_free)));  // The former one has ended.
}

TEST_CASE("two processes that write at the same time lose no rows") {
  constexpr std::size_t kRows = 200;
  const StoreFile file;
  const auto write = [&](char digit) {
    return start([&file, digit] {
      Store store(file.path);
      const RunId run = store.begin_run(with_id(empty_run(), digit), {}, "/run.json");
      for (std::size_t i = 0; i < kRows; ++i) store.add_row(run, i, unfinished_case(RowStatus::kOk, ""));
      return true;
    });
  };
  const pid_t first = write('a');
  const pid_t second = write('b');
  CHECK(has_succeeded(first));
  CHECK(has_succeeded(second));
  const Store store(file.path);
  for (const StoredRun& run : store.runs()) CHECK(run.rows == kRows);
  CHECK(store.runs().size() == 2);
  CHECK(store.check().empty());
}

}  // namespace gpubench::test::store_test
