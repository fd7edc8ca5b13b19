#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/run/engine_loader.h"
#include "engine/machine/facts.h"
#include "engine/plan/plan.h"
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

/// A model with its counted cost.
struct ModelFacts {
  const ModelEntry* entry;
  std::string dataset;  ///< The one that `--dataset auto` picks.
  std::int64_t parameters;
  std::int64_t forward_macs;
};

/// Something whose power can be read here.
struct MeterSource {
  PowerSourceFacts facts;
  std::string quantity;  ///< "energy counter, instantaneous power".
};

/// A power meter and what it finds, or why that is nothing.
struct MeterFacts {
  const MeterEntry* entry;
  std::vector<MeterSource> sources;
  std::string why_not;
};

std::string auto_dataset(const ModelEntry& entry) {
  PlanOptions options;
  options.models = {entry.name};
  return make_plan(options, {"cpu"}, load_engine().models(), datasets()).front().dataset->name;
}

MeterSource describe_source(const PowerSource& source) {
  const bool has_counter = source.read().energy.has_value();
  const std::string power = source.facts.power_quantity;
  const std::string separator = has_counter && !power.empty() ? ", " : "";
  return {source.facts, (has_counter ? "energy counter" : "") + separator + power};
}

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

std::vector<ModelFacts> model_facts() {
  std::vector<ModelFacts> facts;
  for (const ModelEntry& entry : load_engine().models()) {
    const ModelCost cost = load_engine().model_cost(entry);
    facts.push_back({&entry, auto_dataset(entry), cost.parameters, cost.forward_macs});
  }
  return facts;
}

std::vector<MeterFacts> meter_facts() {
  const SteadyClock clock;
  std::vector<MeterFacts> facts;
  for (const MeterEntry& entry : power_meters()) {
    MeterFacts meter{&entry, {}, ""};
    // Other meters need rights or a file, or do nothing.
    if (!entry.is_automatic) meter.why_not = "only when asked for with --meter " + entry.name;
    if (entry.is_automatic) {
      PowerSources sources = entry.open({"", clock}, meter.why_not);
      name_devices(sources, meter.why_not);
      for (const PowerSource& source : sources) meter.sources.push_back(describe_source(source));
    }
    facts.push_back(std::move(meter));
  }
  return facts;
}

/// Backward costs twice the forward pass, and a multiply-accumulate is two operations.
constexpr std::int64_t kTrainingFlopPerMac = 6;

std::string models_text(const DataOptions&) {
  TextTable table({{"model"},
                   {"dataset"},
                   {"parameters", Align::kRight},
                   {"forward MAC", Align::kRight},
                   {"training FLOP", Align::kRight},
                   {"layers"}});
  std::string sizes;
  for (const ModelFacts& model : model_facts()) {
    const ModelEntry& entry = *model.entry;
    if (!entry.options.empty())
      sizes += entry.name + ": --model-arg " + sizes_text(entry, all_sizes(entry, {})) + "\n";
    table.add_row({entry.name, model.dataset, with_separators(model.parameters),
                   with_separators(model.forward_macs),
                   with_separators(kTrainingFlopPerMac * model.forward_macs), entry.summary});
  }
  return table.to_string() + "MAC and FLOP: of one sample\n" + sizes;
}

std::string datasets_text(const DataOptions& data) {
  TextTable table({{"dataset"},
                   {"samples"},
                   {"train", Align::kRight},
                   {"validation", Align::kRight},
                   {"test", Align::kRight},
                   {"here"}});
  for (const auto& [entry, folder, is_present] : dataset_facts(data.data_dir)) {
    table.add_row({entry->name, to_string(entry->spec), with_separators(entry->sizes.train),
                   with_separators(entry->sizes.validation), with_separators(entry->sizes.test),
                   is_present ? folder : "no; " + dataset_remedy(*entry, folder)});
  }
  return table.to_string() + "synthetic: a stand-in for any of them, made on the fly\n";
}

std::string devices_text(const DataOptions&) {
  TextTable table({{"device"}, {"model"}});
  for (const DeviceFacts& kind : device_facts()) {
    for (const DeviceRecord& device : kind.devices) table.add_row({device.name, device.model});
    if (kind.devices.empty()) table.add_row({kind.kind, "none: " + kind.why_not});
  }
  return table.to_string();
}

std::string meters_text(const DataOptions&) {
  TextTable table({{"power meter"}, {"reads"}, {"here"}});
  for (const MeterFacts& meter : meter_facts()) {
    std::string summary = meter.entry->summary;
    for (const MeterSource& source : meter.sources) {
      const PowerSourceFacts& facts = source.facts;
      const std::string device = facts.device.empty() ? "" : " (" + facts.device + ")";
      table.add_row(
          {meter.entry->name, std::exchange(summary, ""),
           fmt::format("{}{}: {}, {}", facts.part, device, to_string(facts.scope), source.quantity)});
    }
    if (meter.sources.empty()) table.add_row({meter.entry->name, summary, "no: " + meter.why_not});
  }
  return table.to_string();
}

std::string ops_text(const DataOptions&) {
  TextTable table(
      {{"operation"}, {"sizes"}, {"published", Align::kRight}, {"small", Align::kRight}, {"what it is"}});
  for (const OpInfo& op : load_engine().operations()) {
    table.add_row({op.name, op.sizes, std::to_string(op.published_cases.size()),
                   std::to_string(op.small_cases.size()), op.summary});
  }
  return table.to_string() + "published, small: rows of these sets\n";
}

/// Returns a list of what `format_json` makes of each item.
template <class Items, class Function>
Json json_list(const Items& items, Function format_json) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(format_json(item));
  return list;
}

Json model_json(const ModelFacts& model) {
  const auto option_json = [](const ModelOption& option) {
    return Json{{"name", option.name},
                {"summary", option.summary},
                {"value", option.value},
                {"minimum", option.minimum},
                {"maximum", option.maximum}};
  };
  return {{"name", model.entry->name},
          {"architecture", model.entry->architecture},
          {"summary", model.entry->summary},
          {"dataset", model.dataset},
          {"sample_shape", model.entry->spec.sample_shape},
          {"sizes", json_list(model.entry->options, option_json)},
          {"parameters", model.parameters},
          {"forward_macs", model.forward_macs},
          {"training_flop", kTrainingFlopPerMac * model.forward_macs}};
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
  if (kind.devices.empty()) entry["absent"] = {{"devices", kind.why_not}};
  return entry;
}

Json meter_json(const MeterFacts& meter) {
  const auto source_json = [](const MeterSource& source) {
    const PowerSourceFacts& facts = source.facts;
    return Json{{"part", facts.part},
                {"device", facts.device.empty() ? Json() : Json(facts.device)},
                {"scope", to_string(facts.scope)},
                {"quantity", source.quantity},
                {"accuracy", facts.accuracy.empty() ? Json() : Json(facts.accuracy)}};
  };
  Json entry{{"name", meter.entry->name},
             {"summary", meter.entry->summary},
             {"automatic", meter.entry->is_automatic},
             {"sources", json_list(meter.sources, source_json)}};
  if (meter.sources.empty()) entry["absent"] = {{"sources", meter.why_not}};
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

struct Options {
  std::string what;  ///< Name of a part; empty: all of them.
  bool is_json = false;
  DataOptions data;
};

/// What can be listed.
struct Part {
  std::string name;
  std::string (*text)(const DataOptions&);
  Json (*json)(const DataOptions&);
};

const std::vector<Part>& all_parts() {
  using Data = DataOptions;
  static const std::vector<Part> parts{
      {"models", models_text, [](const Data&) { return json_list(model_facts(), model_json); }},
      {"datasets", datasets_text,
       [](const Data& data) { return json_list(dataset_facts(data.data_dir), dataset_json); }},
      {"devices", devices_text, [](const Data&) { return json_list(device_facts(), device_json); }},
      {"meters", meters_text, [](const Data&) { return json_list(meter_facts(), meter_json); }},
      {"ops", ops_text, [](const Data&) { return json_list(load_engine().operations(), op_json); }}};
  return parts;
}

std::vector<std::string> part_names() { return names_in(all_parts()); }

ExitCode list(const Options& options) {
  std::vector<Part> parts = all_parts();
  if (!options.what.empty())
    std::erase_if(parts, [&](const Part& part) { return part.name != options.what; });
  require(!parts.empty(), "list: {}", unknown_name_message("kind", options.what, part_names()));
  if (options.is_json) {
    Json document;
    for (const Part& part : parts) document[part.name] = part.json(options.data);
    print(document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  } else {
    print(join(mapped(parts, [&](const Part& part) { return part.text(options.data); }), "\n"));
  }
  return ExitCode::kOk;
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  parser.option("what", "WHAT", either(part_names()) + " (default: all)", options->what).offers(part_names);
  parser.flag("--json", "As JSON", options->is_json);
  add_data_dir(parser, options->data);
  parser.footer("Examples:\n  gpubench list models\n  gpubench list --json");
  parser.on_parsed([options] { return list(*options); });
}

}  // namespace

CommandEntry entry_list() {
  return {"list", "Models with parameters and cost, datasets, devices, meters, operations",
          CommandKind::kListed, add_options};
}

}  // namespace gpubench::list_plugin
