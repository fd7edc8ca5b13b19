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
  if (auto known = memory_.find_fact(key)) return known;
  try {
    return store_ ? store_->find_fact(key) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;  // A write will say it.
  }
}

FactTexts OptionalStore::find_facts(const std::string& prefix) const {
  FactTexts facts = memory_.find_facts(prefix);
  try {
    if (store_) facts.merge(store_->find_facts(prefix));
  } catch (const Error&) {
    // A write will say it.
  }
  return facts;
}

void OptionalStore::keep_fact(const std::string& key, const std::string& text) {
  memory_.keep_fact(key, text);
  attempt([&](Store& store) { store.keep_fact(key, text); });
}

void OptionalStore::give_up(const std::string& why) {
  store_.reset();
  log_info("store {}: {}; this run is in its result file alone (see 'gpubench history check')",
           path_.string(), why);
}

}  // namespace gpubench
