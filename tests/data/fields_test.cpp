// Documents, schemas and documentation made from the field tables. A new field needs a member of its record,
// a row of its table, and a measurement.

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "data/document_schema.h"
#include "data/golden_text.h"
#include "gpubench/core/error.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/run_record.h"
#include "gpubench/record/warning.h"
#include "pages/format.h"
#include "record/document/json_object.h"
#include "record/field_value.h"
#include "support/catch.h"
#include "support/paths.h"
#include "support/schema.h"

namespace gpubench::test::fields_test {
namespace {

std::string read_text(const std::string& path) {
  std::ifstream in(source_dir() + "/" + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Returns `text` with `table` between its markers.
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

/// Returns the allowed names of a text, unless the help has them all.
std::string names_text(const FieldFacts& field) {
  std::string names;
  bool help_has_all = true;
  for (const std::string& name : field.values.names) {
    if (name.empty()) continue;
    help_has_all = help_has_all && field.help.find("`" + name) != std::string::npos;
    names += (names.empty() ? "" : ", ") + fmt::format("`{}`", name);
  }
  return help_has_all ? "" : " One of " + names + ".";
}

/// Returns a Markdown table with a row per field, in order of sections. Keys contain the unit. Readers of
/// `missing` need the group, so tables of fields with groups have a column for it.
std::string fields_text(std::vector<FieldFacts> fields) {
  std::ranges::stable_sort(fields, {}, &FieldFacts::section);
  const bool has_groups = !std::ranges::all_of(fields, &std::string::empty, &FieldFacts::group);
  std::string text =
      has_groups ? "| key | meaning | group |\n|---|---|---|\n" : "| key | meaning |\n|---|---|\n";
  for (const FieldFacts& field : fields) {
    const std::string section = to_string(field.section);
    text +=
        fmt::format("| `{}{}{}`{} | {}{} |{}\n", section.empty() ? "" : section + ".", field.key,
                    is_list(field.values.kind) ? "[]" : "", field.presence == Presence::kOptional ? "?" : "",
                    field.help, names_text(field), has_groups ? " " + field.group + " |" : "");
  }
  return text;
}

struct Kettle {
  std::string name;
  Measured<Seconds> boiling;
};

FieldTable<Kettle> kettle_fields(bool has_boiling) {
  std::vector<Field<Kettle>> rows{
      {"name", "", "kettle", Shown::kInTable, "Name of the kettle.", member(&Kettle::name)}};
  if (has_boiling) {
    rows.push_back({"boiling_seconds", "s", "boils", Shown::kInTable, "Time to boil a liter.",
                    member(&Kettle::boiling)});
  }
  return FieldTable<Kettle>(std::move(rows));
}

bool is_valid(const Json& object, bool has_boiling) {
  return errors_by(object_schema(make_facts(kettle_fields(has_boiling)), "A kettle."), object).empty();
}

}  // namespace

TEST_CASE("the schema in results/schema is up to date with the field tables") {
  check_file("results/schema/result-v1.schema.json", document_text(written_schema()));
}

TEST_CASE("the table in docs/timing.md has a row for each kind of warning, in order") {
  const std::string text = read_text("docs/timing.md");
  std::size_t at = text.find("\n| kind | figure |");
  REQUIRE(at != std::string::npos);
  for (const WarningEntry& entry : warning_entries()) {
    at = text.find("\n| `", at + 1);
    const std::string unit = entry.unit.empty() ? "" : " " + std::string(entry.unit);
    const std::string start = fmt::format("\n| `{}` |{} | ", entry.name, unit);
    INFO(start);
    CHECK(text.compare(at, start.size(), start) == 0);
  }
  CHECK(text.find("\n| `", at + 1) > text.find("\n\n", at));
}

TEST_CASE("the tables in docs/files.md are up to date with the field tables") {
  std::string text = read_text("docs/files.md");
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
  check_file("docs/files.md", text);
}

TEST_CASE("a row in the field table is enough to write and read a new field") {
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

TEST_CASE("a row in the field table is enough to validate a new field") {
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

TEST_CASE("a row in the field table is enough to show a new field in tables, csv and documentation") {
  const std::vector<Kettle> kettles{{"whistler", Seconds{240}}, {"cold", missing("no water")}};
  const Table shown = record_table(kettle_fields(true), kettles);
  REQUIRE(shown.columns.size() == 2);
  CHECK(shown.columns[1].heading == "boils");
  CHECK(shown.columns[1].unit == "s");
  CHECK(shown.rows[0][1].text == "240");
  const Table data = record_data(kettle_fields(true), kettles, "kitchen");
  REQUIRE(data.columns.size() == 3);
  CHECK(data.columns[2].heading == "boiling_seconds");
  CHECK(data.columns[2].is_number);
  CHECK(data.rows[0][2].value == 240);
  CHECK_THAT(fields_text(make_facts(kettle_fields(true))),
             contains_text("| `boiling_seconds` | Time to boil a liter. |\n"));
}

TEST_CASE("an optional field is omitted if it has its default, and is not required") {
  const FieldTable<Kettle> fields(
      {{"name", "", "kettle", Shown::kInTable, "", member(&Kettle::name)},
       {"boiling_seconds", "s", "boils", Shown::kInTable, "", member(&Kettle::boiling).optional()}});
  CHECK(make_object(fields, Kettle{"old", {}}) == Json{{"name", "old"}});
  CHECK(make_object(fields, Kettle{"cold", missing("no fire")})["missing"]["boiling_seconds"] == "no fire");
  CHECK(errors_by(object_schema(make_facts(fields), "A kettle."), Json{{"name", "old"}}).empty());
}

}  // namespace gpubench::test::fields_test
