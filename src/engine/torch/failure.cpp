#include "engine/torch/failure.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <new>
#include <regex>
#include <string_view>

#include <c10/util/Exception.h>

#include "gpubench/core/error.h"
#include "gpubench/core/text/quantities.h"

namespace gpubench {
namespace {

bool mentions(const std::string& message, std::initializer_list<std::string_view> phrases) {
  const std::string text = lower(message);
  return std::ranges::any_of(phrases,
                             [&](std::string_view phrase) { return text.find(phrase) != std::string::npos; });
}

bool is_out_of_memory(const std::exception& error, const std::string& message) {
  return dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr ||
         dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
         mentions(message, {"out of memory", "can't allocate memory", "cublas_status_alloc_failed",
                            "invalid buffer size"});
}

bool is_unsupported(const std::exception& error, const std::string& message) {
  return dynamic_cast<const Unsupported*>(&error) != nullptr ||
         dynamic_cast<const c10::NotImplementedError*>(&error) != nullptr ||
         mentions(message, {"not implemented for", "not currently implemented",
                            "could not run 'aten::", "the mps framework doesn't support"});
}

/// Finds a size such as "1.50 GiB" or "4096 bytes". The groups of `pattern` are number and unit.
Measured<Bytes> bytes_in(const std::string& message, const char* pattern) {
  std::smatch found;
  if (!std::regex_search(message, found, std::regex(pattern))) return missing("not in the error message");
  const std::optional<double> number = parse_decimal(found[1].str());
  if (!number) return missing("not in the error message");
  const std::size_t power_of_1024 = std::string_view("bKMG").find(found[2].str().front());
  return Bytes{std::llround(std::ldexp(*number, 10 * static_cast<int>(power_of_1024)))};
}

}  // namespace

Failure classify(const std::exception& error) {
  const auto* const torch_error = dynamic_cast<const c10::Error*>(&error);
  const std::string text = torch_error ? torch_error->what_without_backtrace() : error.what();
  const std::string message = text.substr(0, text.find('\n'));
  if (is_out_of_memory(error, message)) {
    // CPU: "you tried to allocate 4096 bytes"; CUDA: "Tried to allocate 2.00 GiB. ... of which 1.25 GiB is
    // free"; MPS: "Tried to allocate 2.00 GB on private pool".
    return {RowStatus::kOutOfMemory, message,
            bytes_in(message, R"([Tt]ried to allocate ([0-9.]+) (bytes|[KMG]i?B))"),
            bytes_in(message, R"(of which ([0-9.]+) (bytes|[KMG]i?B) is free)")};
  }
  if (is_unsupported(error, message)) return {RowStatus::kUnsupported, message};
  return {RowStatus::kError, message};
}

}  // namespace gpubench
