#pragma once

#include <cstdint>

constexpr std::uint32_t NOTIFY_STATUS_OK = 0;

extern "C" {
std::uint32_t notify_register_check(const char*, int*);
std::uint32_t notify_get_state(int, std::uint64_t*);
std::uint32_t notify_cancel(int);
}
