#include "compare/run_data.h"

#include "compare/record_data.h"

namespace gpubench {

Table run_data(const RunRecord& run, const std::string& name) {
  return record_data(case_fields(), run.cases, name);
}

}  // namespace gpubench
