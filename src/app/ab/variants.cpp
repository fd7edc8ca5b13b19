#include "app/ab/variants.h"

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

namespace gpubench {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::pair<std::string_view, std::string Variant::*>, 6> kVariantOptions{
    {{"--program", &Variant::program},
     {"--torch", &Variant::torch},
     {"--wrapper", &Variant::wrapper},
     {"--command", &Variant::command},
     {"--figure", &Variant::figure},
     {"--seconds", &Variant::seconds}}};

constexpr std::array kWholeOptions{"--rounds", "--min-rounds", "--budget", "--equivalence-margin",
                                   "--gate",   "--allow",      "--unlike", "--output",
                                   "--resume", "--dry-run",    "--quiet",  "--force"};

/// Unsupported options, with the reason.
constexpr std::array<std::pair<std::string_view, const char*>, 2> kRefused{
    {{"--repeat", "is not for ab, whose rounds run each variant once; give --rounds"},
     {"--power-log", "is not for ab, whose rounds would replace the file; leave it out"}}};

template <class Names>
bool is_among(const std::string& name, const Names& names) {
  return std::ranges::find(names, std::string_view(name)) != names.end();
}

void drop(NamedOptions& options, std::initializer_list<std::string_view> names) {
  std::erase_if(options, [&](const NamedOption& option) { return is_among(option.name, names); });
}

/// Returns `base` overridden by `own`. A command and a gpubench program replace each other.
NamedOptions overridden(NamedOptions base, const NamedOptions& own) {
  for (const NamedOption& option : own) {
    drop(base, {option.name});
    if (option.name == "--command") drop(base, {"--program", "--torch", "--figure", "--seconds"});
    if (option.name == "--program" || option.name == "--torch") drop(base, {"--command"});
    if (option.name == "--figure" || option.name == "--seconds") drop(base, {"--figure", "--seconds"});
  }
  append(base, own);
  return base;
}

/// Throws a usage Error for options that exclude each other and for wrong files. Makes paths absolute, since
/// a wrapper may change the folder.
void check(Variant& variant) {
  require(variant.command.empty() || (variant.program.empty() && variant.torch.empty()),
          "--command: excludes --program and --torch, which are for gpubench; leave them out");
  require(variant.figure.empty() || variant.seconds.empty(), "--figure: excludes --seconds; leave one out");
  const std::string pointer = variant.figure + variant.seconds;
  require(pointer.empty() || pointer.starts_with('/') || variant.seconds == "wall",
          "{} {}: give a JSON pointer such as /seconds, or --seconds wall",
          variant.figure.empty() ? "--seconds" : "--figure", pointer);
  std::string& program = variant.program;
  std::error_code ignored;
  // A name without a slash is a program on PATH.
  if (program.find('/') != std::string::npos || fs::is_directory(program, ignored)) {
    require(fs::is_regular_file(program, ignored) && access(program.c_str(), X_OK) == 0,
            "--program {}: is not an executable file; name a gpubench program", program);
    program = fs::absolute(program).lexically_normal().string();
  }
  if (variant.torch.empty()) return;
  require(fs::is_directory(fs::path(variant.torch) / "lib", ignored),
          "--torch {}: has no folder lib; name the folder of a LibTorch, with include/ and lib/",
          variant.torch);
  variant.torch = fs::absolute(variant.torch).lexically_normal().string();
}

Variant make_variant(std::string name, const NamedOptions& options) {
  Variant variant{std::move(name), {}};
  for (const NamedOption& option : options) {
    const auto known = std::ranges::find(kVariantOptions, std::string_view(option.name),
                                         [](const auto& entry) { return entry.first; });
    if (known != kVariantOptions.end()) {
      variant.*known->second = option.values.back();
    } else if (!applies_to_all_variants(option.name) && option.name != kNextVariant) {
      variant.training.push_back(option);
    }
  }
  // Three repeats by default would count as three rounds.
  variant.training.push_back({"--repeat", {"1"}});
  check(variant);
  return variant;
}

/// Returns the command of a variant without its wrapper.
std::vector<std::string> format_words(const Variant& variant, const std::string& own_program) {
  if (!variant.command.empty()) return {"/bin/sh", "-c", variant.command};
  std::vector<std::string> words;
  if (!variant.torch.empty()) {
    const std::string variable = library_path_variable();
    const char* const former = std::getenv(variable.c_str());
    const std::string more = former == nullptr ? "" : fmt::format(":{}", former);
    words = {"env", fmt::format("{}={}/lib{}", variable, variant.torch, more)};
  }
  words.push_back(variant.program.empty() ? own_program : variant.program);
  append(words, format_words(variant.training));
  append(words, std::vector<std::string>{"--quiet", "--output=-"});
  return words;
}

}  // namespace

bool applies_to_all_variants(const std::string& option) { return is_among(option, kWholeOptions); }

std::vector<std::string> format_words(const NamedOptions& options) {
  return mapped(options, [](const NamedOption& option) {
    return option.values.empty() ? option.name : option.name + "=" + join(option.values, ",");
  });
}

std::vector<Variant> make_variants(const std::vector<NamedOptions>& parts) {
  constexpr std::size_t kMostVariants = 26;  // Letters of the alphabet.
  require(parts.size() > 1,
          "ab: only one variant; name another after {}, as in 'gpubench ab --model mlp {} --threads 1'",
          kNextVariant, kNextVariant);
  require(parts.size() <= kMostVariants, "ab: {} variants are too many; give at most {}", parts.size(),
          kMostVariants);
  std::vector<Variant> variants;
  for (const NamedOptions& own : parts) {
    for (const NamedOption& option : own) {
      for (const auto& [name, why] : kRefused) require(option.name != name, "{}: {}", name, why);
    }
    const std::string letter(1, static_cast<char>('A' + variants.size()));
    variants.push_back(make_variant(letter, variants.empty() ? own : overridden(parts.front(), own)));
  }
  return variants;
}

std::string value_in(const NamedOptions& options, const std::string& name, const std::string& otherwise) {
  const auto found = std::ranges::find(options, name, &NamedOption::name);
  return found == options.end() || found->values.empty() ? otherwise : found->values.back();
}

std::vector<std::string> make_command(const Variant& variant, const std::string& own_program) {
  // `cat` ends when gpubench ends; then the whole process group is killed.
  const std::string script = "exec 3<&0; { cat; kill -9 0; } <&3 >/dev/null 2>&1 & exec " + variant.wrapper +
                             " \"$@\" 3<&- </dev/null";
  std::vector<std::string> words{"/bin/sh", "-c", script, "sh"};
  append(words, format_words(variant, own_program));
  return words;
}

std::string shown_command(const Variant& variant, const std::string& own_program) {
  const std::string before = variant.wrapper.empty() ? "" : variant.wrapper + " ";
  return before + (variant.command.empty() ? join(format_words(variant, own_program), " ") : variant.command);
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
