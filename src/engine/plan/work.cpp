#include "engine/plan/work.h"

#include "record/document/json_object.h"

namespace gpubench {
namespace {

constexpr const char* kOpWorkload = "op";

}  // namespace

Json to_json(const Work& work) {
  const auto* const training = std::get_if<Case>(&work);
  if (training != nullptr) return make_object(train_parameters(), training->asked);
  Json json{{"workload", kOpWorkload}};
  json.update(make_object(op_parameters(), std::get<OpWork>(work).asked));
  return json;
}

Work work_from_json(const Json& json, const Catalog<ModelEntry>& models,
                    const Catalog<DatasetEntry>& datasets) {
  if (json.at("workload") != kOpWorkload)
    return make_case(make_record(json, train_parameters(), "case"), models, datasets);
  return OpWork{make_record(json, op_parameters(), "operation")};
}

}  // namespace gpubench
