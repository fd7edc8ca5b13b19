#include <cstdlib>
#include <utility>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/run/dataset_store.h"
#include "app/setup/engine_files.h"
#include "app/setup/torch_setup.h"
#include "device/host/host_process.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/text_table.h"

namespace gpubench {
namespace {

/// Where packages are published; a mirror or a folder is named with --from, a mirror also as pip wants it.
std::string package_index() {
  const char* const mirror = std::getenv("PIP_INDEX_URL");
  return mirror != nullptr && *mirror != '\0' ? mirror : "https://pypi.org/simple/";
}

struct Options {
  std::string device;  ///< Empty: what this machine can use.
  std::string version = own_torch_build().version;
  std::string from = package_index();
  bool is_again = false;
  bool is_quiet = false;
};

/// As --device has it.
std::string find_device(const TorchBuild& build) { return build.flavor == "cuda" ? "cuda" : "cpu"; }

std::vector<TorchBuild> known_builds() { return engine_builds(executable_path()); }

/// Of those that this program has an engine for.
TorchBuild default_build() {
  const std::vector<TorchBuild> builds = known_builds();
  return has_nvidia_driver() ? builds.front() : builds.back();
}

/// The one for `device` among `builds`.
TorchBuild build_for(const std::string& device, const std::vector<TorchBuild>& builds) {
  const auto found = std::ranges::find(builds, device, find_device);
  if (found != builds.end()) return *found;
  require(device == "cpu" || device == "cuda", "--device {}: give cpu or cuda", device);
  throw Error(ErrorKind::kUsage,
              "--device {}: this gpubench has no engine for it, only for {}; see docs/install.md", device,
              join(mapped(builds, find_device)));
}

TorchBuild chosen(const Options& options) {
  TorchBuild build = options.device.empty() ? default_build() : build_for(options.device, known_builds());
  build.version = options.version;
  return build;
}

std::string megabytes(Bytes size) {
  constexpr double kMegabyte = 1e6;
  return with_separators(static_cast<long long>(static_cast<double>(size.value) / kMegabyte)) + " MB";
}

/// Says what is fetched once something arrives.
DownloadProgress told_progress(const TorchBuild& build, bool is_quiet) {
  const char* const size = build.flavor == "cuda" ? "2.5 GB" : build.flavor == "slim" ? "0.6 GB" : "0.1 GB";
  return [build, size, show = download_progress(is_quiet), is_told = is_quiet](
             const std::string& file, Bytes done, Bytes total) mutable {
    if (!std::exchange(is_told, true))
      log_info("fetching LibTorch {} for {}, {}", build.version, find_device(build), size);
    show(file, done, total);
  };
}

void fetch(const TorchBuild& build, const Options& options) {
  TorchSource source;
  source.place = options.from;
  source.progress = told_progress(build, options.is_quiet);
  set_up_torch(build, source, options.is_again);
}

/// Whether a LibTorch that the user names serves, so that none is fetched.
bool is_named(const TorchBuild& build) {
  const char* const named = std::getenv("GPUBENCH_TORCH");
  return named != nullptr && *named != '\0' && find_torch(build);
}

/// Whether it lies beside the engine, as archives with LibTorch have it.
bool is_bundled(const TorchBuild& build) {
  const auto engine = find_engine(executable_path());
  return engine && engine->is_bundled && engine->torch == build;
}

ExitCode set_up(const Options& options) {
  const TorchBuild build = chosen(options);
  if (is_bundled(build)) {
    log_info("LibTorch {} for {} came with this gpubench; there is nothing to set up", build.version,
             find_device(build));
    return ExitCode::kOk;
  }
  if (is_named(build)) {
    log_info("LibTorch {} for {} is the one in GPUBENCH_TORCH", build.version, find_device(build));
    return ExitCode::kOk;
  }
  const bool was_there = !options.is_again && is_set_up(build);
  if (!was_there) fetch(build, options);
  const auto folder = find_folder(build);
  if (!options.is_quiet)
    log_info("LibTorch {} for {} is {}set up in {}, {}", build.version, find_device(build),
             was_there ? "already " : "", folder.string(), megabytes(size_on_disk(folder)));
  return ExitCode::kOk;
}

ExitCode list() {
  TextTable table(
      {{"LibTorch", Align::kLeft}, {"for", Align::kLeft}, {"size", Align::kRight}, {"folder", Align::kLeft}});
  for (const TorchBuild& build : set_up_builds()) {
    const auto folder = find_folder(build);
    table.add_row({build.version, find_device(build), megabytes(size_on_disk(folder)), folder.string()});
  }
  print(table.to_string());
  return ExitCode::kOk;
}

/// Also one that this program has no engine for: another version of it may have put it there.
ExitCode remove(const Options& options) {
  std::vector<TorchBuild> builds = set_up_builds();
  std::erase_if(builds, [&](const TorchBuild& build) { return build.version != options.version; });
  require(!builds.empty(), "--torch {}: is not set up; see 'gpubench setup list'", options.version);
  require(builds.size() == 1 || !options.device.empty(), "setup remove: say which with --device: {}",
          join(mapped(builds, find_device)));
  const TorchBuild build = options.device.empty() ? builds.front() : build_for(options.device, builds);
  remove_torch(build);
  log_info("LibTorch {} for {} is removed", build.version, find_device(build));
  return ExitCode::kOk;
}

void add_which(CommandParser& parser, Options& options, const std::string& devices) {
  parser.option("--device", "KIND", devices, options.device).offers([] {
    return std::vector<std::string>{"cpu", "cuda"};
  });
  parser.option("--torch", "VERSION", "Version of LibTorch (default: that of this gpubench)",
                options.version);
}

void add_options(CommandParser& parser) {
  parser.footer(
      "Examples:\n  gpubench setup\n  gpubench setup --device cuda\n  gpubench setup --from ./packages\n"
      "  gpubench setup remove --device cuda");
  const auto options = std::make_shared<Options>();
  add_which(parser, *options, "cpu or cuda (default: cuda where there is a driver)");
  parser.option("--from", "URL|FOLDER", "A mirror of PyPI's index, or a folder with its files",
                options->from);
  parser.flag("--again", "Fetch it anew where it is there", options->is_again);
  add_quiet(parser, options->is_quiet);
  parser.on_parsed([options] { return set_up(*options); });
  parser.subcommand("list", "Each LibTorch that is set up").on_parsed(list);
  CommandParser remover = parser.subcommand("remove", "Remove one");
  add_which(remover, *options, "cpu or cuda");
  remover.on_parsed([options] { return remove(*options); });
}

}  // namespace

CommandEntry entry_setup() {
  return {"setup", "Fetch LibTorch, with which gpubench trains", CommandKind::kListed, add_options};
}

}  // namespace gpubench
