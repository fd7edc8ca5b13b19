#include "compare/published.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "compare/candidate.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/quantities.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

/// "RTX 2070 Super" as "rtx-2070-super".
std::string make_slug(const std::string& name) {
  const auto plain = [](unsigned char c) { return std::isalnum(c) != 0 ? std::tolower(c) : '-'; };
  std::string slug = name;
  std::ranges::transform(name, slug.begin(), plain);
  return slug;
}

RunRecord make_run(const EmbeddedText& text) { return run_from_json(Json::parse(text.text)); }

/// Returns the cases of one device, with the further figures of each.
RunRecord find_part(const RunRecord& run, const std::string& device) {
  RunRecord part = run;
  part.cases.clear();
  part.published->figures.clear();
  for (std::size_t i = 0; i < run.cases.size(); ++i) {
    if (run.cases[i].device != device) continue;
    part.cases.push_back(run.cases[i]);
    part.published->figures.push_back(run.published->figures[i]);
  }
  return part;
}

using Words = std::vector<std::string_view>;

[[noreturn]] void refuse(std::string_view line) {
  throw Error(ErrorKind::kInternal, "ops-published: malformed line: {}", line);
}

PublishedRecord publication(const std::string& machine) {
  return {"times of operations of PyTorch on " + machine + ", from mlx-benchmark",
          std::string("https://github.com/TristanBilot/mlx-benchmark"),
          "One call after one warm-up call, in fp32, printed to a hundredth of a millisecond.",
          "Published by others and not verified. In the older tables CUDA's times were taken without waiting "
          "for the device, and the version of PyTorch is mostly not told.",
          {}};
}

OpRecord to_row(const Words& words) {
  OpRecord row;
  row.device = words[1];
  row.op = words[2];
  row.sizes = words[3];
  row.status = RowStatus::kOk;
  row.calls_per_sample = 1;
  const std::optional<double> milliseconds = parse_decimal(words[4]);
  if (!milliseconds) refuse(words[4]);
  if (*milliseconds > 0)
    row.call_seconds = {*milliseconds * 1e-3};
  else
    row.status_reason = fmt::format("published as {} ms, which is too short for its digits", words[4]);
  return row;
}

struct PublishedTable {
  std::string machine;
  std::string name;  ///< "m3-max/mps".
  RunRecord record{};
};

/// Lines of machines come first, then a heading, then figures.
std::vector<PublishedTable> read_tables(std::string_view text) {
  std::vector<PublishedTable> tables;
  std::map<std::string, std::string, std::less<>> texts;
  for (const std::string_view line : split_fields(text, '\n')) {
    const Words words = split_fields(line, '\t');
    if (line.empty() || words[0] == "slug") continue;
    if (words[0] == "machine" && words.size() == 3) {
      texts.emplace(words[1], words[2]);
      continue;
    }
    const auto machine = texts.find(words[0]);
    if (words.size() != 5 || machine == texts.end()) refuse(line);
    const std::string name = fmt::format("{}/{}", words[0], words[1]);
    auto table = std::ranges::find(tables, name, &PublishedTable::name);
    if (table == tables.end()) {
      table = tables.insert(table, {machine->first, name});
      table->record.plan.kind = "table";
      table->record.published = publication(machine->second);
    }
    table->record.operations.push_back(to_row(words));
  }
  return tables;
}

const std::vector<PublishedTable>& all_tables() {
  static const std::vector<PublishedTable> tables = read_tables(published_ops_texts().front().text);
  return tables;
}

}  // namespace

RunRecord published_run(const std::string& name) {
  for (const EmbeddedText& text : published_texts()) {
    const RunRecord run = make_run(text);
    if (text.name == name) return run;
    for (const std::string& device : list_devices(run.cases)) {
      if (make_slug(device) == name) return find_part(run, device);
    }
  }
  throw Error(ErrorKind::kUsage, "published:{}: {}", name,
              unknown_name_message("publication", name, published_names()));
}

std::vector<std::string> published_names() {
  std::vector<std::string> names;
  for (const EmbeddedText& text : published_texts()) {
    names.emplace_back(text.name);
    append(names, mapped(list_devices(make_run(text).cases), make_slug));
  }
  return names;
}

std::vector<RunRecord> published_ops(const std::string& name) {
  std::vector<RunRecord> found;
  for (const PublishedTable& table : all_tables()) {
    if (name == table.machine || name == table.name) found.push_back(table.record);
  }
  if (!found.empty()) return found;
  std::vector<std::string> known;
  for (const PublishedTable& table : all_tables()) {
    // A mistyped backend of a known machine needs no other machines.
    if (name.starts_with(table.machine + "/")) known.push_back(table.name);
  }
  if (known.empty()) {
    for (const PublishedTable& table : all_tables()) add_once(known, table.machine);
  }
  throw Error(ErrorKind::kUsage, "published:{}: {}", name,
              unknown_name_message("table of operations", name, known));
}

std::vector<std::string> published_ops_names() { return names_in(all_tables()); }

}  // namespace gpubench
