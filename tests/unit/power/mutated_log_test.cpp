// Valid logs with planted columns, mutated: refused, or read with the values of one power column only.

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "log_template.h"
#include "log_text.h"
#include "support/catch.h"

namespace gpubench::test::mutated_log_test {
namespace {

using Row = std::vector<std::string>;
using Table = std::vector<Row>;  // Headings, then rows.

/// Column of a table. Other quantities have values that no power has.
struct Column {
  std::string heading;
  std::string value;  // Template.
};

const std::vector<Column> kTimes{
    {"timestamp", "@slash"}, {"time", "@unix"}, {"created_at", "@isoZ"}, {"date", "@date-en"}};
const std::vector<Column> kPowers{{"power.draw [W]", "@watts W"}, {"power_w", "@watts"},
                                  {"power (mW)", "@milliwatts"},  {"gpu_power_watts", "@watts"},
                                  {"Power [kW]", "@kilowatts"},   {"power.draw [W]", "@watts"}};
const std::vector<Column> kOthers{{"utilization.gpu [%]", "@load %"},
                                  {"gpu", "@load"},
                                  {"temperature.gpu", "61"},
                                  {"energy_joules", "@joules"},
                                  {"power_percent", "57.5"},
                                  {"step", "@number"},
                                  {"name", "RTX 3090"},
                                  {"index", "0"},
                                  {"memory.used [MiB]", "8123 MiB"},
                                  {"power.limit [W]", "350.00 W"},
                                  {"note", "ok"}};

std::string written(const Table& table, char separator) {
  std::string text;
  for (const Row& row : table) {
    for (std::size_t i = 0; i < row.size(); ++i)
      text += (i > 0 ? std::string(1, separator) + " " : "") + row[i];
    text += "\n";
  }
  return text;
}

/// Returns true if each reading is a planted power, in one unit.
bool is_planted(const PowerTrace& trace) {
  return std::ranges::all_of(parse_watts(trace), [](double watts) {
    for (int i = 0; i < 4; ++i)
      if (std::abs(watts - planted_watts(i)) < 0.006 || std::abs(watts - planted_watts(i + 8)) < 0.006)
        return true;
    return watts < 0;  // Missing.
  });
}

}  // namespace

TEST_CASE("no mutation of a valid log gives a value that is not of its power column") {
  std::mt19937 random(20261128);
  const auto below = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
  int read = 0;
  constexpr int kLogs = 3000;
  for (int log = 0; log < kLogs; ++log) {
    std::vector<Column> columns{kTimes[below(kTimes.size())], kPowers[below(kPowers.size())]};
    for (std::size_t others = below(4); others > 0; --others)
      columns.push_back(kOthers[below(kOthers.size())]);
    std::shuffle(columns.begin(), columns.end(), random);
    Table table(1);
    for (const Column& column : columns) table[0].push_back(column.heading);
    for (int i = 0; i < kTemplateLines; ++i) {
      Row& row = table.emplace_back();
      for (const Column& column : columns) row.push_back(filled(column.value, i));
    }
    // Columns that change places show only if the powers alone have units.
    const auto count = [&](std::string_view value) {
      return std::ranges::count(columns, value, &Column::value);
    };
    const bool has_units = count("@watts W") == 1 && count("350.00 W") == 0;
    const std::size_t one = below(columns.size());
    const std::size_t other = below(columns.size());
    const std::vector<std::function<void()>> mutations{
        [] {},
        [&] { table.erase(table.begin()); },
        [&] {
          for (Row& row : table) row.erase(row.begin() + static_cast<std::ptrdiff_t>(one));
        },
        [&] { table[0].erase(table[0].begin() + static_cast<std::ptrdiff_t>(one)); },
        [&] { table[0][one] = table[0][other]; },
        [&] {
          std::swap(table[0][one], table[0][other]);
          table[0][one] += "x";
        },
        [&] {
          for (Row& row : table) row.push_back("");
        },
        [&] { table[1 + below(kTemplateLines)].pop_back(); },
        [&] {
          for (std::size_t i = 12; has_units && i < table.size(); ++i)
            std::swap(table[i][one], table[i][other]);
        },
        [&] { table.insert(table.begin() + 12, table[0]); },
        [&] { std::shuffle(table.begin() + 1, table.end(), random); },
        [&] {
          const Table again = table;
          table.insert(table.end(), again.begin() + 1, again.end());
        }};
    mutations[below(mutations.size())]();
    const std::string text = written(table, ",;\t"[below(3)]);
    INFO(text);
    try {
      for (const PowerTrace& trace : read_text(text).traces) {
        const bool is_fine = is_planted(trace);
        if (!is_fine) CHECK(is_fine);
      }
      ++read;
    } catch (const Error& error) {
      const bool is_usage = error.kind() == ErrorKind::kUsage;
      if (is_usage) CHECK_FALSE(is_usage);
    }
  }
  INFO(read << " logs were read");
  CHECK(read > kLogs / 4);
}

}  // namespace gpubench::test::mutated_log_test
