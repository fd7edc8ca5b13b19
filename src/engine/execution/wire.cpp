#include "engine/execution/wire.h"

namespace gpubench {

static constexpr std::array kDataSourceNames{"real", "auto", "synthetic"};
static EnumNames<DataSource> enum_names(DataSource) { return {"data source", kDataSourceNames}; }

/// Without model, sizes and dataset, which need the catalogs.
static void parts(auto& visit, Like<Case> auto& c) {
  visit("source", c.source);
  visit("device", c.device);
  visit("batch_size", c.batch_size);
  visit("world_size", c.ranks);
  visit("execution", c.mode.execution);
  visit("precision", c.mode.precision);
  visit("layout", c.mode.layout);
  visit("loader", c.mode.loader);
  visit("repeat", c.repeat);
  visit("protocol", c.protocol);
  visit("warmup", c.stopping.warmup_epochs);
  visit("min_epochs", c.stopping.min_epochs);
  visit("max_epochs", c.stopping.max_epochs);
  visit("target_rel_ci95", c.stopping.target_rel_ci95);
  visit("min_timed_seconds", c.stopping.min_timed);
  visit("seed", c.seed);
  visit("max_samples", c.limit);
  visit("learning_rate", c.learning_rate);
  visit("profile_steps", c.profile_steps);
  visit("trace", c.trace);
}

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

Json to_json(const Case& c) {
  WireWriter writer;
  writer("model", c.model->name);
  writer("sizes", c.sizes);
  writer("dataset", c.dataset->name);
  parts(writer, c);
  return writer.object;
}

Case plan_case_from_json(const Json& json, const Catalog<ModelEntry>& models,
                         const Catalog<DatasetEntry>& datasets) {
  try {
    Case c;
    c.model = &models.require(json.at("model").get<std::string>(), "model of a case");
    WireReader reader{json};
    ModelSizes sizes;
    reader("sizes", sizes);
    c.sizes = all_sizes(*c.model, sizes);
    c.dataset = &datasets.require(json.at("dataset").get<std::string>(), "dataset of a case");
    parts(reader, c);
    return c;
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorKind::kData, std::string("a case cannot be read: ") + error.what());
  }
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
