#include "sample.h"

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "attack.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/temp_dir.h"

namespace gpubench::test {
namespace {

std::string read_bytes(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  if (text.str().empty()) throw std::runtime_error("empty: " + path.string());
  return text.str();
}

struct Samples {
  Samples() {
    const TempDir dir;
    const std::string script =
        shell_functions() + "train --repeat 2 -o run.json; operate --op relu -o ops.json";
    run_process("/bin/sh", {"-c", script}, dir.path(), attack_environment(dir.path()));
    run = read_bytes(dir.path() / "run.json");
    ops = read_bytes(dir.path() / "ops.json");
  }
  std::string run;
  std::string ops;
};

const Samples& samples() {
  static const Samples samples;
  return samples;
}

/// Returns the pointer without list indices, so that elements of a list are tried once.
std::string without_indices(const std::string& pointer) {
  std::string kind;
  bool is_number = false;
  for (const char c : pointer) {
    is_number = (is_number || kind.ends_with('/')) && c >= '0' && c <= '9';
    if (!is_number) kind += c;
  }
  return kind;
}

void collect(const Json& value, const std::string& pointer, const std::function<bool(const Json&)>& wanted,
             std::map<std::string, std::string>& found) {
  if (wanted(value)) found.emplace(without_indices(pointer), pointer);
  if (!value.is_structured()) return;
  for (const auto& [key, part] : value.items()) collect(part, pointer + "/" + key, wanted, found);
}

}  // namespace

const std::string& run_document() { return samples().run; }
const std::string& ops_document() { return samples().ops; }

std::string fixture(const std::string& name) { return read_bytes(fixtures_dir() + "/results/" + name); }

std::vector<std::string> pointers(const Json& document, const std::function<bool(const Json&)>& wanted) {
  std::map<std::string, std::string> found;
  collect(document, "", wanted, found);
  std::vector<std::string> list;
  for (const auto& [kind, pointer] : found) list.push_back(pointer);
  return list;
}

std::string with(const std::string& document, const std::string& pointer, const Json& value) {
  Json changed = Json::parse(document);
  changed[Json::json_pointer(pointer)] = value;
  return changed.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string times(std::size_t count, const std::string& text) {
  std::string all;
  all.reserve(count * text.size());
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

}  // namespace gpubench::test
