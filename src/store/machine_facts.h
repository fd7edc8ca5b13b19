#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace gpubench {

using FactTexts = std::map<std::string, std::string>;  ///< By key.

/// Facts about this machine that are measured once, such as peaks or the faster of several modes. The key of
/// a fact is one line with all that it depends on: machine, versions, sizes.
class MachineFacts {
 public:
  virtual ~MachineFacts() = default;
  /// Returns the text of the fact; nullopt if unknown.
  virtual std::optional<std::string> find_fact(const std::string& key) const = 0;
  /// Returns the facts whose keys begin with `prefix`.
  virtual FactTexts find_facts(const std::string& prefix) const = 0;
  /// Saves the text for later processes. After a failure they measure the fact again.
  virtual void keep_fact(const std::string& key, const std::string& text) = 0;
};

/// Facts in memory, for a process without a store.
class FactsInMemory : public MachineFacts {
 public:
  explicit FactsInMemory(FactTexts known = {}) : facts(std::move(known)) {}

  std::optional<std::string> find_fact(const std::string& key) const override {
    const auto found = facts.find(key);
    return found == facts.end() ? std::nullopt : std::optional(found->second);
  }
  FactTexts find_facts(const std::string& prefix) const override {
    FactTexts found = facts;
    std::erase_if(found, [&](const auto& fact) { return !fact.first.starts_with(prefix); });
    return found;
  }
  void keep_fact(const std::string& key, const std::string& text) override { facts[key] = text; }

  FactTexts facts;
};

}  // namespace gpubench
