// Ctrl-C and SIGTERM: the first ends the run after the epoch, the second at once, and nothing that was
// measured is lost.

#include <signal.h>

#include "supervision.h"
#include "support/catch.h"

namespace gpubench::test::interrupt_test {

namespace {

// The second case does not go on until it is asked to end.
constexpr const char* kWaits = "--fault await-stop --only mlp:32";
constexpr const char* kHangs = "--fault hang --only mlp:32";

/// Sends the signal to gpubench alone once its second case has its first epoch.
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

TEST_CASE("the first signal ends the run after the epoch, with all that was measured", "[seam]") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    INFO("signal " << signal);
    Supervision supervision(kWaits);
    const auto result = run_and_interrupt(supervision, signal);
    INFO(result.err);
    CHECK(result.exit_code == 130);
    CHECK_THAT(result.err, contains_text("ending after this epoch"));
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

TEST_CASE("the second signal ends the run at once, even where a case hangs", "[seam]") {
  Supervision supervision(kHangs);
  StartedProcess process = supervision.gpubench().start(Supervision::arguments());
  REQUIRE(supervision.wait_for({.ended = 1, .epochs = 1}));
  process.send(SIGINT);
  // One of two pending signals of a kind would be lost.
  REQUIRE(wait_until([&] { return process.err().find("once more to end at once") != std::string::npos; }));
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
             contains_text("ended at once"));
  check_resumed(supervision);
}

}  // namespace gpubench::test::interrupt_test
