#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/run/engine_loader.h"
#include "engine/machine/facts.h"
#include "engine/plan/plan.h"
#include "engine/plan/suite.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/text_table.h"
#include "gpubench/power_meter.h"
#include "gpubench/record/gpu_match.h"

namespace gpubench::list_plugin {
namespace {

using Json = nlohmann::ordered_json;

/// Names the devices of GPUs. Without LibTorch they stay unnamed.
void name_devices(PowerSources& sources, std::string& why_not) {
  const auto is_unnamed = [](const PowerSource& source) { return source.facts.gpu != GpuIdentity(); };
  if (std::ranges::none_of(sources, is_unnamed)) return;
  try {
    Environment here;
    here.visible_devices = visible_devices();
    assign_gpus(sources, metered_environment(here, usable_gpus(load_engine())), why_not);
  } catch (const Error&) {
  }
}

template <class Items, class Function>
Json json_list(const Items& items, Function format_json) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(format_json(item));
  return list;
}

Json model_json(const ModelEntry& entry) {
  // Backward costs twice the forward pass, and a multiply-accumulate is two operations.
  constexpr std::int64_t kTrainingFlopPerMac = 6;
  TrainGrid grid;
  grid.set("model", entry.name);
  const Case usual = make_case(grid.points().front(), model_catalog(), datasets());
  const ModelCost cost = load_engine().model_cost(entry.name);
  const auto option_json = [](const ModelOption& option) {
    return Json{{"name", option.name},
                {"summary", option.summary},
                {"value", option.value},
                {"minimum", option.minimum},
                {"maximum", option.maximum}};
  };
  return {{"name", entry.name},
          {"architecture", entry.architecture},
          {"summary", entry.summary},
          {"dataset", usual.dataset->name},
          {"sample_shape", entry.spec.sample_shape},
          {"sizes", json_list(entry.options, option_json)},
          {"parameters", cost.parameters},
          {"forward_macs", cost.forward_macs},
          {"training_flop", kTrainingFlopPerMac * cost.forward_macs}};
}

Json dataset_json(const DatasetFacts& facts) {
  const auto& [entry, folder, is_present] = facts;
  return {{"name", entry->name},
          {"summary", entry->summary},
          {"sample_shape", entry->spec.sample_shape},
          {"classes", entry->spec.classes},
          {"train", entry->sizes.train},
          {"validation", entry->sizes.validation},
          {"test", entry->sizes.test},
          {"folder", folder},
          {"present", is_present}};
}

Json device_json(const DeviceFacts& kind) {
  const auto named = [](const DeviceRecord& device) {
    return Json{{"name", device.name}, {"model", device.model}};
  };
  Json entry{{"kind", kind.kind}, {"summary", kind.summary}, {"devices", json_list(kind.devices, named)}};
  if (kind.devices.empty()) entry["missing"] = {{"devices", kind.why_not}};
  return entry;
}

Json meter_json(const MeterEntry& meter) {
  const SteadyClock clock;
  // Other meters need rights or a file, or do nothing.
  std::string why_not = meter.is_automatic ? "" : "read only with --meter " + meter.name;
  PowerSources sources;
  if (meter.is_automatic) {
    sources = meter.open({"", clock}, why_not);
    name_devices(sources, why_not);
  }
  const auto source_json = [](const PowerSource& source) {
    const PowerSourceFacts& facts = source.facts;
    std::vector<std::string> quantities{source.read().energy.has_value() ? "energy counter" : "",
                                        facts.power_quantity};
    std::erase(quantities, "");
    return Json{{"part", facts.part},
                {"device", facts.device.empty() ? Json() : Json(facts.device)},
                {"scope", to_string(facts.scope)},
                {"quantity", join(quantities)},
                {"accuracy", facts.accuracy.empty() ? Json() : Json(facts.accuracy)}};
  };
  Json entry{{"name", meter.name},
             {"summary", meter.summary},
             {"automatic", meter.is_automatic},
             {"sources", json_list(sources, source_json)}};
  if (sources.empty()) entry["missing"] = {{"sources", why_not}};
  return entry;
}

Json op_json(const OpInfo& op) {
  const auto to_text = [](const OpCase& sizes) { return to_string(sizes); };
  return {{"name", op.name},
          {"summary", op.summary},
          {"sizes", op.sizes},
          {"published", json_list(op.published_cases, to_text)},
          {"small", json_list(op.small_cases, to_text)}};
}

std::string text_in(const Json& object, const char* key) { return object.at(key).get<std::string>(); }

std::string number_in(const Json& object, const char* key) {
  return with_separators(object.at(key).get<std::int64_t>());
}

std::string models_text(const Json& models) {
  TextTable table({{"model"},
                   {"dataset"},
                   {"parameters", Align::kRight},
                   {"forward MAC", Align::kRight},
                   {"training FLOP", Align::kRight},
                   {"layers"}});
  std::string sizes;
  for (const Json& model : models) {
    const auto size_text = [](const Json& size) {
      return fmt::format("{}={}", text_in(size, "name"), size.at("value").get<std::int64_t>());
    };
    if (!model.at("sizes").empty())
      sizes +=
          text_in(model, "name") + ": --model-arg " + join(mapped(model.at("sizes"), size_text), ",") + "\n";
    table.add_row({text_in(model, "name"), text_in(model, "dataset"), number_in(model, "parameters"),
                   number_in(model, "forward_macs"), number_in(model, "training_flop"),
                   text_in(model, "summary")});
  }
  return table.to_string() + "MAC and FLOP: of one sample\n" + sizes;
}

std::string datasets_text(const Json& known) {
  TextTable table({{"dataset"},
                   {"samples"},
                   {"train", Align::kRight},
                   {"validation", Align::kRight},
                   {"test", Align::kRight},
                   {"here"}});
  for (const Json& data : known) {
    const DatasetEntry& entry = datasets().require(text_in(data, "name"), "dataset");
    const std::string folder = text_in(data, "folder");
    table.add_row({entry.name, to_string(entry.spec), number_in(data, "train"), number_in(data, "validation"),
                   number_in(data, "test"),
                   data.at("present").get<bool>() ? folder : "no; " + dataset_remedy(entry, folder)});
  }
  return table.to_string() + "synthetic: random samples of the same shape, for any of them\n";
}

std::string devices_text(const Json& kinds) {
  TextTable table({{"device"}, {"model"}});
  for (const Json& kind : kinds) {
    for (const Json& device : kind.at("devices"))
      table.add_row({text_in(device, "name"), text_in(device, "model")});
    if (kind.contains("missing"))
      table.add_row({text_in(kind, "kind"), "none: " + text_in(kind.at("missing"), "devices")});
  }
  return table.to_string();
}

std::string meters_text(const Json& meters) {
  TextTable table({{"power meter"}, {"reads"}, {"here"}});
  for (const Json& meter : meters) {
    std::string summary = text_in(meter, "summary");
    for (const Json& source : meter.at("sources")) {
      const std::string device = source.at("device").is_null() ? "" : " (" + text_in(source, "device") + ")";
      table.add_row({text_in(meter, "name"), std::exchange(summary, ""),
                     fmt::format("{}{}: {}, {}", text_in(source, "part"), device, text_in(source, "scope"),
                                 text_in(source, "quantity"))});
    }
    if (meter.contains("missing"))
      table.add_row({text_in(meter, "name"), summary, "no: " + text_in(meter.at("missing"), "sources")});
  }
  return table.to_string();
}

Json suites_json() {
  std::vector<std::string> faults;
  Json list = Json::array();
  for (const Suite& suite : all_suites(faults))
    list.push_back(Json{{"name", suite.name}, {"summary", suite.summary}, {"origin", suite.origin}});
  for (const std::string& fault : faults) log_info(fault + "; not listed");
  return list;
}

std::string suites_text(const Json& suites) {
  TextTable table({{"suite"}, {"summary"}, {"origin"}});
  for (const Json& suite : suites)
    table.add_row({text_in(suite, "name"), text_in(suite, "summary"), text_in(suite, "origin")});
  return table.to_string();
}

std::string ops_text(const Json& ops) {
  TextTable table(
      {{"operation"}, {"sizes"}, {"published", Align::kRight}, {"small", Align::kRight}, {"summary"}});
  for (const Json& op : ops) {
    table.add_row({text_in(op, "name"), text_in(op, "sizes"), std::to_string(op.at("published").size()),
                   std::to_string(op.at("small").size()), text_in(op, "summary")});
  }
  return table.to_string() + "published, small: rows of these sets\n";
}

struct Options {
  std::string part;  ///< Name of a part; empty: all.
  bool is_json = false;
  DataOptions data;
};

/// Parts of the list. The table shows the same entries as the JSON.
struct Part {
  std::string name;
  Json (*json)(const DataOptions&);
  std::string (*text)(const Json&);
};

const std::vector<Part>& all_parts() {
  using Data = DataOptions;
  static const std::vector<Part> parts{
      {"models", [](const Data&) { return json_list(model_catalog(), model_json); }, models_text},
      {"datasets", [](const Data& data) { return json_list(dataset_facts(data.data_dir), dataset_json); },
       datasets_text},
      {"devices", [](const Data&) { return json_list(device_facts(), device_json); }, devices_text},
      {"meters", [](const Data&) { return json_list(power_meters(), meter_json); }, meters_text},
      {"ops", [](const Data&) { return json_list(op_catalog(), op_json); }, ops_text},
      {"suites", [](const Data&) { return suites_json(); }, suites_text}};
  return parts;
}

std::vector<std::string> part_names() { return names_in(all_parts()); }

ExitCode list(const Options& options) {
  std::vector<Part> parts = all_parts();
  if (!options.part.empty())
    std::erase_if(parts, [&](const Part& part) { return part.name != options.part; });
  require(!parts.empty(), "list: {}", unknown_name_message("part", options.part, part_names()));
  if (options.is_json) {
    Json document;
    for (const Part& part : parts) document[part.name] = part.json(options.data);
    print(document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  } else {
    print(join(mapped(parts, [&](const Part& part) { return part.text(part.json(options.data)); }), "\n"));
  }
  return ExitCode::kOk;
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  parser.option("part", "PART", "Only " + either(part_names()), options->part).offers(part_names);
  parser.flag("--json", "Print JSON", options->is_json);
  add_data_dir(parser, options->data);
  parser.footer("Examples:\n  gpubench list models\n  gpubench list --json");
  parser.on_parsed([options] { return list(*options); });
}

}  // namespace

CommandEntry entry_list() {
  return {"list", "List models, datasets, devices, meters, ops, suites", add_options};
}

}  // namespace gpubench::list_plugin
