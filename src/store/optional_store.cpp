#include "store/optional_store.h"

#include "gpubench/core/io/messages.h"

namespace gpubench {

OptionalStore::OptionalStore(const std::filesystem::path& path) : path_(path) {
  try {
    store_ = std::make_unique<Store>(path);
  } catch (const Error& error) {
    give_up(error.what());
  }
}

std::optional<std::string> OptionalStore::find_fact(const std::string& key) const {
  try {
    // Prefers the store, in which another process may have saved a later text.
    if (auto known = store_ ? store_->find_fact(key) : std::nullopt) return known;
  } catch (const Error&) {
    // The next write reports the error.
  }
  return MachineFacts::find_fact(key);
}

FactTexts OptionalStore::find_facts(const std::string& prefix) const {
  FactTexts found;
  try {
    if (store_) found = store_->find_facts(prefix);
  } catch (const Error&) {
    // The next write reports the error.
  }
  found.merge(MachineFacts::find_facts(prefix));
  return found;
}

void OptionalStore::keep_fact(const std::string& key, const std::string& text) {
  MachineFacts::keep_fact(key, text);
  attempt([&](Store& store) { store.keep_fact(key, text); });
}

void OptionalStore::give_up(const std::string& why) {
  store_.reset();
  if (has_failed_) return;
  has_failed_ = true;
  log_info("store {}: {}; this run is saved only in its result file (see 'gpubench history check')",
           path_.string(), why);
}

}  // namespace gpubench
