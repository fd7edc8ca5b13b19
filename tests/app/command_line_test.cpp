#include "app/command_line.h"

#include <algorithm>

#include "support/catch.h"

using namespace gpubench;
using gpubench::test::contains_text;

namespace {

std::string refusal(const std::vector<std::string>& arguments) {
  try {
    parse_command_line(arguments);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    return error.what();
  }
  return "accepted";
}

bool offers(const std::vector<std::string>& words, const std::string& candidate) {
  const auto found = completions(words);
  return std::find(found.begin(), found.end(), candidate) != found.end();
}

}  // namespace

TEST_CASE("well-formed command lines are accepted") {
  CHECK(refusal({}) == "accepted");
  CHECK(refusal({"--device", "mps", "--model", "cnn", "--batch", "1024"}) == "accepted");
  CHECK(refusal({"--model", "mlp,cnn,lstm", "--batch=32,128", "--device", "cpu,cuda"}) == "accepted");
  CHECK(refusal({"list", "models", "--json"}) == "accepted");
  CHECK(refusal({"data", "fetch", "fashion-mnist", "cifar10"}) == "accepted");
}

TEST_CASE("a mistyped option or subcommand is refused with the nearest one") {
  CHECK_THAT(refusal({"--modle", "cnn"}), contains_text("unknown option '--modle'; did you mean '--model'?"));
  CHECK_THAT(refusal({"--bach=3"}), contains_text("'--bach'; did you mean '--batch'?"));
  CHECK_THAT(refusal({"lits"}), contains_text("'lits'; did you mean 'list'?"));
  CHECK_THAT(refusal({"data", "fetsh"}), contains_text("'fetsh'; did you mean 'fetch'?"));
  CHECK_THAT(refusal({"list", "--jsno"}), contains_text("'--jsno'; did you mean '--json'?"));
}

TEST_CASE("values of the wrong type and missing values name the option") {
  CHECK_THAT(refusal({"--batch", "many"}), contains_text("--batch"));
  CHECK_THAT(refusal({"--epochs", "1.5"}), contains_text("--epochs"));
  CHECK_THAT(refusal({"--seed", "one"}), contains_text("--seed"));
  CHECK_THAT(refusal({"--model"}), contains_text("--model"));
  CHECK_THAT(refusal({"data"}), contains_text("data fetch"));
}

TEST_CASE("options complete, also those of subcommands") {
  CHECK(offers({"--mo"}, "--model"));
  CHECK(offers({"--model", "cnn", "--ba"}, "--batch"));
  CHECK(offers({"data", "fetch", "--ba"}, "--base-url"));
  CHECK_FALSE(offers({"--mo"}, "--batch"));
}

TEST_CASE("names complete after their option, in lists too") {
  CHECK(offers({"--model", ""}, "resnet50"));
  CHECK(offers({"--model", "mlp,c"}, "mlp,cnn0"));
  CHECK_FALSE(offers({"--model", "mlp,c"}, "mlp,lstm"));
  CHECK(offers({"--dataset", "fash"}, "fashion-mnist"));
  CHECK(offers({"--device", ""}, "cpu"));
  CHECK(offers({"data", "fetch", ""}, "cifar10"));
  CHECK(offers({"data", ""}, "verify"));
  CHECK(offers({""}, "doctor"));
}

TEST_CASE("an option that several commands have completes with what it means in its own") {
  CHECK(offers({"ops", "--protocol", ""}, "s4"));
  CHECK_FALSE(offers({"--protocol", ""}, "s4"));
  CHECK(offers({"ops", "--dtype", "fp32,b"}, "fp32,bf16"));
  CHECK(offers({"ops", "--op", "conv"}, "conv2d"));
  CHECK(offers({"ops", "--set", ""}, "small"));
  CHECK(offers({"ops", "--sw"}, "--sweep"));
  CHECK(offers({"list", "o"}, "ops"));
}

TEST_CASE("where a number or a path is due nothing is offered, so that the shell offers files") {
  CHECK(completions({"--epochs", ""}).empty());
  CHECK(completions({"-o", ""}).empty());
  CHECK(offers({"--quiet", ""}, "list"));
}
