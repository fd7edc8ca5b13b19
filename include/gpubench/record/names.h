#pragma once
// All names of enumerations that people choose from, as in files and on the command line, in the order of
// their values.

#include <string>
#include <vector>

namespace gpubench {

std::vector<std::string> protocol_names();
std::vector<std::string> execution_names();
std::vector<std::string> precision_names();
std::vector<std::string> layout_names();
std::vector<std::string> loader_names();
std::vector<std::string> op_type_names();
std::vector<std::string> op_direction_names();
std::vector<std::string> op_cache_names();
std::vector<std::string> power_scope_names();

}  // namespace gpubench
