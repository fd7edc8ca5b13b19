#include "app/ab/sides.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "device/host/host_process.h"
#include "gpubench/core/clock.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/nearest.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

struct SideOption {
  std::string_view name;
  std::string Side::*value;
};
constexpr std::array kSideOptions{
    SideOption{"--program", &Side::program}, SideOption{"--torch", &Side::torch},
    SideOption{"--wrapper", &Side::with},    SideOption{"--command", &Side::command},
    SideOption{"--figure", &Side::figure},   SideOption{"--seconds", &Side::seconds}};

constexpr std::array kWholeOptions{"--rounds",  "--min-rounds", "--budget", "--equivalence-margin",
                                   "--gate",    "--unlike",     "--output", "--resume",
                                   "--dry-run", "--quiet",      "--force"};

/// Options that no side can have, and why.
constexpr std::array<std::pair<std::string_view, const char*>, 2> kRefused{
    {{"--repeat", "a round runs each side once; give --rounds"},
     {"--power-log", "each round would replace the file; leave it out"}}};

template <class Names>
bool is_among(const std::string& name, const Names& names) {
  return std::ranges::find(names, std::string_view(name)) != names.end();
}

void drop(NamedOptions& options, std::initializer_list<std::string_view> names) {
  std::erase_if(options, [&](const NamedOption& option) { return is_among(option.name, names); });
}

/// A command and a gpubench replace each other.
NamedOptions laid_over(NamedOptions base, const NamedOptions& own) {
  for (const NamedOption& option : own) {
    drop(base, {option.name});
    if (option.name == "--command") drop(base, {"--program", "--torch", "--figure", "--seconds"});
    if (option.name == "--program" || option.name == "--torch") drop(base, {"--command"});
    if (option.name == "--figure" || option.name == "--seconds") drop(base, {"--figure", "--seconds"});
  }
  append(base, own);
  return base;
}

/// Makes the path absolute, since words before the command may change the folder.
void check_program(std::string& program) {
  std::error_code ignored;
  if (program.find('/') == std::string::npos && !fs::is_directory(program, ignored)) return;  // On PATH.
  require(fs::is_regular_file(program, ignored) && access(program.c_str(), X_OK) == 0,
          "--program {}: is no file that can be executed; name a gpubench", program);
  program = fs::absolute(program).lexically_normal().string();
}

void check_torch(std::string& folder) {
  if (folder.empty()) return;
  std::error_code ignored;
  require(fs::is_directory(fs::path(folder) / "lib", ignored),
          "--torch {}: has no folder lib; name the folder that holds include/ and lib/ of a LibTorch",
          folder);
  folder = fs::absolute(folder).lexically_normal().string();
}

Side make_side(std::string name, const NamedOptions& options) {
  Side side{std::move(name), {}};
  for (const NamedOption& option : options) {
    const auto known = std::ranges::find(kSideOptions, std::string_view(option.name), &SideOption::name);
    if (known != kSideOptions.end()) {
      side.*known->value = option.values.back();
    } else if (!is_of_all_sides(option.name) && option.name != kNextSide) {
      side.training.push_back(option);
    }
  }
  require(side.command.empty() || (side.program.empty() && side.torch.empty()),
          "--command runs something else than gpubench; leave --program and --torch out");
  require(side.figure.empty() || side.seconds.empty(), "--figure and --seconds exclude each other");
  const std::string pointer = side.figure + side.seconds;
  require(pointer.empty() || pointer.starts_with('/') || side.seconds == "wall",
          "{} {}: give a JSON pointer such as /seconds, or --seconds wall",
          side.figure.empty() ? "--seconds" : "--figure", pointer);
  check_program(side.program);
  check_torch(side.torch);
  return side;
}

/// Returns the command of a side without the words before it.
std::vector<std::string> format_words(const Side& side, const std::string& own_program) {
  if (!side.command.empty()) return {"/bin/sh", "-c", side.command};
  std::vector<std::string> words;
  if (!side.torch.empty()) {
    const std::string variable = library_path_variable();
    const char* const former = std::getenv(variable.c_str());
    const std::string more = former == nullptr ? "" : fmt::format(":{}", former);
    words = {"env", fmt::format("{}={}/lib{}", variable, side.torch, more)};
  }
  words.push_back(side.program.empty() ? own_program : side.program);
  append(words, format_words(side.training));
  append(words, std::vector<std::string>{"--quiet", "--output=-"});
  return words;
}

}  // namespace

bool is_of_all_sides(const std::string& option) { return is_among(option, kWholeOptions); }

std::vector<std::string> format_words(const NamedOptions& options) {
  return mapped(options, [](const NamedOption& option) {
    return option.values.empty() ? option.name : option.name + "=" + join(option.values, ",");
  });
}

std::vector<Side> make_sides(const std::vector<NamedOptions>& parts) {
  constexpr std::size_t kMostSides = 26;  // As there are letters.
  require(parts.size() > 1,
          "ab: one side alone; name the other after {}, as in 'gpubench ab --model mlp {} --threads 1'",
          kNextSide, kNextSide);
  require(parts.size() <= kMostSides, "ab: {} sides; at most {} have a letter", parts.size(), kMostSides);
  std::vector<Side> sides;
  for (const NamedOptions& own : parts) {
    for (const NamedOption& option : own) {
      for (const auto& [name, why] : kRefused) require(option.name != name, "{}: {}", name, why);
    }
    const std::string letter(1, static_cast<char>('A' + sides.size()));
    sides.push_back(make_side(letter, sides.empty() ? own : laid_over(parts.front(), own)));
  }
  return sides;
}

std::string value_in(const NamedOptions& options, const std::string& name, const std::string& otherwise) {
  const auto found = std::ranges::find(options, name, &NamedOption::name);
  return found == options.end() || found->values.empty() ? otherwise : found->values.back();
}

std::vector<std::string> make_command(const Side& side, const std::string& own_program) {
  // `cat` ends with the process that started this one, and the group with it.
  const std::string script =
      "exec 3<&0; { cat; kill -9 0; } <&3 >/dev/null 2>&1 & exec " + side.with + " \"$@\" 3<&- </dev/null";
  std::vector<std::string> words{"/bin/sh", "-c", script, "sh"};
  append(words, format_words(side, own_program));
  return words;
}

std::string shown_command(const Side& side, const std::string& own_program) {
  const std::string before = side.with.empty() ? "" : side.with + " ";
  return before + (side.command.empty() ? join(format_words(side, own_program), " ") : side.command);
}

ProcessEnd run_command(const std::vector<std::string>& words, std::optional<Seconds> timeout,
                       Interrupts& interrupts) {
  constexpr std::size_t kMostPrinted = std::size_t{64} << 20;
  const Deadline deadline = timeout ? Deadline(*timeout) : Deadline();
  ChildProcess child(executed_workers(words), {}, deadline, STDOUT_FILENO);
  ProcessEnd run;
  bool is_open = true;
  while (is_open && !run.is_timeout && !run.is_interrupted) {
    is_open = child.read(deadline.left(), {interrupts.wake_descriptor()});
    run.printed += child.take_replies();
    run.is_timeout = is_open && deadline.is_over();
    run.is_interrupted = is_open && interrupts.count() > 1;
    if (run.printed.size() > kMostPrinted) is_open = false;
  }
  if (is_open || run.printed.size() > kMostPrinted) child.kill();
  run.end = child.wait();
  return run;
}

}  // namespace gpubench
