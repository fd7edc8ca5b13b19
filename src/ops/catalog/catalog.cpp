#include <sstream>

#include "gpubench/record/op_case.h"

namespace gpubench {
namespace {

std::vector<OpCase> parse_rows(const std::string& list) {
  std::vector<OpCase> rows;
  std::istringstream texts(list);
  for (std::string text; std::getline(texts, text, ',');) rows.push_back(parse_op_case(text, "row"));
  return rows;
}

}  // namespace

const Catalog<OpInfo>& op_catalog() {
#define GPUBENCH_OP(name, source, summary, sizes, published, small) \
  OpInfo{#name, summary, sizes, parse_rows(published), parse_rows(small)},
  static const Catalog<OpInfo> all("operation", {
#include "ops/catalog/catalog.def"
                                                });
#undef GPUBENCH_OP
  return all;
}

}  // namespace gpubench
