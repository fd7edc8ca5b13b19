#include "support/stored.h"

#include "store/store.h"

namespace gpubench::test {
namespace {

std::size_t count(const Store& store, const char* query) {
  Statement rows = store.database().query(query);
  rows.step();
  return static_cast<std::size_t>(rows.integer(0));
}

FactTexts read_facts(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return {};
  return Store(path, Database::Access::kRead).find_facts("");
}

}  // namespace

StoredCounts count_stored(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return {};
  try {
    const Store store(path, Database::Access::kRead);
    return {count(store, "SELECT count(*) FROM row"),
            count(store, "SELECT count(*) FROM row WHERE started_at != ''"),
            count(store, "SELECT count(*) FROM row WHERE has_ended"),
            count(store, "SELECT count(*) FROM epoch")};
  } catch (const DatabaseError&) {
    return {};  // Another process is creating the tables.
  }
}

void copy_facts(const std::filesystem::path& from, const std::filesystem::path& to) {
  try {
    const auto known = read_facts(to);
    auto facts = read_facts(from);
    std::erase_if(facts, [&](const auto& fact) {
      const auto same = known.find(fact.first);
      return same != known.end() && same->second == fact.second;
    });
    if (facts.empty()) return;
    Store store(to);
    Transaction transaction(store.database());
    for (const auto& [key, text] : facts) store.keep_fact(key, text);
    transaction.commit();
  } catch (const DatabaseError&) {
    return;
  }
}

}  // namespace gpubench::test
