#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "store/store.h"

namespace gpubench {

/// Store that may be missing or fail. Prints the first failure and continues without, with facts in memory.
class OptionalStore : public MachineFacts {
 public:
  OptionalStore() = default;
  /// Opens the store; prints the reason if that fails.
  explicit OptionalStore(const std::filesystem::path& path);

  /// Returns nullptr without a store.
  Store* get() { return store_.get(); }

  /// Calls `use` with the store. Returns false without a store and after a failure.
  template <class Use>
  bool attempt(const Use& use) {
    if (!store_) return false;
    try {
      use(*store_);
      return true;
    } catch (const Error& error) {
      give_up(error.what());
      return false;
    }
  }

  /// As attempt(), but first reopens a store that has failed. Ignores a second failure.
  template <class Use>
  void attempt_again(const Use& use) {
    try {
      if (!store_ && !path_.empty()) store_ = std::make_unique<Store>(path_);
    } catch (const Error&) {
      return;
    }
    attempt(use);
  }

  std::optional<std::string> find_fact(const std::string& key) const override;
  FactTexts find_facts(const std::string& prefix) const override;
  void keep_fact(const std::string& key, const std::string& text) override;

 private:
  void give_up(const std::string& why);

  std::filesystem::path path_;
  std::unique_ptr<Store> store_;
  bool has_failed_ = false;
};

}  // namespace gpubench
