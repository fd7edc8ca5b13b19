#pragma once

#include <cstddef>

extern "C" int sysctlbyname(const char*, void*, std::size_t*, void*, std::size_t);
