#include "engine/execution/work_json.h"

namespace gpubench {
namespace {

constexpr const char* kSources[] = {"real", "auto", "synthetic"};  // In the order of DataSource.

Json source_json(DataSource source) { return kSources[static_cast<std::size_t>(source)]; }

DataSource source_from(const std::string& text) {
  for (const DataSource source : {DataSource::kReal, DataSource::kRealIfPossible, DataSource::kSynthetic}) {
    if (source_json(source) == text) return source;
  }
  throw Error(ErrorKind::kData, "a case has the unknown data source '" + text + "'");
}

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

std::optional<double> optional_from(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional<double>(json.get<double>());
}

Case read(const Json& json, const Catalog<ModelEntry>& models, const Catalog<DatasetEntry>& datasets) {
  Case c;
  c.model = &models.require(json.at("model").get<std::string>(), "model of a case");
  c.sizes = all_sizes(*c.model, json.at("sizes").get<ModelSizes>());
  c.dataset = &datasets.require(json.at("dataset").get<std::string>(), "dataset of a case");
  c.source = source_from(json.at("source").get<std::string>());
  c.device = json.at("device").get<std::string>();
  c.batch_size = json.at("batch").get<std::int64_t>();
  c.mode.execution = execution_named(json.at("execution").get<std::string>());
  c.mode.precision = precision_named(json.at("precision").get<std::string>());
  c.mode.layout = layout_named(json.at("layout").get<std::string>());
  c.mode.loader = loader_named(json.at("loader").get<std::string>());
  c.repeat = json.at("repeat").get<std::int64_t>();
  c.protocol = protocol_named(json.at("protocol").get<std::string>());
  c.stopping.warmup_epochs = json.at("warmup").get<std::int64_t>();
  c.stopping.min_epochs = json.at("min_epochs").get<std::int64_t>();
  c.stopping.max_epochs = json.at("max_epochs").get<std::int64_t>();
  c.stopping.target_cv = optional_from(json.at("target_cv"));
  c.stopping.min_timed = Seconds{json.value("min_timed_seconds", 0.0)};
  c.seed = json.at("seed").get<std::int64_t>();
  c.limit = json.at("limit").get<std::int64_t>();
  c.learning_rate = optional_from(json.at("learning_rate"));
  c.profile_steps = json.at("profile_steps").get<std::int64_t>();
  c.trace = json.at("trace").get<std::string>();
  return c;
}

OpEffort effort_from(const Json& json) {
  return {Seconds{json.at("sample_seconds").get<double>()}, Seconds{json.at("limit_seconds").get<double>()},
          json.at("most_samples").get<std::size_t>(), json.at("is_second_call").get<bool>()};
}

OpWork read(const Json& json) {
  return {json.at("op").get<std::string>(),
          {parse_op_case(json.at("sizes").get<std::string>(), "sizes of an operation"),
           op_type_named(json.at("type").get<std::string>()),
           op_direction_named(json.at("direction").get<std::string>()),
           op_cache_named(json.at("cache").get<std::string>()), json.at("seed").get<std::uint64_t>(),
           effort_from(json)},
          json.at("device").get<std::string>(),
          json.at("repeat").get<std::int64_t>()};
}

}  // namespace

Json to_json(const OpWork& work) {
  const OpRequest& request = work.request;
  return {{"op", work.op},
          {"sizes", to_string(request.sizes)},
          {"type", to_string(request.type)},
          {"direction", to_string(request.direction)},
          {"cache", to_string(request.cache)},
          {"device", work.device},
          {"repeat", work.repeat},
          {"seed", request.seed},
          {"sample_seconds", request.effort.sample.value},
          {"limit_seconds", request.effort.limit.value},
          {"most_samples", request.effort.most_samples},
          {"is_second_call", request.effort.is_second_call}};
}

OpWork op_work_from_json(const Json& json) {
  try {
    return read(json);
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorKind::kData, std::string("an operation cannot be read: ") + error.what());
  }
}

Json to_json(const Case& c) {
  return {{"model", c.model->name},
          {"sizes", c.sizes},
          {"dataset", c.dataset->name},
          {"source", source_json(c.source)},
          {"device", c.device},
          {"batch", c.batch_size},
          {"execution", to_string(c.mode.execution)},
          {"precision", to_string(c.mode.precision)},
          {"layout", to_string(c.mode.layout)},
          {"loader", to_string(c.mode.loader)},
          {"repeat", c.repeat},
          {"protocol", to_string(c.protocol)},
          {"warmup", c.stopping.warmup_epochs},
          {"min_epochs", c.stopping.min_epochs},
          {"max_epochs", c.stopping.max_epochs},
          {"target_cv", optional_json(c.stopping.target_cv)},
          {"min_timed_seconds", c.stopping.min_timed.value},
          {"seed", c.seed},
          {"limit", c.limit},
          {"learning_rate", optional_json(c.learning_rate)},
          {"profile_steps", c.profile_steps},
          {"trace", c.trace}};
}

Case plan_case_from_json(const Json& json, const Catalog<ModelEntry>& models,
                         const Catalog<DatasetEntry>& datasets) {
  try {
    return read(json, models, datasets);
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorKind::kData, std::string("a case cannot be read: ") + error.what());
  }
}

}  // namespace gpubench
