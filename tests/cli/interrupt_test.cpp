// Ctrl-C and SIGTERM: the first signal ends the run after the epoch, the second one at once. Measurements are
// kept.

#include <signal.h>

#include "supervision.h"
#include "support/catch.h"

namespace gpubench::test::interrupt_test {

namespace {

// The second case hangs until it is stopped.
constexpr const char* kWaits = "--fault await-stop --only mlp:32";
constexpr const char* kHangs = "--fault hang --only mlp:32";

/// Sends the signal only to gpubench, after the first epoch of its second case.
ProcessResult run_and_interrupt(const Supervision& supervision, int signal) {
  StartedProcess process = supervision.gpubench().start(Supervision::arguments());
  REQUIRE(supervision.wait_for({.ended = 1, .epochs = 1}));
  process.send(signal);
  return process.wait();
}

void check_resumed(Supervision& supervision) {
  supervision.behave("");
  const auto result = supervision.resume();
  INFO(result.err);
  CHECK(result.exit_code == 0);
  check_all_ok(supervision.document());
}

}  // namespace

TEST_CASE("the first signal ends the run after the epoch and keeps all measurements", "[seam]") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    INFO("signal " << signal);
    Supervision supervision(kWaits);
    const auto result = run_and_interrupt(supervision, signal);
    INFO(result.err);
    CHECK(result.exit_code == 130);
    CHECK_THAT(result.err, contains_text("stopping after this epoch"));
    CHECK_THAT(result.out, contains_text("interrupted"));
    const Json document = supervision.document();
    check_whole(document);
    CHECK(statuses(document) == "ok interrupted interrupted interrupted interrupted interrupted ");
    const Json cut = to_row(document, "mlp", 32);
    CHECK(cut["samples"]["epoch_seconds"].size() == 1);
    CHECK_THAT(to_row(document, "cnn", 64)["status_message"].get<std::string>(),
               contains_text("before this row began"));
    CHECK(document["tool"]["finished_at"].is_null());
    check_resumed(supervision);
  }
}

TEST_CASE("the second signal ends the run at once, even if a case hangs", "[seam]") {
  Supervision supervision(kHangs);
  StartedProcess process = supervision.gpubench().start(Supervision::arguments());
  REQUIRE(supervision.wait_for({.ended = 1, .epochs = 1}));
  process.send(SIGINT);
  // Two pending signals of the same kind would merge into one.
  REQUIRE(
      wait_until([&] { return process.err().find("interrupt again to stop at once") != std::string::npos; }));
  CHECK(supervision.stored().ended == 1);
  process.send(SIGINT);
  const auto result = process.wait();
  INFO(result.err);
  CHECK(result.exit_code == 130);
  const Json document = supervision.document();
  check_whole(document);
  CHECK(statuses(document) == "ok interrupted interrupted interrupted interrupted interrupted ");
  CHECK(to_row(document, "mlp", 32)["samples"]["epoch_seconds"].size() == 1);
  CHECK_THAT(to_row(document, "mlp", 32)["status_message"].get<std::string>(),
             contains_text("the run was aborted"));
  check_resumed(supervision);
}

}  // namespace gpubench::test::interrupt_test
