// The report format json.

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "data/text_pages.h"
#include "gpubench/report_writer.h"
#include "support/catch.h"

namespace gpubench::test::json_test {
namespace {

using Json = nlohmann::json;

std::string render(const Page& page) { return report_formats().require("json", "format").render(page); }

}  // namespace

TEST_CASE("a page as JSON has its texts, tables and cells") {
  const Json page = Json::parse(render(long_text_page()));
  CHECK(page["title"] == "Measurements");
  CHECK(page["answer"].is_null());
  CHECK(page["summary"][1] == Json{{"text", "A caution."}, {"tone", "warning"}});
  const Json& section = page["sections"][0];
  CHECK(section["title"] == "Cases");
  CHECK(section["paragraphs"][0]["text"] == "Text before the table.");
  const Json& table = section["tables"][0];
  CHECK(table["title"] == "Figures");
  CHECK(table["columns"][0] == Json{{"heading", "model"}, {"unit", nullptr}});
  CHECK(table["columns"][1] == Json{{"heading", "median"}, {"unit", "s"}});
  CHECK(table["rows"][0][1] == Json{{"text", "0.510"}, {"value", 0.51}, {"note", nullptr}});
  CHECK(table["rows"][2][1] == Json{{"text", "-"}, {"value", nullptr}, {"note", "out of memory"}});
  CHECK(table["notes"].size() == 2);
  CHECK(page["sections"][1]["tables"].empty());  // Charts only.
}

TEST_CASE("the data as JSON has numbers of full precision, and null for missing values") {
  constexpr double kThird = 1.0 / 3;
  Page page{"", {}, {}, {}};
  page.answer = "regression";
  page.data = {"", {{"file"}, {"seconds", "s", true}, {"batch", "", true}}, {}};
  page.data.rows = {{{"a"}, {"0.333", kThird}, {"128", 128.0}},
                    {{"-"}, {""}, {"inf", std::numeric_limits<double>::infinity()}},
                    {{"12"}, {""}, {"9007199254740993"}}};
  const std::string text = render(page);
  const Json document = Json::parse(text);
  CHECK(document["answer"] == "regression");
  CHECK(document["title"].is_null());
  CHECK(document["data"][0] == Json{{"file", "a"}, {"seconds", kThird}, {"batch", 128}});
  CHECK(document["data"][0]["seconds"].get<double>() == kThird);
  CHECK_THAT(text, contains_text("\"batch\": 128\n"));
  CHECK(document["data"][1] == Json{{"file", nullptr}, {"seconds", nullptr}, {"batch", nullptr}});
  // Counts are text in the page.
  CHECK(document["data"][2] == Json{{"file", "12"}, {"seconds", nullptr}, {"batch", 9007199254740993}});
}

TEST_CASE("untrusted text cannot break JSON or control a terminal") {
  const std::string text = render(hostile_text_page());
  CHECK(Json::accept(text));
  CHECK(std::ranges::none_of(text, [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7f; }));
  for (const char* command : {"\xc2\x9b", "\xe2\x80\xae", "\xff", "\x1b"})
    CHECK(text.find(command) == std::string::npos);
}

}  // namespace gpubench::test::json_test
