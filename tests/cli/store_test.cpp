// Stores that fail: a run is complete in its result file, and says once that the store lacks it.

#include "store/store.h"

#include <unistd.h>

#include <chrono>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include "supervision.h"
#include "support/catch.h"

namespace gpubench::test::store_test {

namespace {

namespace fs = std::filesystem;

/// Lines of stderr about the store.
std::size_t count_store_lines(const std::string& err) {
  std::istringstream lines(err);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) count += line.starts_with("gpubench: store ") ? 1 : 0;
  return count;
}

void check_complete(const Supervision& supervision, const ProcessResult& result) {
  INFO(result.err);
  CHECK(result.exit_code == 0);
  check_all_ok(supervision.document());
}

/// Runs with a store that cannot be used, which is said in one line with `why`.
void check_unusable(const Supervision& supervision, const std::string& store, const std::string& why) {
  const auto result = supervision.run({"--store", store});
  check_complete(supervision, result);
  INFO(result.err);
  CHECK(count_store_lines(result.err) == 1);
  CHECK_THAT(result.err, contains_text("store " + store + ": " + why));
}

/// A store of a whole run.
struct FilledStore : Supervision {
  FilledStore() {
    CHECK(run().exit_code == 0);
    fs::remove(gpubench().folder() / "run.json");
  }
};

/// Writes over the file from `begin` on.
void damage(const fs::path& file, std::size_t begin) {
  std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
  out.seekp(static_cast<std::streamoff>(begin));
  out << std::string(static_cast<std::size_t>(fs::file_size(file)) - begin, '\xff');
}

/// The arguments of a run as words of a shell's command line.
std::string shell_words() {
  std::string words;
  for (const std::string& word : Supervision::arguments()) words += " " + word;
  return words;
}

/// Does this to the store between the first and the last row of a run.
template <class Change>
void check_changed_meanwhile(const Change& change) {
  const Supervision supervision("--epoch-ms 100");
  StartedProcess process = supervision.gpubench().start(Supervision::arguments());
  REQUIRE(supervision.wait_for({.ended = 1, .epochs = 1}));
  change(supervision.gpubench().store());
  const auto result = process.wait();
  check_complete(supervision, result);
  INFO(result.err);
  CHECK(count_store_lines(result.err) <= 1);
}

}  // namespace

TEST_CASE("a store that cannot be opened is named with the reason", "[seam]") {
  const Supervision supervision;
  const fs::path folder = supervision.gpubench().folder();
  std::ofstream(folder / "notes") << "shopping list\nmilk\n";
  SECTION("no database") { check_unusable(supervision, "notes", "is damaged or not an SQLite database"); }
  SECTION("no folder") { check_unusable(supervision, "notes/x/store.sqlite", "cannot create its folder"); }
  SECTION("a folder") {
    fs::create_directory(folder / "store");
    check_unusable(supervision, "store", "unable to open database file");
  }
  SECTION("another program's") {
    Database(folder / "photos.sqlite", Database::Access::kWrite).run_all("CREATE TABLE photo (name TEXT)");
    check_unusable(supervision, "photos.sqlite", "is a database of another program");
  }
  SECTION("newer") {
    { const Store store(folder / "new.sqlite"); }
    Database(folder / "new.sqlite", Database::Access::kWrite).run_all("PRAGMA user_version = 99");
    check_unusable(supervision, "new.sqlite", "was written by a newer gpubench");
  }
  SECTION("read-only") {
    if (geteuid() == 0) {
      WARN("skipped: root may write everywhere");
      return;
    }
    fs::create_directory(folder / "fixed");
    fs::permissions(folder / "fixed", fs::perms::owner_read | fs::perms::owner_exec);
    check_unusable(supervision, "fixed/store.sqlite", "");
  }
  CHECK(to_text(folder / "notes") == "shopping list\nmilk\n");
}

TEST_CASE("a folder in which nobody can make files is no place for a store", "[seam]") {
  if (!fs::exists("/proc/self")) {
    WARN("skipped: this system has no /proc");
    return;
  }
  check_unusable(Supervision(), "/proc/store.sqlite", "unable to open database file");
}

TEST_CASE("a damaged store is said to be damaged", "[seam]") {
  const FilledStore filled;
  damage(filled.gpubench().store(), 4096);  // The first page has the names of the tables.
  check_unusable(filled, filled.gpubench().store().string(), "is damaged");
}

TEST_CASE("a disk that fills up costs the store, not the result", "[seam]") {
  const Supervision supervision;
  // 256 blocks of 512 bytes: more than the result, less than the log of the store.
  const auto result = supervision.gpubench().run_shell("ulimit -f 256; \"$0\"" + shell_words());
  check_complete(supervision, result);
  INFO(result.err);
  CHECK(count_store_lines(result.err) == 1);
  const auto resumed = supervision.resume();
  check_complete(supervision, resumed);
}

TEST_CASE("a store that is removed or damaged during a run costs the store, not the result", "[seam]") {
  check_changed_meanwhile([](const fs::path& store) { fs::remove_all(store.parent_path()); });
  check_changed_meanwhile([](const fs::path& store) {
    damage(store, 0);
    damage(store.string() + "-wal", 0);
  });
}

TEST_CASE("a run waits for a process that locks the store", "[seam]") {
  const FilledStore filled;
  std::optional<Database> other(std::in_place, filled.gpubench().store(), Database::Access::kWrite);
  other->run_all("BEGIN EXCLUSIVE");
  StartedProcess process = filled.gpubench().start(Supervision::arguments());
  std::this_thread::sleep_for(std::chrono::seconds(2));
  other.reset();
  const auto result = process.wait();
  check_complete(filled, result);
  CHECK(count_store_lines(result.err) == 0);
  CHECK(filled.stored().ended == 12);
}

TEST_CASE("runs at the same time share a store", "[seam]") {
  const Supervision one("--epoch-ms 5");
  const Supervision other("--epoch-ms 5");
  const auto arguments = Supervision::arguments({"--store", one.gpubench().store().string()});
  StartedProcess process = other.gpubench().start(arguments);
  check_complete(one, one.run());
  const auto result = process.wait();
  check_complete(other, result);
  CHECK(count_store_lines(result.err) == 0);
  const Store store(one.gpubench().store());
  CHECK(store.check().empty());
  REQUIRE(store.runs().size() == 2);
  for (const StoredRun& run : store.runs()) {
    CHECK(run.finished_rows == 6);
    CHECK_FALSE(run.finished_at.empty());
  }
}

TEST_CASE("a run without a store says nothing of it", "[seam]") {
  const Supervision supervision;
  const auto result = supervision.run({"--no-store"});
  check_complete(supervision, result);
  CHECK(count_store_lines(result.err) == 0);
  CHECK(supervision.stored().rows == 0);
}

}  // namespace gpubench::test::store_test
