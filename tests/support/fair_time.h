#pragma once
// Elapsed time on a busy machine.

#include <chrono>
#include <fstream>
#include <string>

namespace gpubench::test {

/// Elapsed time without the moments in which a process waited for a CPU. Linux only (pressure stall
/// information); on other systems, plain elapsed time.
class FairTime {
 public:
  std::chrono::duration<double> elapsed() const { return clock_time() - (stalled() - stalled_before_); }
  std::chrono::duration<double> clock_time() const { return std::chrono::steady_clock::now() - start_; }

 private:
  /// Returns the waiting time since boot, from "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345".
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
