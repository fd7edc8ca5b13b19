#include "engine/failure.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <new>
#include <span>
#include <string_view>

#include <c10/util/Exception.h>

namespace gpubench {
namespace {

std::string message_of(const std::exception& error) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  const std::string text = torch_error ? torch_error->what_without_backtrace() : error.what();
  return text.substr(0, text.find('\n'));
}

bool mentions(std::string text, std::span<const std::string_view> phrases) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::any_of(phrases.begin(), phrases.end(),
                     [&](std::string_view phrase) { return text.find(phrase) != std::string::npos; });
}

bool is_out_of_memory(const std::exception& error, const std::string& message) {
  static constexpr std::array<std::string_view, 4> kPhrases = {
      "out of memory", "can't allocate memory", "cublas_status_alloc_failed", "invalid buffer size"};
  return dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr ||
         dynamic_cast<const std::bad_alloc*>(&error) != nullptr || mentions(message, kPhrases);
}

bool is_unsupported(const std::exception& error, const std::string& message) {
  static constexpr std::array<std::string_view, 3> kPhrases = {
      "not implemented for", "not currently implemented", "could not run 'aten::"};
  return dynamic_cast<const c10::NotImplementedError*>(&error) != nullptr || mentions(message, kPhrases);
}

}  // namespace

Failure classify(const std::exception& error) {
  const std::string message = message_of(error);
  if (is_out_of_memory(error, message)) return {CaseStatus::kOutOfMemory, message};
  if (is_unsupported(error, message)) return {CaseStatus::kUnsupported, message};
  return {CaseStatus::kError, message};
}

}  // namespace gpubench
