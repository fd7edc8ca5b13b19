// What follows from the field tables: documents, their schemas and their documentation. A field that is new
// touches its record, its table, and where it is measured.

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "data/document_schema.h"
#include "data/golden_text.h"
#include "gpubench/core/error.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/run_record.h"
#include "pages/format.h"
#include "record/document/json_object.h"
#include "record/field_value.h"
#include "support/catch.h"
#include "support/paths.h"
#include "support/schema.h"

namespace gpubench::test::fields_test {
namespace {

std::string to_text(const std::string& path) {
  std::ifstream in(source_dir() + "/" + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// `text` with `table` between its markers.
std::string with_table(const std::string& text, const std::string& name, const std::string& table) {
  const std::string opening = "<!-- fields of " + name + " -->\n";
  const std::string closing = "<!-- end of fields -->";
  const std::size_t begin = text.find(opening);
  INFO(opening);
  REQUIRE(begin != std::string::npos);
  const std::size_t end = text.find(closing, begin);
  REQUIRE(end != std::string::npos);
  return text.substr(0, begin + opening.size()) + table + text.substr(end);
}

bool is_list(Kind kind) {
  return kind == Kind::kNumbers || kind == Kind::kWholeNumbers || kind == Kind::kTexts ||
         kind == Kind::kPhases || kind == Kind::kWarnings;
}

/// The names that a text can be, where the help does not say them.
std::string names_text(const FieldFacts& field) {
  std::string names;
  bool is_said = true;
  for (const std::string& name : field.values.names) {
    if (name.empty()) continue;
    is_said = is_said && field.help.find("`" + name) != std::string::npos;
    names += (names.empty() ? "" : ", ") + fmt::format("`{}`", name);
  }
  return is_said ? "" : " One of " + names + ".";
}

/// A table in Markdown with a line for each field, in the order of sections.
std::string fields_text(std::vector<FieldFacts> fields) {
  std::ranges::stable_sort(fields, {}, &FieldFacts::section);
  std::string text = "| key | unit | group | meaning |\n|---|---|---|---|\n";
  for (const FieldFacts& field : fields) {
    const std::string section = to_string(field.section);
    text +=
        fmt::format("| `{}{}{}`{} | {} | {} | {}{} |\n", section.empty() ? "" : section + ".", field.key,
                    is_list(field.values.kind) ? "[]" : "", field.presence == Presence::kOptional ? "?" : "",
                    field.unit, field.group, field.help, names_text(field));
  }
  return text;
}

struct Kettle {
  std::string name;
  Measured<Seconds> boiling;
};

FieldTable<Kettle> kettle_fields(bool has_boiling) {
  std::vector<Field<Kettle>> rows{
      {"name", "", "kettle", Shown::kInTable, "Which one.", member(&Kettle::name)}};
  if (has_boiling) {
    rows.push_back({"boiling_seconds", "s", "boils", Shown::kInTable, "How long a litre takes.",
                    member(&Kettle::boiling)});
  }
  return FieldTable<Kettle>(std::move(rows));
}

bool is_valid(const Json& object, bool has_boiling) {
  return errors_by(object_schema(make_facts(kettle_fields(has_boiling)), "A kettle."), object).empty();
}

}  // namespace

TEST_CASE("the schema in results/schema is the one that follows from the field tables") {
  check_file("results/schema/result-v1.schema.json", document_text(written_schema()));
}

TEST_CASE("the fields in results/README.md are those of the field tables") {
  std::string text = to_text("results/README.md");
  const auto put = [&](const std::string& name, const auto& fields) {
    text = with_table(text, name, fields_text(make_facts(fields)));
  };
  put("tool", tool_fields());
  put("plan", plan_fields());
  put("environment", environment_fields());
  put("environment.devices[]", device_fields());
  put("environment.datasets[]", dataset_fields());
  put("environment.datasets[].files[]", data_file_fields());
  put("train", case_fields());
  put("warnings[]", warning_fields());
  put("energy[]", energy_fields());
  put("published", published_fields());
  put("op", op_fields());
  put("peak", peak_point_fields());
  put("selftest", check_fields());
  check_file("results/README.md", text);
}

TEST_CASE("a field that is new is in the document, and is read back, by its row in the table alone") {
  const Kettle kettle{"whistler", Seconds{240}};
  CHECK(make_object(kettle_fields(false), kettle) == Json{{"name", "whistler"}});
  const Json object = make_object(kettle_fields(true), kettle);
  CHECK(object == Json{{"name", "whistler"}, {"boiling_seconds", 240.0}});
  CHECK(make_record(object, kettle_fields(true), "kettle").boiling == kettle.boiling);
  CHECK_THROWS_WITH(make_record(Json{{"boiling_seconds", "long"}}, kettle_fields(true), "kettle"),
                    "kettle.boiling_seconds: expected a number");

  const Json without = make_object(kettle_fields(true), Kettle{"cold", missing("no water")});
  CHECK(without["missing"] == Json{{"boiling_seconds", "no water"}});
  CHECK(make_record(without, kettle_fields(true), "kettle").boiling.reason() == "no water");
}

TEST_CASE("a field that is new is validated by its row in the table alone") {
  const Json object{{"name", "whistler"}, {"boiling_seconds", 240.0}};
  CHECK(is_valid(object, true));
  CHECK_FALSE(is_valid(object, false));
  CHECK_FALSE(is_valid({{"name", "whistler"}}, true));
  CHECK_FALSE(is_valid({{"name", "whistler"}, {"boiling_seconds", "long"}}, true));
  CHECK_FALSE(is_valid({{"name", "whistler"}, {"boiling_seconds", -1}}, true));
  CHECK(is_valid(
      {{"name", "cold"}, {"boiling_seconds", nullptr}, {"missing", {{"boiling_seconds", "no water"}}}},
      true));
}

TEST_CASE("a field that is new is in tables, csv and documentation by its row in the table alone") {
  const std::vector<Kettle> kettles{{"whistler", Seconds{240}}, {"cold", missing("no water")}};
  const Table shown = record_table(kettle_fields(true), kettles);
  REQUIRE(shown.columns.size() == 2);
  CHECK(shown.columns[1].heading == "boils");
  CHECK(shown.columns[1].unit == "s");
  CHECK(shown.rows[0][1].text == "240.00");
  const Table data = record_data(kettle_fields(true), kettles, "kitchen");
  REQUIRE(data.columns.size() == 3);
  CHECK(data.columns[2].heading == "boiling_seconds");
  CHECK(data.columns[2].is_number);
  CHECK(data.rows[0][2].value == 240);
  CHECK_THAT(fields_text(make_facts(kettle_fields(true))),
             contains_text("| `boiling_seconds` | s |  | How long a litre takes. |\n"));
}

TEST_CASE("an optional field is left out where it says nothing, and is not required") {
  const FieldTable<Kettle> fields(
      {{"name", "", "kettle", Shown::kInTable, "", member(&Kettle::name)},
       {"boiling_seconds", "s", "boils", Shown::kInTable, "", member(&Kettle::boiling).optional()}});
  CHECK(make_object(fields, Kettle{"old", {}}) == Json{{"name", "old"}});
  CHECK(make_object(fields, Kettle{"cold", missing("no fire")})["missing"]["boiling_seconds"] == "no fire");
  CHECK(errors_by(object_schema(make_facts(fields), "A kettle."), Json{{"name", "old"}}).empty());
}

}  // namespace gpubench::test::fields_test
