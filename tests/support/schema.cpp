#include "support/schema.h"

#include "record/check/document_check.h"

namespace gpubench::test {

std::vector<std::string> schema_errors(const nlohmann::json& document) { return schema_faults(document); }

}  // namespace gpubench::test
