#include "gpubench/core/text/text_table.h"

#include <stdexcept>

#include "support/catch.h"

namespace gpubench::test {
namespace {

TextTable prices() {
  TextTable table({{"fruit", Align::kLeft}, {"price", Align::kRight}, {"note", Align::kLeft}});
  return table;
}

}  // namespace

TEST_CASE("columns are as wide as their widest cell or heading") {
  TextTable table = prices();
  table.add_row({"fig", "1.50", "ripe"});
  table.add_row({"pomegranate", "1234.50", ""});
  CHECK(table.to_string() ==
        "fruit          price  note\n"
        "fig             1.50  ripe\n"
        "pomegranate  1234.50\n");
}

TEST_CASE("characters that are wide, and those that take no room, line up with others") {
  TextTable table({{"fruit", Align::kLeft}, {"price", Align::kRight}});
  table.add_row({"fig", "1.50"});
  table.add_row({"無花果", "2"});
  table.add_row({"re\u0301colte\u0301e", "３"});
  CHECK(table.to_string() ==
        "fruit     price\n"
        "fig        1.50\n"
        "無花果        2\n"
        "re\u0301colte\u0301e     ３\n");
}

TEST_CASE("a table without rows is its heading") { CHECK(prices().to_string() == "fruit  price  note\n"); }

TEST_CASE("a row with a cell too few is refused") {
  TextTable table = prices();
  CHECK_THROWS_AS(table.add_row({"fig", "1.50"}), std::invalid_argument);
}

}  // namespace gpubench::test
