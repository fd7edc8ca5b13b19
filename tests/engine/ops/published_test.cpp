// Compares the published set with the rows of the published tables.

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "gpubench/op.h"
#include "support/catch.h"
#include "support/paths.h"

namespace gpubench::test::published_test {

namespace {

/// Returns the rows of the tables: "matmul 64x1000000 1000000x32".
std::set<std::string> published_rows() {
  std::ifstream in(test::source_dir() + "/results/reference/ops-published.tsv");
  std::set<std::string> rows;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string machine, backend, op, sizes;
    for (std::string* word : {&machine, &backend, &op, &sizes}) std::getline(words, *word, '\t');
    if (machine != "machine" && machine != "slug") rows.insert(op + " " + sizes);
  }
  return rows;
}

}  // namespace

TEST_CASE("the published set has exactly the rows of the published tables") {
  std::set<std::string> known;
  for (const OpEntry& op : ops()) {
    for (const OpCase& c : op.published_cases) known.insert(op.name + " " + to_string(c));
  }
  CHECK(known == published_rows());
  CHECK(known.size() == 91);
}

}  // namespace gpubench::test::published_test
