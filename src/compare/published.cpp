#include "compare/published.h"

#include <algorithm>
#include <cctype>

#include "gpubench/core/error.h"
#include "gpubench/core/nearest.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

/// "RTX 2070 Super" as "rtx-2070-super".
std::string slug_of(const std::string& name) {
  std::string slug;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    slug += std::isalnum(byte) != 0 ? static_cast<char>(std::tolower(byte)) : '-';
  }
  return slug;
}

RunRecord run_of(const EmbeddedText& text) { return run_from_json(Json::parse(text.text)); }

std::vector<std::string> devices_of(const RunRecord& run) {
  std::vector<std::string> devices;
  for (const CaseRecord& record : run.cases) {
    const bool is_known = std::find(devices.begin(), devices.end(), record.device) != devices.end();
    if (!is_known) devices.push_back(record.device);
  }
  return devices;
}

/// The cases of one device, with what the publication states of each.
RunRecord part_of(const RunRecord& run, const std::string& device) {
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

}  // namespace

RunRecord published_run(const std::string& name) {
  for (const EmbeddedText& text : published_texts()) {
    const RunRecord run = run_of(text);
    if (text.name == name) return run;
    for (const std::string& device : devices_of(run)) {
      if (slug_of(device) == name) return part_of(run, device);
    }
  }
  throw Error(ErrorKind::kUsage,
              "published:" + name + ": " + unknown_name_message("publication", name, published_names()));
}

std::vector<std::string> published_names() {
  std::vector<std::string> names;
  for (const EmbeddedText& text : published_texts()) {
    names.emplace_back(text.name);
    for (const std::string& device : devices_of(run_of(text))) names.push_back(slug_of(device));
  }
  return names;
}

}  // namespace gpubench
