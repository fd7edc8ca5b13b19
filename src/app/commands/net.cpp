#include "app/tables/net_run.h"

#include "app/command.h"
#include "app/command_line.h"
#include "app/commands/common_options.h"
#include "app/tables/table_run.h"

namespace gpubench {
namespace {

void add_net_options(CommandParser& parser, NetOptions& options) {
  parser.list("--world-size", "N,...", "Processes (default: all GPUs, or cores, or those started)",
              options.plan.ranks);
  parser
      .list("--collective", "NAME,...", "all_reduce, all_gather, ...; a list (default: all)",
            options.plan.collectives)
      .offers(collective_names);
  parser.option("--sizes", "A:B:STEP", "Bytes (default 4:1073741824:*4)", options.plan.sizes);
  add_devices(parser, options.devices);
  parser.option("--sample", "TIME", "Least time of a sample (5ms)", options.sample);
  parser.option("--time", "TIME", "Time of a row (0.5s)", options.time);
  parser.option("--repeat", "N", "Repetitions, each in fresh processes (default 1)", options.plan.repeat);
  add_threads(parser, options.threads);
  parser.option("--rendezvous-timeout", "TIME", "For the other ranks to come (default 60s)", options.join);
  parser.option("--timeout", "TIME", "Time for one row", options.timeout);
  parser.option("--resume", "FILE", "Continue this result or journal", options.resume);
  add_output(parser, "Document, folder, or - for stdout", options.output, options.overwrites);
  parser.flag("--anonymize", "Removes host name, command line, paths and other texts from the result",
              options.is_shared);
  add_quiet(parser, options.is_quiet);
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<NetOptions>();
  add_net_options(parser, *options);
  parser.footer(
      "Examples:\n  gpubench net --world-size 2 --sizes 4:67108864:*4\n"
      "  gpubench net --collective all_reduce -o net.json\n  torchrun --no-python --nproc-per-node 8 "
      "gpubench net\n"
      "Exit code 5: a row is not ok. See 'gpubench help ranks'.");
  const CommandLine& line = parser.line();
  parser.on_parsed([options, arguments = line.arguments, is_continued = line.is_continued] {
    const bool is_first = !options->resume.empty() && !is_continued;
    return is_first ? continue_table(options->resume, arguments) : run_net(*options, arguments);
  });
}

}  // namespace

CommandEntry entry_net() {
  return {"net", "Times collectives between ranks, and checks what they give", CommandKind::kListed,
          add_options};
}

}  // namespace gpubench
