#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace gpubench {

using FactTexts = std::map<std::string, std::string>;  ///< By key.

/// Facts about this machine that are measured once, such as peaks or the faster of several modes. The key of
/// a fact is one line with all that it depends on: machine, versions, sizes. This class has them in memory.
class MachineFacts {
 public:
  explicit MachineFacts(FactTexts known = {}) : facts(std::move(known)) {}
  virtual ~MachineFacts() = default;

  /// Returns the text of the fact; nullopt if unknown.
  virtual std::optional<std::string> find_fact(const std::string& key) const {
    const auto found = facts.find(key);
    return found == facts.end() ? std::nullopt : std::optional(found->second);
  }
  /// Returns the facts whose keys begin with `prefix`.
  virtual FactTexts find_facts(const std::string& prefix) const {
    FactTexts found = facts;
    std::erase_if(found, [&](const auto& fact) { return !fact.first.starts_with(prefix); });
    return found;
  }
  /// Saves the text for later processes. After a failure they measure the fact again.
  virtual void keep_fact(const std::string& key, const std::string& text) { facts[key] = text; }

  FactTexts facts;
};

}  // namespace gpubench
