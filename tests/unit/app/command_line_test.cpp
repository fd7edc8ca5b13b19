#include "app/command_line.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "gpubench/core/nearest.h"
#include "gpubench/record/names.h"
#include "gpubench/record/run_record.h"
#include "support/catch.h"
#include "support/redirected.h"
#include "support/temp_dir.h"
#include "support/train_grid.h"

namespace gpubench::test::command_line_test {
using gpubench::test::contains_text;
using gpubench::test::Redirected;
using gpubench::test::TempDir;

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

/// Returns the stdout of a command that measures nothing.
std::string printed(const std::vector<std::string>& arguments) {
  const TempDir folder;
  std::fflush(stdout);
  {
    const Redirected redirected(STDOUT_FILENO, folder.path() / "out");
    parse_command_line(arguments)();
    std::fflush(stdout);
  }
  return folder.content("out");
}

bool offers(const std::vector<std::string>& words, const std::string& candidate) {
  const auto found = completions(words);
  return std::find(found.begin(), found.end(), candidate) != found.end();
}

}  // namespace

TEST_CASE("the error for a misspelled option or subcommand suggests the nearest name") {
  CHECK_THAT(refusal({"--modle", "cnn"}), contains_text("unknown option '--modle'; did you mean '--model'?"));
  CHECK_THAT(refusal({"--bach=3"}), contains_text("'--bach'; did you mean '--batch'?"));
  CHECK_THAT(refusal({"lits"}), contains_text("'lits'; did you mean 'list'?"));
  CHECK_THAT(refusal({"data", "fetsh"}), contains_text("'fetsh'; did you mean 'fetch'?"));
  CHECK_THAT(refusal({"list", "--jsno"}), contains_text("'--jsno'; did you mean '--json'?"));
}

TEST_CASE("numbers must be decimal and within the range of their type") {
  for (const std::string number : {"010", "0x10", "1e3", "+5", " 5", "5 ", "--", "-", "5.0", "5K"}) {
    INFO(number);
    CHECK_THAT(refusal({"--batch=" + number}), contains_text("--batch " + number + ": give a whole number"));
  }
  CHECK(refusal({"--seed=9223372036854775807"}) == "accepted");
  CHECK_THAT(refusal({"--seed=9223372036854775808"}), contains_text("to 9223372036854775807"));
  CHECK_THAT(refusal({"--threads", "2147483648"}),
             contains_text("--threads 2147483648: give a whole number"));
  for (const std::string number : {"inf", "nan", "1e999", "0x1p3", "1,5"}) {
    INFO(number);
    CHECK_THAT(refusal({"--learning-rate=" + number}), contains_text("--learning-rate " + number));
  }
}

TEST_CASE("an empty value and an empty list item are errors") {
  for (const std::string option : {"--resume", "--output", "--seed", "--timeout", "--model"}) {
    INFO(option);
    CHECK_THAT(refusal({option, ""}), contains_text(option + ": is empty; give a value, or leave it out"));
  }
  for (const std::string list : {"32,,64", ",32", "32,"}) {
    CHECK_THAT(refusal({"--batch", list}), contains_text("--batch: is empty"));
  }
}

TEST_CASE("option names complete for commands and subcommands") {
  CHECK(offers({"--mo"}, "--model"));
  CHECK(offers({"train", "--mo"}, "--model"));
  CHECK(offers({"--model", "cnn", "--ba"}, "--batch"));
  CHECK(offers({"data", "fetch", "--da"}, "--data-dir"));
  CHECK_FALSE(offers({"--mo"}, "--batch"));
}

TEST_CASE("values complete after their option, also in lists") {
  CHECK(offers({"--model", ""}, "resnet50"));
  CHECK(offers({"--model", "mlp,c"}, "mlp,cnn0"));
  CHECK_FALSE(offers({"--model", "mlp,c"}, "mlp,lstm"));
  CHECK(offers({"--dataset", "fash"}, "fashion-mnist"));
  CHECK(offers({"--device", ""}, "cpu"));
  CHECK(offers({"data", "fetch", ""}, "cifar10"));
  CHECK(offers({"data", ""}, "verify"));
  CHECK(offers({""}, "doctor"));
}

TEST_CASE("published figures complete after their colon, so that shells offer files before it") {
  CHECK(offers({"compare", "published:rtx"}, "published:rtx-2070-super"));
  CHECK(offers({"report", "a.json", "published:m3-max/"}, "published:m3-max/mps"));
  CHECK(offers({"compare", "a.json", "--baseline", "published:"}, "published:a100"));
  CHECK(offers({"list", "published:"}, "published:a100"));
  CHECK(offers({"list", "p"}, "published"));
  CHECK(completions({"compare", ""}).empty());
  CHECK(completions({"compare", "--baseline", "pub"}).empty());
}

TEST_CASE("an option of several commands completes with the values of its command") {
  CHECK(offers({"ops", "--protocol", ""}, "s4"));
  CHECK_FALSE(offers({"--protocol", ""}, "s4"));
  CHECK(offers({"ops", "--dtype", "fp32,b"}, "fp32,bf16"));
  CHECK(offers({"ops", "--op", "conv"}, "conv2d"));
  CHECK(offers({"ops", "--set", ""}, "small"));
  CHECK(offers({"ops", "--sw"}, "--sweep"));
  CHECK(offers({"list", "o"}, "ops"));
}

TEST_CASE("a command added by a file and a catalog line has help, dispatch, error messages and completion") {
  CHECK(printed({"greet", "alice", "--times", "2"}) == "hello alice\nhello alice\n");
  CHECK_THAT(printed({"--help"}), contains_text("greet                   Says hello"));
  CHECK_THAT(printed({"greet", "--help"}), contains_text("gpubench greet alice --times 2"));
  CHECK_THAT(refusal({"greet", "alice", "--tmies", "2"}), contains_text("did you mean '--times'?"));
  CHECK_THAT(refusal({"greet"}), contains_text("whom is required"));
  CHECK_THAT(refusal({"great"}), contains_text("did you mean 'greet'?"));
  CHECK(offers({"gre"}, "greet"));
  CHECK(offers({"greet", "b"}, "bob"));
  CHECK(offers({"greet", "--ti"}, "--times"));
}

TEST_CASE("every public command is in the help, and has a summary and an example") {
  std::vector<std::string> seen;
  for (const CommandEntry& entry : commands()) {
    INFO(entry.name);
    CHECK(std::find(seen.begin(), seen.end(), entry.name) == seen.end());
    seen.push_back(entry.name);
    CHECK((entry.run == nullptr) == (entry.add_options != nullptr));
    if (entry.add_options == nullptr) continue;
    const std::string help = printed({entry.name, "--help"});
    CHECK_THAT(help, contains_text(entry.summary));
    CHECK_THAT(help, contains_text("Example"));
    CHECK_THAT(printed({"--help"}), contains_text("\n  " + entry.name + " "));
  }
}

TEST_CASE("help fits 80 columns") {
  for (const CommandEntry& entry : commands()) {
    if (entry.add_options == nullptr) continue;
    std::istringstream help(printed({entry.name, "--help"}));
    for (std::string line; std::getline(help, line);) {
      INFO(entry.name << ": " << line);
      CHECK(line.size() <= 80);
    }
  }
}

TEST_CASE("help shows the defaults of its command") {
  CHECK_THAT(printed({"train", "--help"}), contains_text("Model to train (default cnn)"));
  CHECK_THAT(printed({"ab", "--help"}), contains_text("Model to train (cnn or A's)"));
  const std::string suite = printed({"suite", "--help"});
  CHECK_THAT(suite, contains_text("Model to train (the suite's)"));
  for (const char* const usual : {"default cnn", "default 128", "default 5", "default 1)", "default auto)"})
    CHECK(suite.find(usual) == std::string::npos);
}

TEST_CASE("internal commands get their arguments unparsed, and are absent from completion and help") {
  CHECK_FALSE(offers({""}, "worker"));
  CHECK_FALSE(offers({""}, "complete"));
  CHECK_FALSE(offers({"wor"}, "worker"));
  CHECK(printed({"--help"}).find("  worker ") == std::string::npos);
  CHECK(refusal({"complete", "--help", "--", "nonsense"}) == "accepted");
}

TEST_CASE("suite accepts the options of train") {
  CHECK(refusal({"suite", "s0", "--device", "mps", "--batch", "32,64", "--model-arg", "a=1,b=2"}) ==
        "accepted");
  CHECK_THAT(refusal({"suite", "s0", "--batch", "0"}), contains_text("--batch 0"));
}

TEST_CASE("options override the values of a suite and keep the others") {
  TrainGrid grid =
      make_grid({{"model", "lstm"}, {"precision", "bf16"}, {"protocol", "fit"}, {"epochs", "7"}});
  grid.overlay(make_grid({{"model", "mlp,cnn"}, {"epochs", "3"}}));
  CHECK(grid ==
        make_grid({{"model", "mlp,cnn"}, {"precision", "bf16"}, {"protocol", "fit"}, {"epochs", "3"}}));
}

TEST_CASE("completion, help and parser accept the same names of modes") {
  for (const std::string& name : known_names<Precision>()) {
    CHECK(offers({"--precision", ""}, name));
  }
  for (const std::string& name : known_names<Execution>())
    CHECK(refusal({"--execution", name}) == "accepted");
  for (const std::string& name : known_names<Layout>()) CHECK(refusal({"--layout", name}) == "accepted");
  for (const std::string& name : known_names<Loader>()) CHECK(refusal({"--loader", name}) == "accepted");
  for (const std::string& name : known_names<OpDirection>()) CHECK(offers({"ops", "--direction", ""}, name));
  CHECK_THAT(printed({"train", "--help"}), contains_text("fp32 (default), tf32, bf16"));
  CHECK_THAT(refusal({"--layout", "nwhc"}), contains_text("known: " + join(known_names<Layout>())));
  CHECK(offers({"file", "import-power", "--scope", ""}, "gpu-rail"));
  CHECK(offers({"file", "import-power", "--log-format", ""}, "powermetrics"));
  CHECK(offers({"suite", ""}, "quick"));
  CHECK(offers({"suite", ""}, "show"));
}

TEST_CASE("named_options returns each option once, by its longest name, with its values") {
  const NamedOptions options = named_options(
      {"ab", "-o", "x", "--model=mlp,cnn", "--threads", "1", "--profile", "--batch", "32", "--threads", "2"});
  CHECK(options == NamedOptions{{"--output", {"x"}},
                                {"--model", {"mlp,cnn"}},
                                {"--threads", {"2"}},
                                {"--profile", {}},
                                {"--batch", {"32"}}});
  CHECK_THROWS_WITH(named_options({"ab", "--modle", "mlp"}), contains_text("did you mean '--model'"));
}

TEST_CASE("--help and --version are errors in the arguments of a run") {
  const auto refuses = [](auto read) { CHECK_THROWS_WITH(read(), contains_text("stand alone")); };
  refuses([] { named_options({"ab", "--help"}); });
  refuses([] { parse_continued({"ops", "--help"}, {"ops"}); });
}

TEST_CASE("variants may repeat options of the first one, and all are checked before any runs") {
  CHECK(refusal({"ab", "--model", "mlp", "--batch", "32", "--vs", "--model", "cnn", "--batch", "64"}) ==
        "accepted");
  CHECK_THAT(refusal({"ab", "--model", "mlp", "--vs", "--modle", "cnn"}), contains_text("--model"));
  CHECK(offers({"ab", "--vs", "--prec"}, "--precision"));
  CHECK(offers({"ab", "--vs", "--precision", "amp"}, "amp-bf16"));
  const auto run = [](const std::vector<std::string>& words) { parse_command_line(words)(); };
  CHECK_THROWS_WITH(run({"ab", "--model", "mlp"}), contains_text("--vs"));
  CHECK_THROWS_WITH(run({"ab", "-o", "-", "--vs"}), contains_text("--output -"));
  CHECK_THROWS_WITH(run({"ab", "--batch", "7x", "--vs", "--batch", "8"}), contains_text("--batch 7x"));
  CHECK_THROWS_WITH(run({"ab", "--batch", "8,max", "--vs", "--batch", "8"}), contains_text("--batch max"));
  CHECK_THROWS_WITH(run({"ab", "--resume", "x-a.json", "--model", "mlp"}), contains_text("--model"));
  CHECK_THAT(printed({"ab", "--dry-run", "--rounds", "1", "--model", "mlp", "--vs", "--model", "cnn"}),
             contains_text("--model=cnn --repeat=1 --quiet --output=-\nround 1: "));
  // Options of the comparison do not reach the variants.
  CHECK_THAT(printed({"ab", "--dry-run", "--rounds", "1", "--model", "mlp", "--gate", "5%", "--allow",
                      "thread-count", "--vs", "--threads", "1"}),
             contains_text("--model=mlp --repeat=1 --quiet --output=-\n"));
}

}  // namespace gpubench::test::command_line_test
