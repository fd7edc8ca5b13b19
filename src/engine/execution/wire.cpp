#include "engine/execution/wire.h"

#include "record/document/json_object.h"

namespace gpubench {

/// Without the sizes, which are a text.
static void parts(auto& visit, Like<OpWork> auto& work) {
  visit("op", work.op);
  visit("type", work.request.type);
  visit("direction", work.request.direction);
  visit("cache", work.request.cache);
  visit("device", work.device);
  visit("repeat", work.repeat);
  visit("world_size", work.ranks);
  visit("seed", work.request.seed);
  visit("sample_seconds", work.request.effort.sample);
  visit("limit_seconds", work.request.effort.limit);
  visit("most_samples", work.request.effort.most_samples);
  visit("is_second_call", work.request.effort.is_second_call);
}

Json to_json(const Case& c) { return make_object(train_parameters(), c.asked); }

Case plan_case_from_json(const Json& json, const Catalog<ModelEntry>& models,
                         const Catalog<DatasetEntry>& datasets) {
  return make_case(make_record(json, train_parameters(), "case"), models, datasets);
}

Json to_json(const OpWork& work) {
  WireWriter writer;
  writer("sizes", to_string(work.request.sizes));
  parts(writer, work);
  return writer.object;
}

OpWork op_work_from_json(const Json& json) {
  try {
    OpWork work;
    work.request.sizes = parse_op_case(json.at("sizes").get<std::string>(), "sizes of an operation");
    WireReader reader{json};
    parts(reader, work);
    return work;
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorKind::kData, std::string("an operation cannot be read: ") + error.what());
  }
}

}  // namespace gpubench
