// Commands that measure nothing, with the real binary.

#include <algorithm>
#include <sstream>

#include <nlohmann/json.hpp>

#include "gpubench_process.h"
#include "support/catch.h"
#include "support/paths.h"

namespace gpubench::test::commands_test {

using Json = nlohmann::json;

TEST_CASE("list shows every model with its parameters, also as JSON") {
  Gpubench gpubench;
  const auto table = gpubench.run({"list"});
  CHECK(table.exit_code == 0);
  CHECK_THAT(table.out, contains_text("23,555,082"));
  CHECK_THAT(table.out, contains_text("cifar10"));
  const Json document = Json::parse(gpubench.run({"list", "--json"}).out);
  CHECK(document["models"].size() == 14);
  CHECK(document["datasets"].size() == 8);
  CHECK(document["datasets"].back()["sample_shape"].is_null());  // The model decides.
  CHECK(document["devices"].size() == 3);
  CHECK(document["meters"].size() >= 6);
  CHECK(document["suites"][0].contains("summary"));
}

TEST_CASE("list meters shows the sources of each power meter, or why it has none") {
  Gpubench gpubench;
  gpubench.set("COLUMNS", "200");  // Does not wrap the summaries.
  const auto table = gpubench.run({"list", "meters"});
  CHECK(table.exit_code == 0);
  CHECK_THAT(table.out, contains_text("only with --meter none"));
  const Json document = Json::parse(gpubench.run({"list", "meters", "--json"}).out);
  CHECK(document.size() == 1);
  for (const Json& meter : document["meters"]) {
    CHECK_THAT(table.out, contains_text(meter["summary"].get<std::string>()));
    CHECK(meter["sources"].empty() == meter.contains("missing"));
  }
}

TEST_CASE("list published shows each publication on a line, and its commands by name") {
  Gpubench gpubench;
  const auto table = gpubench.run({"list", "published"});
  CHECK(table.exit_code == 0);
  CHECK_THAT(table.out, contains_text("rtx-2070-super ") && contains_text("M3 Max: mps, cpu"));
  std::istringstream lines(table.out);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
  const Json all = Json::parse(gpubench.run({"list", "published", "--json"}).out)["published"];
  CHECK(all.size() == 33);
  CHECK(all[0]["name"] == "llm-c");
  CHECK(all[0]["cases"] == 6);

  const auto one = gpubench.run({"list", "published:rtx-2070-super"});
  CHECK(one.exit_code == 0);
  CHECK_THAT(one.out, contains_text("\ngpubench data fetch mnist wikitext2\n") &&
                          contains_text("\ngpubench --model vae --dataset mnist --batch 128\n") &&
                          !contains_text("layers=10"));  // It ran out of memory.
  const auto unknown = gpubench.run({"list", "published:rtx-2070"});
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, contains_text("did you mean 'rtx-2070-super'?"));
}

TEST_CASE("a command of list published plans or measures the published case") {
  Gpubench gpubench;
  const auto list_commands = [&](const std::string& name) {
    return Json::parse(gpubench.run({"list", "published:" + name, "--json"}).out)["published"][0]["commands"]
        .get<std::vector<std::string>>();
  };
  const auto run = [&](const std::string& command, const std::string& options) {
    return gpubench.run_shell("\"$0\"" + command.substr(std::string("gpubench").size()) + options);
  };
  const auto planned = run(list_commands("m3-max-cpu").front(), " --dry-run --device cpu");
  INFO(planned.err);
  CHECK(planned.exit_code == 0);
  CHECK_THAT(planned.out, contains_text("gpt2 (context=64) on cpu"));

  const auto commands = list_commands("m3-max/cpu");
  const auto found =
      std::ranges::find(commands, "gpubench ops --op argmax --shape '64x128x1024 axis=2' --protocol s4");
  REQUIRE(found != commands.end());
  CHECK(run(*found, " --device cpu -o mine.json").exit_code == 0);
  const auto compared = gpubench.run({"compare", "mine.json", "published:m3-max/cpu"});
  INFO(compared.out << compared.err);
  CHECK(compared.exit_code == 0);
  CHECK_THAT(compared.out, contains_text("argmax"));
}

TEST_CASE("doctor shows missing items and how to get them") {
  Gpubench gpubench;
  gpubench.set("GPUBENCH_DATA_DIR", (gpubench.folder() / "nothing").string());
  const auto result = gpubench.run({"doctor"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, contains_text("gpubench data fetch cifar10"));
  CHECK_THAT(result.out, contains_text("LibTorch"));
}

TEST_CASE("gpubench without arguments prints its help") {
  Gpubench gpubench;
  const auto result = gpubench.run({});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, contains_text("gpubench suite quick"));
  CHECK(result.out == gpubench.run({"--help"}).out);
}

TEST_CASE("train is the default command") {
  Gpubench gpubench;
  const auto plan = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--model", "mlp", "--dataset", "synthetic", "--device", "cpu", "--dry-run"});
    return gpubench.run(words);
  };
  CHECK_THAT(plan({"train"}).out, contains_text("1 row, at least"));
  CHECK(plan({"train"}).out == plan({}).out);
  CHECK(gpubench.run({"--model", "mlp", "--help"}).out == gpubench.run({"train", "--help"}).out);
  const auto late = gpubench.run({"--dry-run", "suite", "s0"});
  CHECK(late.exit_code == 2);
  CHECK_THAT(late.err, contains_text("argument 'suite': is a command; put it before the options"));
}

TEST_CASE("--version prints tool, commit, LibTorch and build") {
  const auto result = Gpubench().run({"--version"});
  CHECK(result.exit_code == 0);
  CHECK(std::ranges::count(result.out, '\n') == 4);
  for (const char* part : {"gpubench ", "commit    ", "LibTorch  ", "built by  "})
    CHECK_THAT(result.out, contains_text(part));
}

TEST_CASE("help prints documentation pages, and suggests the nearest name") {
  Gpubench gpubench;
  CHECK_THAT(gpubench.run({"help"}).out,
             contains_text("\ncomparing ") && contains_text(" Comparing, reports and charts\n"));
  CHECK_THAT(gpubench.run({"help", "comparing"}).out, contains_text("# Comparing, reports and charts\n"));
  CHECK_THAT(gpubench.run({"help", "file"}).out, contains_text("gpubench file validate"));
  const auto slip = gpubench.run({"help", "comparin"});
  CHECK(slip.exit_code == 2);
  CHECK_THAT(slip.err, contains_text("help: unknown topic 'comparin'; did you mean 'comparing'?"));
}

TEST_CASE("data verify prints the origin of files") {
  Gpubench gpubench;
  const auto result = gpubench.run({"data", "verify", "fashion-mnist"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, contains_text("train-images-idx3-ubyte.gz"));
  CHECK_THAT(result.out, contains_text("other"));
  // Without names, missing datasets are skipped.
  CHECK_THAT(gpubench.run({"data", "verify"}).out, contains_text("fashion-mnist"));
  CHECK(gpubench.run({"data", "verify"}).exit_code == 0);
  CHECK(gpubench.run({"data", "verify", "--data-dir", "nothing"}).exit_code == 3);
}

TEST_CASE("the help of each command fits a screen") {
  Gpubench gpubench;
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{}, {"list"}, {"doctor"}, {"data"}}) {
    auto arguments = command;
    arguments.push_back("--help");
    const auto result = gpubench.run(arguments);
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.out, contains_text("Example"));
    CHECK(std::count(result.out.begin(), result.out.end(), '\n') <= 64);
  }
}

TEST_CASE("the bash script completes options, names and lists") {
  Gpubench gpubench;
  const auto completed = [&](const std::string& line) {
    const std::string script =
        "PATH=$(dirname \"$0\"):$PATH; source \"$1\"; COMP_LINE=$2; COMP_POINT=${#2}; _gpubench; "
        "printf '%s ' \"${COMPREPLY[@]}\"";
    return run_process(
               "/bin/bash",
               {"-c", script, gpubench_binary(), source_dir() + "/scripts/completions/gpubench.bash", line},
               gpubench.folder(), {})
        .out;
  };
  CHECK(completed("gpubench --mod") == "--model --model-arg ");
  CHECK(completed("gpubench --model mlp,resn") == "mlp,resnet50 ");
  CHECK(completed("gpubench data ") == "fetch verify ");
  CHECK(completed("gpubench compare a.json published:rtx-2") == "rtx-2070-super ");
}

TEST_CASE("suite show prints a suite that can be run from a file") {
  Gpubench gpubench;
  const auto list = gpubench.run({"suite", "list"});
  CHECK(list.exit_code == 0);
  CHECK(list.out == gpubench.run({"list", "suites"}).out);
  for (const std::string name : {"smoke", "quick", "s0", "s1", "s2", "s3", "full"})
    CHECK_THAT(list.out, contains_text(name));
  const auto shown = gpubench.run({"suite", "show", "s0"});
  CHECK(shown.exit_code == 0);
  CHECK(Json::parse(shown.out, nullptr, true, /*ignore_comments=*/true)["groups"].size() == 1);
  const auto unknown = gpubench.run({"suite", "quik"});
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, contains_text("did you mean 'quick'?"));
}

TEST_CASE("commands that need no LibTorch do not load it") {
  Gpubench gpubench;
  gpubench.set("GPUBENCH_ENGINE", "/no/such/library");
  CHECK(gpubench.run({"--help"}).exit_code == 0);
  CHECK(gpubench.run({"suite", "list"}).exit_code == 0);
  const auto list = gpubench.run({"list"});
  CHECK(list.exit_code == 2);
  CHECK_THAT(list.err, contains_text("GPUBENCH_ENGINE=/no/such/library: cannot be loaded"));
}

}  // namespace gpubench::test::commands_test
