#include "app/document_options.h"

#include "app/commands.h"

namespace gpubench {
namespace {

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& summary,
                      const std::string& footer) {
  CLI::App* command = app.add_subcommand(name, summary);
  command->group("");
  command->footer(footer);
  return command;
}

void add_files(CLI::App& command, std::vector<std::string>& files) {
  command.add_option("files", files, "Result files")->type_name("FILE ...")->required();
}

void add_file(CLI::App& command, std::vector<std::string>& files) {
  command.add_option("file", files, "Result file")->type_name("FILE")->expected(1)->required();
}

CLI::Option* add_output(CLI::App& command, std::string& output, const std::string& help) {
  return command.add_option("-o,--output", output, help)->type_name("PATH");
}

constexpr const char* kOutputHelp = "File, or folder for one of the same name (default: stdout)";

}  // namespace

void add_document_commands(CLI::App& app, DocumentOptions& options) {
  CLI::App* validate =
      add_command(app, "validate", "Check result files: schema, derived values, checksum",
                  "Prints 'ok' or each fault, with the file; exits with 3 where there is one.\n"
                  "Example:\n  gpubench validate results/*.json");
  add_files(*validate, options.files);

  CLI::App* migrate = add_command(app, "migrate", "Bring the result file of an older gpubench up to date",
                                  "Example:\n  gpubench migrate old.json -o new.json");
  add_file(*migrate, options.files);
  add_output(*migrate, options.output, kOutputHelp);

  CLI::App* merge = add_command(app, "merge", "Make one result file of several runs of one machine",
                                "Example:\n  gpubench merge monday.json tuesday.json -o week.json");
  add_files(*merge, options.files);
  add_output(*merge, options.output, "File, folder, or - for stdout")->required();

  CLI::App* redact =
      add_command(app, "redact", "Take names of host, user and folders out of a result file",
                  "Says on stderr what was replaced. 'gpubench --share' writes such files at once.\n"
                  "Example:\n  gpubench redact results/mine.json -o shared.json");
  add_file(*redact, options.files);
  add_output(*redact, options.output, kOutputHelp);
}

Command document_command(const CLI::App& app, const DocumentOptions& options,
                         const std::vector<std::string>& arguments) {
  if (app.got_subcommand("validate")) return [options] { return run_validate(options); };
  if (app.got_subcommand("migrate")) return [options] { return run_migrate(options); };
  if (app.got_subcommand("merge")) return [options, arguments] { return run_merge(options, arguments); };
  if (app.got_subcommand("redact")) return [options] { return run_redact(options); };
  return {};
}

}  // namespace gpubench
