#ifndef GPUBENCH_TESTS_SUPPORT_CATCH_H
#define GPUBENCH_TESTS_SUPPORT_CATCH_H
// Catch2, version 2 or 3, with common names for the differences.
// No #pragma once, which compares texts: this header is precompiled, and compiler caches ignore comments.

#include <string>
#include <utility>

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

namespace gpubench::test {

#if __has_include(<catch2/catch_all.hpp>)

/// Returns a matcher for CHECK_THAT(text, contains_text("part")).
inline auto contains_text(std::string part) { return Catch::Matchers::ContainsSubstring(std::move(part)); }

/// Returns an operand for CHECK(value == approx(1.5)), with a relative tolerance of 1.2e-5.
inline Catch::Approx approx(double value) { return Catch::Approx(value); }

#else

inline auto contains_text(std::string part) { return Catch::Matchers::Contains(std::move(part)); }

inline Catch::Detail::Approx approx(double value) { return Catch::Detail::Approx(value); }

#endif

}  // namespace gpubench::test

#endif
