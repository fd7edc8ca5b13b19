#include "engine/isolation/messages.h"

#include <cmath>
#include <limits>

#include "gpubench/record/derived.h"
#include "support/catch.h"
#include "support/sample_runs.h"

namespace gpubench::test {
namespace {

template <class Message>
Message through_text(const Message& message) {
  if constexpr (std::is_constructible_v<Request, Message>) {
    return std::get<Message>(request_from(to_line(Request(message))));
  } else {
    return std::get<Message>(reply_from(to_line(Reply(message))));
  }
}

EngineFacts some_facts() {
  EngineFacts facts;
  facts.models = {{"net", "a net", "nets", {Task::kPairs, {2, 32, 32}, 2}, "pair", nullptr}};
  facts.models[0].options = {{"layers", "encoder layers", 2, 1, 64, 0}};
  facts.devices = {"cuda:0", "cpu"};
  facts.environment = empty_run().environment;
  facts.gpus = {{.name = "cuda:0", .uuid = std::string("GPU-8f6e")}, {.name = "cuda:1"}};
  return facts;
}

EpochRecord some_epoch() {
  EpochRecord epoch;
  epoch.phases = {{"epoch 7", Seconds{3}, Seconds{0.5}}, {"validation 7", Seconds{3.5}, Seconds{0.125}}};
  epoch.duration = Seconds{0.5};
  epoch.block_seconds = {0.25, 0.125, 0.125};
  epoch.training = {{"loss", 0.25}, {"accuracy", 0.75}};
  epoch.steps = 4;
  epoch.samples = 50;
  epoch.host = Bytes{1 << 20};
  epoch.input_wait = Seconds{0.0625};
  epoch.validation = Seconds{0.125};
  epoch.validation_figures = {{"loss", 0.5}, {"accuracy", 0.5}};
  return epoch;
}

bool is_reply(const std::string& line) {
  try {
    reply_from(line);
    return true;
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kData);
    return false;
  }
}

}  // namespace

TEST_CASE("a message is one line, whatever its texts hold") {
  const std::string line = to_line(Reply(ErrorReply{ErrorKind::kData, "two\nlines and \xff"}));
  CHECK(line.find('\n') == std::string::npos);
  CHECK_THAT(std::get<ErrorReply>(reply_from(line)).message, contains_text("two\nlines and "));
}

TEST_CASE("requests survive the way to the worker") {
  const auto facts = through_text(FactsRequest{{"auto", "cpu"}, 4, true});
  CHECK(facts.renews_roofs);
  CHECK(facts.devices == std::vector<std::string>{"auto", "cpu"});
  CHECK(facts.threads == 4);
  CHECK(through_text(StopMessage{StopRequest::kInterrupt}).why == StopRequest::kInterrupt);
  CHECK(through_text(StopMessage{StopRequest::kDeadline}).why == StopRequest::kDeadline);

  const TriedModes chosen{{Layout::kChannelsLast, "by a trial"}, {Execution::kEager, "it trains otherwise"}};
  const CaseRequest whole{{{"model", "net"}}, {{"size", 7}}, 3,      Bytes{1 << 20}, true,
                          Seconds{0.5},       true,          chosen, Seconds{1234.5}};
  const auto request = through_text(whole);
  CHECK(request.plan == whole.plan);
  CHECK(request.dataset == whole.dataset);
  CHECK(request.threads == 3);
  CHECK(request.memory_limit->value == 1 << 20);
  CHECK(request.reports_steps);
  CHECK(request.pilot_limit->value == 0.5);
  CHECK(request.tries_modes);
  CHECK(request.tried->layout.used == Layout::kChannelsLast);
  CHECK(request.tried->layout.note == "by a trial");
  CHECK(request.tried->execution.used == Execution::kEager);
  CHECK(request.tried->execution.note == "it trains otherwise");
  CHECK(request.process_start == Seconds{1234.5});
  const auto plain =
      through_text(CaseRequest{Json::object(), Json::object(), 0, std::nullopt, false, std::nullopt});
  CHECK_FALSE(plain.tried.has_value());
  CHECK_FALSE(plain.memory_limit.has_value());
  CHECK_FALSE(plain.pilot_limit.has_value());
}

TEST_CASE("facts survive the way to the supervisor, but for how to build a model") {
  const EngineFacts facts = some_facts();
  const auto read = through_text(facts);
  REQUIRE(read.models.size() == 1);
  CHECK(read.models[0].name == "net");
  CHECK(read.models[0].architecture == "nets");
  CHECK(read.models[0].spec == facts.models[0].spec);
  CHECK(read.models[0].item == "pair");
  REQUIRE(read.models[0].options.size() == 1);
  CHECK(read.models[0].options[0].name == "layers");
  CHECK(read.models[0].options[0].maximum == 64);
  CHECK(read.models[0].options[0].sample_dimension == 0);
  CHECK(read.models[0].build == nullptr);
  CHECK(read.devices == facts.devices);
  CHECK(to_json(read.environment) == to_json(facts.environment));
  REQUIRE(read.gpus.size() == 2);
  CHECK(to_json(read.gpus[0]) == to_json(facts.gpus[0]));
}

TEST_CASE("rows survive the way to the supervisor") {
  for (const CaseRecord& record : {finished_case(), fit_case(), failed_case(), diverged_case()}) {
    CHECK(to_json(through_text(CaseReply{record}).record) == to_json(record));
  }
  CaseRecord stamped = finished_case();
  stamped.blocks_per_epoch = std::int64_t{2};
  stamped.block_steps = {195, 196};
  stamped.block_seconds = std::vector<double>(2 * 5, 0.25);
  CHECK(step_quantile(through_text(CaseReply{stamped}).record, 0).value() == 0.25 / 196);
  const CaseRecord opened = unfinished_case(RowStatus::kError, "");
  CHECK(to_json(through_text(OpenedReply{opened}).record) == to_json(opened));
  CHECK(through_text(StepsReply{12345678901}).steps == 12345678901);
  CHECK(through_text(ModesReply{{{{Layout::kNchw, "slower"}, {}}}}).found->layout.note == "slower");
  CHECK_FALSE(through_text(ModesReply{}).found.has_value());
}

TEST_CASE("messages of ranks survive the way between supervisors") {
  const RankContext context{1, 4, "10.0.0.1", 4711, -1, "job 3", Seconds{60}};
  CHECK(through_text(CaseRequest{.rank_context = context}).rank_context == context);
  CHECK(through_text(OpMessage{Json::object(), 2, context}).rank_context == context);
  CHECK(through_text(CaseReply{finished_case(), true}).has_lost_connection);
  const PlanMessage plan =
      through_text(PlanMessage{{"cuda:0"}, 3, "system", "8G", true, {{{"model", "net"}}}});
  CHECK(plan.devices == std::vector<std::string>{"cuda:0"});
  CHECK(plan.memory_limit == "8G");
  CHECK(plan.is_repeated);
  CHECK(plan.cases == std::vector<Json>{{{"model", "net"}}});
  CHECK(through_text(EndMessage{"no space"}).why == "no space");
  const HelloMessage hello = through_text(HelloMessage{"job", 2, 4, "0.2.0", "node-b", "0-3", 3.5});
  CHECK(hello.rank == 2);
  CHECK(hello.host == "node-b");
  CHECK(hello.available_cores == 3.5);
  Environment environment = some_facts().environment;
  environment.ranks.emplace_back();
  CHECK(to_json(through_text(ReadyMessage{environment}).environment) == to_json(environment));
}

TEST_CASE("pilots and errors survive the way to the supervisor") {
  Pilot sent;
  sent.status = RowStatus::kOutOfMemory;
  sent.status_reason = "the device is full";
  sent.setup = Seconds{0.5};
  sent.first_step = Seconds{0.25};
  sent.step = Seconds{0.125};
  sent.duration = Seconds{2};
  sent.steps = 4;
  sent.peak_device = Bytes{1 << 30};
  const Pilot pilot = through_text(sent);
  CHECK(pilot.status == RowStatus::kOutOfMemory);
  CHECK(pilot.status_reason == "the device is full");
  CHECK(pilot.setup == Seconds{0.5});
  CHECK(pilot.first_step == Seconds{0.25});
  CHECK(pilot.step == Seconds{0.125});
  CHECK(pilot.duration == Seconds{2});
  CHECK(pilot.steps == 4);
  CHECK(pilot.peak_device == sent.peak_device);
  sent.peak_device = absent("a CPU has none");
  CHECK(through_text(sent).peak_device == sent.peak_device);

  for (const auto kind : {ErrorKind::kInternal, ErrorKind::kUsage, ErrorKind::kData, ErrorKind::kDevice}) {
    const auto error = through_text(ErrorReply{kind, "it is broken"});
    CHECK(error.kind == kind);
    CHECK(error.message == "it is broken");
  }
}

TEST_CASE("what is no message is refused") {
  CHECK_FALSE(is_reply(""));
  CHECK_FALSE(is_reply("warning: something"));
  CHECK_FALSE(is_reply("[1, 2]"));
  CHECK_FALSE(is_reply("{\"reply\": \"song\"}"));
  CHECK_FALSE(is_reply("{\"reply\": 5}"));
  CHECK_FALSE(is_reply("{\"reply\": \"steps\"}"));
  CHECK_FALSE(is_reply("{\"reply\": \"case\", \"record\": {\"batch\": \"many\"}}"));
  CHECK_FALSE(is_reply(to_line(Request(StopMessage{}))));
  for (const char* const steps : {"-1e308", "2.5", "18446744073709551615", "true", "null"}) {
    CHECK_FALSE(is_reply(fmt::format("{{\"reply\": \"steps\", \"steps\": {}}}", steps)));
  }
  CHECK(is_reply("{\"reply\": \"steps\", \"steps\": 3}"));
  CHECK_THROWS_AS(request_from("{\"request\": \"song\"}"), Error);
}

TEST_CASE("a heartbeat has what its epoch adds to the row") {
  CaseRecord sent = unfinished_case(RowStatus::kError, "");
  CaseRecord received = sent;
  for (int epoch = 0; epoch < 3; ++epoch) {
    add_epoch(sent, some_epoch());
    add_epoch(received, through_text(some_epoch()));
  }
  CHECK(to_json(received) == to_json(sent));
  CHECK(sent.epoch_seconds.size() == 3);
  CHECK(sent.validation_seconds.size() == 3);
  CHECK(sent.timeline.size() == 6);
  CHECK(sent.epoch_device_bytes.empty());
}

TEST_CASE("a figure of a heartbeat that is no number stays none") {
  EpochRecord epoch = some_epoch();
  epoch.training[0].second = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(through_text(epoch).training[0].second));
}

TEST_CASE("a heartbeat without its epoch is refused") {
  CHECK(is_reply(to_line(Reply(some_epoch()))));
  CHECK_FALSE(is_reply(to_line(Reply(EpochRecord{}))));
}

TEST_CASE("an epoch with other figures than those before it does not fit its row") {
  CaseRecord row = unfinished_case(RowStatus::kError, "");
  add_epoch(row, some_epoch());
  EpochRecord other = some_epoch();
  other.training[1].first = "precision";
  CHECK_THROWS_AS(add_epoch(row, other), Error);
  other.training.pop_back();
  CHECK_THROWS_AS(add_epoch(row, other), Error);
  CHECK(row.epoch_seconds.size() == 1);
}

}  // namespace gpubench::test
