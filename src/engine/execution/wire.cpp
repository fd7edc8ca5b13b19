#include "engine/execution/wire.h"

#include "record/document/json_object.h"

namespace gpubench {

Json to_json(const Case& c) { return make_object(train_parameters(), c.asked); }

Case plan_case_from_json(const Json& json, const Catalog<ModelEntry>& models,
                         const Catalog<DatasetEntry>& datasets) {
  return make_case(make_record(json, train_parameters(), "case"), models, datasets);
}

Json to_json(const OpWork& work) { return make_object(op_parameters(), work.asked); }

OpWork op_work_from_json(const Json& json) { return {make_record(json, op_parameters(), "operation")}; }

}  // namespace gpubench
