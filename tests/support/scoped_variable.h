#pragma once
// An environment variable for the duration of a test.

#include <cstdlib>
#include <optional>
#include <string>

namespace gpubench::test {

/// Sets a variable, or unsets it without a value. The destructor restores it.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, std::optional<std::string> value) : name_(name) {
    if (const char* const old = std::getenv(name)) old_ = old;
    assign(value);
  }
  ~ScopedVariable() { assign(old_); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  void assign(const std::optional<std::string>& value) {
    value ? setenv(name_, value->c_str(), 1) : unsetenv(name_);
  }

  const char* name_;
  std::optional<std::string> old_;
};

}  // namespace gpubench::test
