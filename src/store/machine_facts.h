#pragma once

#include <map>
#include <optional>
#include <string>

namespace gpubench {

/// Facts about this machine, measured once: peaks, the faster of several modes. The key of each is a line
/// that says all it depends on: machine, versions, sizes.
class MachineFacts {
 public:
  virtual ~MachineFacts() = default;
  /// Returns the text of the fact; nothing if it is unknown.
  virtual std::optional<std::string> find_fact(const std::string& key) const = 0;
  /// Keeps the text for later processes, if that is possible: otherwise the fact is measured again.
  virtual void keep_fact(const std::string& key, const std::string& text) = 0;
};

/// Facts in memory, for a process without a store.
class FactsInMemory : public MachineFacts {
 public:
  std::optional<std::string> find_fact(const std::string& key) const override {
    const auto found = facts.find(key);
    return found == facts.end() ? std::nullopt : std::optional(found->second);
  }
  void keep_fact(const std::string& key, const std::string& text) override { facts[key] = text; }

  std::map<std::string, std::string> facts;
};

}  // namespace gpubench
