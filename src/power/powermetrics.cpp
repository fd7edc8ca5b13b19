// Apple's powermetrics, for machines on which the counters of IOReport cannot be read. It needs root.

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "gpubench/power_meter.h"
#include "power/log/power_log.h"
#include "power/sources.h"

namespace gpubench::powermetrics_plugin {
namespace {

constexpr const char* kProgram = "/usr/bin/powermetrics";
constexpr const char* kBlockBegin = "*** Sampled system activity";

/// A running program whose output is read without waiting. Shared by the sources of its rails.
class Child {
 public:
  explicit Child(const std::string& command) : pipe_(popen(command.c_str(), "r")) {
    if (pipe_) fcntl(fileno(pipe_), F_SETFL, O_NONBLOCK);
  }
  ~Child() {
    if (pipe_) pclose(pipe_);  // Its next line finds no reader, which ends it.
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Waits for output at most that long.
  void wait(Seconds duration) {
    pollfd waiting{pipe_ ? fileno(pipe_) : -1, POLLIN, 0};
    poll(&waiting, 1, static_cast<int>(duration.value * 1000));
  }

  /// Returns the rails of the last whole block; empty before there is one.
  const std::vector<PowerTrace>& rails() {
    if (drain()) parse();
    return rails_;
  }

  bool is_running() const { return pipe_ && !has_ended_; }

 private:
  bool drain() {
    std::array<char, 4096> part{};
    bool is_new = false;
    while (is_running()) {
      const ssize_t count = read(fileno(pipe_), part.data(), part.size());
      has_ended_ = count == 0;
      if (count <= 0) break;
      text_.append(part.data(), static_cast<std::size_t>(count));
      is_new = true;
    }
    return is_new;
  }

  /// Keeps the last block only. Retries an incomplete one with further output.
  void parse() {
    const std::size_t last = text_.rfind(kBlockBegin);
    if (last == std::string::npos) return;
    text_.erase(0, last);
    try {
      PowerLog log = parse_power_log(text_, *power_log_formats().find("powermetrics"), {});
      if (!log.traces.empty()) rails_ = std::move(log.traces);
    } catch (const Error&) {
      return;
    }
  }

  FILE* pipe_;
  std::string text_;
  bool has_ended_ = false;
  std::vector<PowerTrace> rails_;
};

PowerSources open(const MeterRequest&, std::string& why_not) {
  if (access(kProgram, X_OK) != 0) {
    why_not = fmt::format("no {}; it comes with macOS", kProgram);
  } else if (geteuid() != 0) {
    why_not =
        "powermetrics needs root: run 'sudo gpubench ...', or record a log and use 'gpubench file "
        "import-power'";
  } else {
    // Into a pipe it writes whole buffers, several seconds of samples, without --buffer-size 1.
    const std::string command =
        std::string(kProgram) + " --buffer-size 1 --samplers gpu_power,cpu_power -i 1000 2>/dev/null";
    return powermetrics_sources(command, Seconds{5}, why_not);
  }
  return {};
}

}  // namespace

PowerSources powermetrics_sources(const std::string& command, Seconds timeout, std::string& why_not) {
  const SteadyClock clock;
  const auto child = std::make_shared<Child>(command);
  const Seconds end = clock.now() + timeout;
  while (child->rails().empty() && child->is_running() && clock.now() < end) child->wait(Seconds{0.1});
  PowerSources sources;
  for (const PowerTrace& rail : child->rails()) {
    const auto read = [child, part = rail.facts.part]() -> PowerReading {
      for (const PowerTrace& last : child->rails()) {
        if (last.facts.part == part && child->is_running()) return last.samples.back().reading;
      }
      return {.power = missing("powermetrics has ended")};
    };
    sources.push_back({rail.facts, read});
    sources.back().facts.is_replayed = false;
  }
  if (sources.empty()) why_not = "powermetrics tells no power";
  return sources;
}

MeterEntry entry_powermetrics() {
  return {"powermetrics", "Apple's powermetrics, which needs root", false, open};
}

}  // namespace gpubench::powermetrics_plugin
