// Part of the fault injector that makes the wall clock jump: with GPUBENCH_FAULT_CLOCK=HOURS, it is by turns
// HOURS ahead, correct, or HOURS behind, each for half a second. Monotonic clocks stay correct.

#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

constinit std::int64_t error_hours = 0;

__attribute__((constructor)) void read_environment() {
  if (const char* const hours = getenv("GPUBENCH_FAULT_CLOCK")) error_hours = atoll(hours);
}

/// Returns the current error of the wall clock in seconds.
std::int64_t clock_error() {
  timespec now{};
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  const std::int64_t half_seconds = 2 * now.tv_sec + now.tv_nsec / 500'000'000;
  return (half_seconds % 3 - 1) * error_hours * 3600;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const int result = static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  if (result == 0 && clock == CLOCK_REALTIME && error_hours != 0) time->tv_sec += clock_error();
  return result;
}

time_t time(time_t* place) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (place != nullptr) *place = now.tv_sec;
  return now.tv_sec;
}

int gettimeofday(timeval* time, void* /*zone*/) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  *time = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}
}
