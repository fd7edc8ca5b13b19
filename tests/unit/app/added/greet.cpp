// A command for tests, added as CONTRIBUTING.md describes.

#include "app/command.h"
#include "gpubench/core/io/messages.h"

namespace gpubench::greet_plugin {
namespace {

struct Options {
  std::string whom;
  int times = 1;
};

ExitCode greet(const Options& options) {
  for (int i = 0; i < options.times; ++i) print("hello " + options.whom + "\n");
  return ExitCode::kOk;
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  parser.option("whom", "NAME", "Name of the person to greet", options->whom).required().offers([] {
    return std::vector<std::string>{"alice", "bob"};
  });
  parser.option("--times", "N", "How often (default 1)", options->times);
  parser.footer("Example:\n  gpubench greet alice --times 2");
  parser.on_parsed([options] { return greet(*options); });
}

}  // namespace

CommandEntry entry_greet() { return {"greet", "Says hello", add_options}; }

}  // namespace gpubench::greet_plugin
