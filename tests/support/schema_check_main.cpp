// schema_check FILE...: prints what is wrong with result files; exits with 0 if nothing is, else with 1.

#include <exception>
#include <fstream>
#include <iostream>

#include "support/schema.h"

namespace {

std::vector<std::string> file_errors(const std::string& path) {
  std::ifstream in(path);
  if (!in) return {"cannot be read"};
  try {
    return gpubench::test::schema_errors(nlohmann::json::parse(in));
  } catch (const std::exception& error) {
    return {error.what()};
  }
}

}  // namespace

int main(int count, char** arguments) {
  bool is_valid = count > 1;
  if (!is_valid) std::cerr << "usage: schema_check FILE...\n";
  for (int i = 1; i < count; ++i) {
    for (const std::string& error : file_errors(arguments[i])) {
      std::cout << arguments[i] << ": " << error << '\n';
      is_valid = false;
    }
  }
  return is_valid ? 0 : 1;
}
