#pragma once
// What a trial chose, kept for this machine: the mode on the first line, then why.

#include <algorithm>
#include <optional>
#include <string>

#include "engine/plan/plan.h"
#include "gpubench/core/io/machine_cache.h"
#include "gpubench/record/names.h"

namespace gpubench {

/// What an earlier trial found; nothing where it cannot be read.
template <class Mode>
std::optional<Choice<Mode>> cached_choice(const MachineCache& outcomes, const std::string& key) {
  const auto text = outcomes.find(key);
  if (!text) return std::nullopt;
  const std::size_t line = std::min(text->find('\n'), text->size());
  try {
    return Choice<Mode>{value_named<Mode>(text->substr(0, line)),
                        text->substr(std::min(line + 1, text->size()))};
  } catch (const Error&) {
    return std::nullopt;
  }
}

template <class Mode>
void keep_choice(const MachineCache& outcomes, const std::string& key, const Choice<Mode>& choice) {
  outcomes.store(key, to_string(choice.used) + "\n" + choice.note);
}

}  // namespace gpubench
