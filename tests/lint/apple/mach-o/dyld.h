#pragma once

#include <cstdint>

extern "C" int _NSGetExecutablePath(char*, std::uint32_t*);
