// Commands of `gpubench list published:NAME`, parsed as on a command line.

#include <algorithm>

#include "app/command_line.h"
#include "compare/published.h"
#include "engine/plan/plan.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/row_command.h"
#include "gpubench/record/row_identity.h"
#include "support/catch.h"

namespace gpubench::test::published_commands_test {
namespace {

/// Returns the only case of a command whose options all have a value without quotes.
Case planned_case(const std::string& command) {
  std::vector<std::string> words;
  append(words, split_fields(command, ' '));
  words.erase(words.begin());
  parse_command_line(words);  // Throws for an unknown option.
  TrainGrid grid;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const auto is_named = [&](const auto& parameter) {
      return std::string(parameter.use.option).starts_with(words[i]);
    };
    const auto parameter = std::ranges::find_if(train_parameters(), is_named);
    REQUIRE(parameter != train_parameters().end());
    grid.set(parameter->key, words.at(i + 1));
  }
  const std::vector<Case> cases = make_plan(grid.points(), model_catalog(), datasets());
  REQUIRE(cases.size() == 1);
  return cases.front();
}

}  // namespace

TEST_CASE("the command of each published case plans the same work") {
  std::size_t count = 0;
  for (const std::string& name : published_names()) {
    for (const CaseRecord& row : published_run(name).cases) {
      const std::string command = make_command(row);
      INFO(command);
      const RowIdentity published = make_identity(row).without({"device", "train_samples"});
      const RowIdentity planned =
          make_identity(describe(planned_case(command), {})).without({"device", "train_samples"});
      // Synthetic data has the name of the dataset that it resembles.
      const bool is_synthetic = command.find("--dataset synthetic") != std::string::npos;
      CHECK(planned.with("dataset", "") == published.with("dataset", ""));
      CHECK((is_synthetic || planned == published));
      CHECK(is_synthetic == (datasets().find(row.dataset)->adapt != nullptr));
      ++count;
    }
  }
  CHECK(count == 2 * (33 + 6 + 1));
}

}  // namespace gpubench::test::published_commands_test
