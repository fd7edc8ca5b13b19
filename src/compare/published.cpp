#include "compare/published.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include "compare/candidate.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/edit.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

/// Returns "rtx-2070-super" for "RTX 2070 Super".
std::string make_slug(std::string name) {
  const auto plain = [](unsigned char c) { return std::isalnum(c) != 0 ? std::tolower(c) : '-'; };
  std::ranges::transform(name, name.begin(), plain);
  return name;
}

using Words = std::vector<std::string_view>;

OpRecord to_row(const Words& words) {
  OpRecord row;
  row.device = words[1];
  row.op = words[2];
  row.sizes = words[3];
  row.protocol = OpProtocol::kS4;
  row.status = RowStatus::kOk;
  row.calls_per_sample = 1;
  const double milliseconds = parse_decimal(words[4]).value();
  if (milliseconds > 0)
    row.call_seconds = {milliseconds * 1e-3};
  else
    row.status_reason = fmt::format("published as {} ms, below the resolution of the table", words[4]);
  return row;
}

/// Reads one table per machine. The text lists the machines, then a heading, then the figures.
std::vector<NamedRun> read_tables(std::string_view text) {
  std::vector<NamedRun> tables;
  for (const std::string_view line : split_fields(text, '\n')) {
    const Words words = split_fields(line, '\t');
    if (line.empty() || words[0] == "slug") continue;
    if (words[0] == "machine") {
      RunRecord& table = tables.emplace_back(NamedRun{std::string(words[1]), {}}).run;
      table.plan.kind = "table";
      table.published = PublishedRecord{
          "times of operations of PyTorch on " + std::string(words[2]) + ", from mlx-benchmark",
          std::string("https://github.com/TristanBilot/mlx-benchmark"),
          "One call after one warm-up call, in fp32, printed to a hundredth of a millisecond.",
          "Published by others and not verified. Older tables timed CUDA without waiting for the device, and "
          "mostly omit the version of PyTorch.",
          {}};
      table.environment.host = words[2].substr(0, words[2].find(" ("));
    } else {
      std::ranges::find(tables, words[0], &NamedRun::name)->run.operations.push_back(to_row(words));
    }
  }
  return tables;
}

const std::vector<NamedRun>& publications() {
  static const std::vector<NamedRun> all = [] {
    std::vector<NamedRun> made = mapped(published_texts(), [](const EmbeddedText& text) {
      return NamedRun{std::string(text.name), run_from_json(Json::parse(text.text))};
    });
    append(made, read_tables(published_ops_texts().front().text));
    return made;
  }();
  return all;
}

/// Device of a publication.
struct Part {
  std::string name;  ///< Name for published_run().
  std::string device;
};

std::vector<Part> list_parts(const NamedRun& whole) {
  const bool is_of_ops = whole.run.has_operations();
  const auto devices = is_of_ops ? list_devices(whole.run.operations) : list_devices(whole.run.cases);
  return mapped(devices, [&](const std::string& device) {
    return Part{is_of_ops ? whole.name + "/" + device : make_slug(device), device};
  });
}

/// Returns the devices of a machine for "m3-max/cuda", names that begin with `name`, or the nearest one.
std::vector<std::string> list_near_names(const std::string& name) {
  constexpr std::size_t kMost = 4;
  if (name.empty()) return {};
  const std::vector<std::string> known = published_names();
  const std::string start = name.find('/') == name.npos ? name : name.substr(0, name.find('/') + 1);
  std::vector<std::string> near = known;
  std::erase_if(near, [&](const std::string& one) {
    return !one.starts_with(start) || one.find('/', start.size()) != one.npos;
  });
  if (const auto nearest = nearest_name(name, known); near.empty() && nearest) near = {*nearest};
  near.resize(std::min(near.size(), kMost));
  return near;
}

/// Returns the rows of one device with their additional figures.
RunRecord take_part(RunRecord run, const std::string& device) {
  std::vector<NamedValues> figures;
  for (std::size_t i = 0; i < run.published->figures.size(); ++i) {
    if (run.cases[i].device == device) figures.push_back(std::move(run.published->figures[i]));
  }
  run.published->figures = std::move(figures);
  std::erase_if(run.cases, [&](const CaseRecord& row) { return row.device != device; });
  std::erase_if(run.operations, [&](const OpRecord& row) { return row.device != device; });
  return run;
}

}  // namespace

RunRecord published_run(const std::string& name) {
  for (const NamedRun& whole : publications()) {
    if (whole.name == name) return whole.run;
    for (const Part& part : list_parts(whole)) {
      if (part.name == name) return take_part(whole.run, part.device);
    }
  }
  const std::string near = join(list_near_names(name), "' or '");
  throw Error(ErrorKind::kUsage, "{}{}: unknown publication; {}see 'gpubench list published'", kPublished,
              name, near.empty() ? "" : "did you mean '" + near + "'? ");
}

std::vector<std::string> published_names() {
  std::vector<std::string> names;
  for (const NamedRun& whole : publications()) {
    names.push_back(whole.name);
    append(names, names_in(list_parts(whole)));
  }
  return names;
}

std::vector<std::string> published_inputs() {
  return mapped(published_names(), [](const std::string& name) { return std::string(kPublished) + name; });
}

}  // namespace gpubench
