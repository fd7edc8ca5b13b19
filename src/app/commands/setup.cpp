#include <cstdlib>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/run/terminal.h"
#include "app/setup/libtorch.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/utf8.h"

namespace gpubench::setup_plugin {
namespace {

/// Returns the package index of pip's settings, by default PyPI.
std::string package_index() {
  const char* const mirror = std::getenv("PIP_INDEX_URL");
  return mirror != nullptr && *mirror != '\0' ? mirror : "https://pypi.org/simple/";
}

struct Options {
  std::string device;  ///< "cpu" or "cuda"; empty: CUDA if this machine can use it.
  std::string version = own_torch_build().version;
  std::string from = package_index();
  bool forces = false;
  bool is_quiet = false;
};

/// Returns the value of --device for the build.
std::string find_device(const TorchBuild& build) { return build.flavor == "cuda" ? "cuda" : "cpu"; }

TorchBuild build_for(const std::string& device, const std::vector<TorchBuild>& builds) {
  const auto found = std::ranges::find(builds, device, find_device);
  if (found != builds.end()) return *found;
  require(device == "cpu" || device == "cuda", "--device {}: give cpu or cuda", device);
  throw Error(ErrorKind::kUsage,
              "--device {}: this gpubench has an engine only for {}; see 'gpubench help getting-started'",
              device, join(mapped(builds, find_device)));
}

std::string describe(const TorchBuild& build) {
  return "LibTorch " + build.version + " for " + find_device(build);
}

/// Returns the location of an existing build; empty if it must be downloaded.
std::string find_present(const TorchBuild& build, bool is_forced) {
  const auto engine = find_engine();
  if (engine && engine->is_bundled && engine->torch == build) return "is part of this installation";
  const char* const named = std::getenv("GPUBENCH_TORCH");
  if (named != nullptr && *named != '\0' && find_torch(build)) return "is in GPUBENCH_TORCH";
  return !is_forced && is_set_up(build) ? "is set up in " + find_folder(build).string() : "";
}

void set_up(const Options& options) {
  const std::vector<TorchBuild> builds = engine_builds();
  TorchBuild build = !options.device.empty() ? build_for(options.device, builds)
                     : has_nvidia_driver()   ? builds.front()
                                             : builds.back();
  build.version = options.version;
  if (const std::string place = find_present(build, options.forces); !place.empty()) {
    if (!options.is_quiet) log_info("{} {}; nothing to do", describe(build), place);
    return;
  }
  TorchSource source;
  source.place = options.from;
  source.progress = download_progress(options.is_quiet);
  set_up_torch(build, source, options.forces);
  if (!options.is_quiet) log_info("{} is set up in {}", describe(build), find_folder(build).string());
}

void list() {
  TextTable table({{"LibTorch"}, {"for"}, {"folder"}});
  for (const TorchBuild& build : set_up_builds())
    table.add_row({build.version, find_device(build), find_folder(build).string()});
  print(table.to_string(output_width()));
}

/// Removes a build, even if this version of gpubench has no engine for it.
void remove(const Options& options) {
  std::vector<TorchBuild> builds = set_up_builds();
  std::erase_if(builds, [&](const TorchBuild& build) { return build.version != options.version; });
  require(!builds.empty(), "--torch {}: is not set up; see 'gpubench setup list'", options.version);
  require(builds.size() == 1 || !options.device.empty(),
          "setup remove: several builds are set up; choose one with --device: {}",
          join(mapped(builds, find_device)));
  const TorchBuild build = options.device.empty() ? builds.front() : build_for(options.device, builds);
  remove_torch(build);
  log_info("removed {}", describe(build));
}

void add_which(CommandParser& parser, Options& options, const std::string& devices) {
  parser.option("--device", "KIND", devices, options.device).offers([] {
    return std::vector<std::string>{"cpu", "cuda"};
  });
  parser.option("--torch", "VERSION", "LibTorch version (default: gpubench's own)", options.version);
}

void add_options(CommandParser& parser) {
  parser.footer(
      "Examples:\n  gpubench setup\n  gpubench setup --device cuda\n  gpubench setup --from ./packages\n"
      "  gpubench setup remove --device cuda");
  const auto options = std::make_shared<Options>();
  add_which(parser, *options, "Device kind: cpu or cuda (default: cuda if usable)");
  parser.option("--from", "URL|DIR", "Package index or folder with packages (default: PyPI)", options->from);
  parser.flag("--force", "Download again and replace the existing LibTorch", options->forces);
  add_quiet(parser, options->is_quiet);
  parser.on_parsed([options] { set_up(*options); });
  parser.subcommand("list", "List the downloaded LibTorch versions").on_parsed(list);
  CommandParser remover = parser.subcommand("remove", "Remove a downloaded LibTorch");
  add_which(remover, *options, "Device kind of the LibTorch: cpu or cuda");
  remover.on_parsed([options] { remove(*options); });
}

}  // namespace

CommandEntry entry_setup() { return {"setup", "Download LibTorch, the library that trains", add_options}; }

}  // namespace gpubench::setup_plugin
