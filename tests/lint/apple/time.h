#pragma once

#include_next <time.h>

// Numbers of Linux's clocks stand in for those that it lacks.
#define CLOCK_UPTIME_RAW CLOCK_MONOTONIC

extern "C" unsigned long long clock_gettime_nsec_np(clockid_t);
