// gpubench_simulation [RUNS [SEED]] prints the tables of docs/research/intervals.md.
// gpubench_simulation changes [RUNS [SEED]] prints those of docs/research/change-points.md, and fails if the
// limits of that page are exceeded. The figures depend on the arguments only.

#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "simulation/changes.h"
#include "simulation/tables.h"

int main(int count, char** arguments) {
  using namespace gpubench::test;
  const bool is_of_changes = count > 1 && std::string_view(arguments[1]) == "changes";
  if (is_of_changes) {
    --count;
    ++arguments;
  }
  const Draws draws{count > 1 ? std::atoi(arguments[1]) : 1000,
                    count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 18};
  if (draws.count < 1) {
    fmt::print(stderr, "gpubench_simulation: RUNS must be at least 1\n");
    return 2;
  }
  if (is_of_changes) return print_changes(draws) ? 0 : 1;
  fmt::print("## In this process\n\n");
  print_within_processes(draws);
  fmt::print("## Between runs\n\n");
  print_between_processes(draws);
  fmt::print("## Differences found between equal programs\n\n");
  print_false_verdicts(draws);
  fmt::print("## Slowdowns found\n\n");
  print_power(draws);
  print_interleaved_power(draws);
}
