#pragma once
// How long something takes on a machine that others keep busy.

#include <chrono>
#include <fstream>
#include <string>

namespace gpubench::test {

/// Runs while a process can have the processors that it asks for. Moments in which some process had to wait
/// for one do not count, as far as the system tells of them (Linux, pressure stall information); elsewhere it
/// is a clock.
class FairTime {
 public:
  std::chrono::duration<double> elapsed() const { return clock_time() - (stalled() - stalled_before_); }
  std::chrono::duration<double> clock_time() const { return std::chrono::steady_clock::now() - start_; }

 private:
  /// Since the machine was started: "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345", in microseconds.
  static std::chrono::microseconds stalled() {
    std::ifstream in("/proc/pressure/cpu");
    std::string line;
    std::getline(in, line);
    const std::size_t at = line.find("total=");
    return std::chrono::microseconds(at == std::string::npos ? 0 : std::stoll(line.substr(at + 6)));
  }

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::microseconds stalled_before_ = stalled();
};

}  // namespace gpubench::test
