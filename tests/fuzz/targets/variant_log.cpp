// Output of the variants of `ab`: a document of gpubench, or a figure of another program.

#include "app/ab/variants.h"
#include "fuzz/documents.h"
#include "gpubench/core/collect.h"
#include "record/document/record_json.h"

namespace gpubench::fuzz {
namespace {

VariantLog log_of_command(const std::string& command, const std::string& seconds) {
  VariantLog log{{"A", {}}};
  log.variant.command = command;
  log.variant.seconds = seconds;
  return log;
}

/// Returns another variant with a known machine, so that this machine is not inspected for each input.
VariantLog described_variant() {
  VariantLog log = log_of_command("described", "");
  log.document.environment.devices.emplace_back();
  return log;
}

void read_as(VariantLog log, std::string_view input) {
  ProcessEnd run;
  run.printed = input;
  run.end.duration = Seconds{2};
  accepts({ErrorKind::kUsage}, [&] {
    add_run(log, 1, "2026-11-22T18:00:00.000Z", run);
    add_run(log, 2, "2026-11-22T18:00:02.000Z", run);
    const RunRecord document = make_documents({log, described_variant()}, false).front();
    if (!document.cases.empty()) require_same_again(document, run_document, run_from_json);
  });
}

void read(std::string_view input) {
  read_as(log_of_command("", ""), input);
  read_as(log_of_command("other", ""), input);
  read_as(log_of_command("other", "/epoch_seconds"), input);
}

}  // namespace

Target entry_variant_log() { return {Shape::kJson, read}; }

}  // namespace gpubench::fuzz
