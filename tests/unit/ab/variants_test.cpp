#include "app/ab/variants.h"

#include <filesystem>

#include "gpubench/core/error.h"
#include "support/catch.h"
#include "support/temp_dir.h"

namespace gpubench::test::variants_test {
using gpubench::test::contains_text;
using gpubench::test::TempDir;

namespace {

using Words = std::vector<std::string>;

std::string refusal(const std::vector<NamedOptions>& parts) {
  try {
    make_variants(parts);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    return error.what();
  }
  return "accepted";
}

class NoInterrupts : public Interrupts {
 public:
  int count() override { return 0; }
  int wake_descriptor() const override { return -1; }
};

ProcessEnd run(const Variant& variant, std::optional<Seconds> timeout = std::nullopt) {
  NoInterrupts interrupts;
  return run_command(make_command(variant, "/bin/echo"), timeout, interrupts);
}

}  // namespace

TEST_CASE("a variant inherits the options of the first one and overrides them") {
  const auto variants = make_variants({{{"--model", {"cnn"}}, {"--batch", {"32", "64"}}, {"--rounds", {"9"}}},
                                       {{"--batch", {"128"}}, {"--profile", {}}},
                                       {}});
  REQUIRE(variants.size() == 3);
  CHECK(format_words(variants[0].training) == Words{"--model=cnn", "--batch=32,64", "--repeat=1"});
  CHECK(format_words(variants[1].training) == Words{"--model=cnn", "--batch=128", "--profile", "--repeat=1"});
  CHECK(format_words(variants[2].training) == format_words(variants[0].training));
  CHECK(variants[2].name == "C");
}

TEST_CASE("--command replaces an inherited --program, and --program an inherited --command") {
  const TempDir folder;
  const std::string program = folder.file("gpubench", "").string();
  CHECK_THROWS_WITH(make_variants({{{"--program", {program}}}, {}}), contains_text("not an executable file"));
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const auto variants = make_variants({{{"--program", {program}}, {"--wrapper", {"nice"}}},
                                       {{"--command", {"peer"}}, {"--figure", {"/rate"}}},
                                       {{"--wrapper", {""}}}});
  CHECK(variants[1].program.empty());
  CHECK(variants[1].wrapper == "nice");
  CHECK(variants[1].is_external());
  CHECK(variants[2].program == program);
  const auto others = make_variants({{{"--command", {"peer"}}, {"--figure", {"/rate"}}},
                                     {{"--command", {"other"}}},
                                     {{"--seconds", {"wall"}}}});
  CHECK(others[1].figure.empty());
  CHECK((others[2].command == "peer" && others[2].figure.empty() && others[2].seconds == "wall"));
}

TEST_CASE("options that variants do not support are errors with the reason") {
  const NamedOptions plain{{"--model", {"mlp"}}};
  CHECK_THAT(refusal({plain}), contains_text("--vs"));
  CHECK_THAT(refusal({{{"--repeat", {"3"}}}, {}}), contains_text("--rounds"));
  CHECK_THAT(refusal({plain, {{"--program", {"./nowhere"}}}}), contains_text("./nowhere"));
  CHECK_THAT(refusal({plain, {{"--torch", {"/nowhere"}}}}), contains_text("lib"));
  CHECK_THAT(refusal({plain, {{"--command", {"x"}}, {"--torch", {"/"}}}}), contains_text("leave"));
  CHECK_THAT(refusal({plain, {{"--seconds", {"time"}}}}), contains_text("JSON pointer"));
  CHECK_THAT(refusal({plain, {{"--figure", {"/a"}}, {"--seconds", {"/b"}}}}),
             contains_text("excludes --seconds"));
  CHECK_THAT(refusal(std::vector<NamedOptions>(27)), contains_text("26"));
}

TEST_CASE("--wrapper and --torch take effect in the run") {
  Variant variant{"A", {}};
  variant.wrapper = "env FIRST='a b'";
  variant.command = "printf '%s' \"$FIRST\"";
  CHECK(run(variant).printed == "a b");

  const TempDir folder;
  std::filesystem::create_directory(folder.path() / "lib");
  NamedOptions options{{"--torch", {folder.path().string()}}, {"--program", {"env"}}};
  Variant other = make_variants({options, {}}).front();
  other.training = {};
  // `env` rejects the options of gpubench.
  CHECK_THAT(shown_command(other, ""), contains_text("LIBRARY_PATH=" + folder.path().string() + "/lib"));
  CHECK(run(other).end.exit_code != 0);
}

}  // namespace gpubench::test::variants_test
