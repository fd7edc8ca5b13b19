#include "data/golden_text.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <string_view>

#include "gpubench/report_writer.h"
#include "pages/run_page.h"
#include "support/catch.h"
#include "support/paths.h"

namespace gpubench::test {
namespace {

bool updates_files() {
  const char* value = std::getenv("GPUBENCH_UPDATE_GOLDEN");
  return value != nullptr && std::string_view(value) == "1";
}

std::string read_content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

void check_golden(const std::string& name, const std::string& text) {
  check_file("tests/data/expected/" + name, text);
}

void check_file(const std::string& from_top, const std::string& text) {
  const std::string path = source_dir() + "/" + from_top;
  if (updates_files()) std::ofstream(path, std::ios::binary) << text;
  INFO("expected text: " << path << "; GPUBENCH_UPDATE_GOLDEN=1 updates it");
  CHECK(text == read_content(path));
}

std::string outcome_text(const RunRecord& run) {
  return report_formats().require("txt", "format").render(run_outcome(run));
}

void check_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) CHECK_THAT(text, contains_text(part));
}

std::string flattened(const std::string& text) { return std::regex_replace(text, std::regex("\\s+"), " "); }

}  // namespace gpubench::test
