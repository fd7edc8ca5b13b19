#include <fmt/format.h>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/setup/engine_files.h"
#include "device/host/host.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/nearest.h"

namespace gpubench::about_plugin {
namespace {

constexpr const char* kWhatToRun = R"(
  gpubench suite quick               three networks, how sure the figures are: less than three minutes on two cores
  gpubench --model cnn               one network; lists sweep: --model mlp,cnn --batch 32,128
  gpubench compare A.json B.json     which of two machines is faster, and by how much
  gpubench doctor                    what this machine has, what is missing, how to get it
  gpubench help                      the documentation; all commands: gpubench --help
)";

std::string host_text(const Environment& host) {
  constexpr double kGibibyte = 1 << 30;
  const std::string memory =
      host.memory.has_value()
          ? fmt::format("{:.0f} GiB", static_cast<double>(host.memory.value().value) / kGibibyte)
          : "memory unknown";
  return fmt::format("{}, {:g} cores, {}, {}", host.cpu, core_limits().available, memory, host.os);
}

/// "cpu (AMD EPYC), cuda:0 (NVIDIA H200)", or why there is none.
std::string devices_text() {
  try {
    std::vector<std::string> names;
    for (const DeviceFacts& kind : device_facts()) {
      for (const DeviceRecord& device : kind.devices)
        names.push_back(fmt::format("{} ({})", device.name, device.model));
    }
    return join(names, ", ");
  } catch (const Error& error) {
    return std::string("nothing yet: ") + error.what();
  }
}

ExitCode about() {
  print("gpubench measures how fast this machine trains neural networks.\n\n");
  print(fmt::format("  this machine   {}\n", host_text(read_host())));
  print(fmt::format("  trains on      {}\n", devices_text()));
  print(fmt::format("  with           LibTorch {}\n", own_torch_build().version));
  print(kWhatToRun);
  return ExitCode::kOk;
}

void add_options(CommandParser& parser) {
  parser.footer("Example:\n  gpubench about\nThe same as gpubench without arguments.");
  parser.on_parsed(about);
}

}  // namespace

CommandEntry entry_about() {
  return {"about", "What this machine is, and what to run first", CommandKind::kUnlisted, add_options};
}

}  // namespace gpubench::about_plugin
