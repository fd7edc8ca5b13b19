#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/run/engine_loader.h"
#include "compare/published.h"
#include "engine/plan/plan.h"
#include "engine/plan/suite.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/utf8.h"
#include "gpubench/power_meter.h"
#include "gpubench/record/row_command.h"
#include "gpubench/record/row_identity.h"
#include "power/log/log_format.h"

namespace gpubench::list_plugin {
namespace {

using Json = nlohmann::ordered_json;

template <class Items, class Function>
Json json_list(const Items& items, Function format_json) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(format_json(item));
  return list;
}

Json model_json(const ModelEntry& entry) {
  // The backward pass costs twice the forward pass, and a multiply-accumulate is two operations.
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
          {"presets", names_in(entry.presets)},
          {"parameters", cost.parameters},
          {"forward_macs", cost.forward_macs},
          {"training_flop", kTrainingFlopPerMac * cost.forward_macs}};
}

/// Returns null for values that the model or the files decide.
Json datasets_json(const std::string& data_dir) {
  return json_list(datasets(), [&](const DatasetEntry& entry) {
    const std::filesystem::path folder = dataset_folder(entry, data_directory(data_dir));
    const auto if_fixed = [&](Json value) { return entry.adapt == nullptr ? value : Json(); };
    return Json{{"name", entry.name},
                {"summary", entry.summary},
                {"sample_shape", if_fixed(entry.spec.sample_shape)},
                {"classes", if_fixed(entry.spec.classes)},
                {"train", if_fixed(entry.sizes.train)},
                {"validation", if_fixed(entry.sizes.validation)},
                {"test", if_fixed(entry.sizes.test)},
                {"folder", folder.string()},
                {"present", entry.is_present(folder)}};
  });
}

Json device_json(const DeviceEntry& entry) {
  std::string why_not;
  Json devices = Json::array();
  for (int i = 0, count = entry.count(why_not); i < count; ++i) {
    const DeviceRecord device = entry.open(i)->record();
    devices.push_back({{"name", device.name}, {"model", device.model}});
  }
  Json kind{{"kind", entry.name}, {"summary", entry.summary}, {"devices", devices}};
  if (devices.empty()) kind["missing"] = {{"devices", why_not}};
  return kind;
}

Json meter_json(const MeterEntry& meter) {
  const SteadyClock clock;
  // Other meters need permissions or a file, or read nothing.
  std::string why_not = meter.is_automatic ? "" : "only with --meter " + meter.name;
  PowerSources sources;
  if (meter.is_automatic) sources = meter.open({"", clock}, why_not);
  const auto source_json = [](const PowerSource& source) {
    const PowerSourceFacts& facts = source.facts;
    std::vector<std::string> quantities{source.read().energy.has_value() ? "energy counter" : "",
                                        facts.power_quantity};
    std::erase(quantities, "");
    return Json{{"part", facts.part},
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

/// Returns the text of a value: "3x32x32" for a list of numbers, the number of items for another list.
std::string cell(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number()) return with_separators(value.get<std::int64_t>());
  if (value.empty()) return "-";
  return value.front().is_number() ? join(mapped(value, cell), "x") : std::to_string(value.size());
}

std::string table_text(const Json& items, const std::vector<std::string>& keys) {
  TextTable table;
  for (const std::string& key : keys) {
    std::string heading = key;
    std::ranges::replace(heading, '_', ' ');
    const bool is_text = items.empty() || items.front().at(key).is_string();
    table.add_column(heading, is_text ? Align::kLeft : Align::kRight);
  }
  for (const Json& item : items)
    table.add_row(mapped(keys, [&](const std::string& key) { return cell(item.at(key)); }));
  return table.to_string(output_width());
}

/// Returns the line, wrapped to the width of stdout.
std::string note_text(const std::string& line) { return join(wrapped(line, output_width()), "\n") + "\n"; }

std::string models_text(const Json& models) {
  std::string text = table_text(models, {"name", "dataset", "parameters", "forward_macs", "summary"});
  text += "forward macs: multiply-accumulates per sample; training needs 6 FLOP for each\n";
  for (const Json& model : models) {
    const auto size_text = [](const Json& size) {
      return fmt::format("{}={}", text_in(size, "name"), size.at("value").get<std::int64_t>());
    };
    const std::string sizes = join(mapped(model.at("sizes"), size_text), ",");
    if (sizes.empty()) continue;
    const auto presets = model.at("presets").get<std::vector<std::string>>();
    text += note_text(text_in(model, "name") + ": --model-arg " + sizes +
                      (presets.empty() ? "" : ", or one of " + join(presets)));
  }
  return text;
}

std::string datasets_text(const Json& known) {
  // The last dataset has only one folder name.
  const std::filesystem::path top = std::filesystem::path(text_in(known.back(), "folder")).parent_path();
  std::vector<std::string> folders;
  for (const Json& one : known)
    add_once(folders, std::filesystem::path(text_in(one, "folder")).lexically_relative(top).string());
  return table_text(known, {"name", "sample_shape", "classes", "train", "validation", "test", "present"}) +
         note_text("Folders in " + top.string() + ": " + join(folders)) +
         note_text(
             "To download a dataset: 'gpubench data fetch NAME'. For random samples: --dataset synthetic") +
         note_text("images, tokens: your own files in the shape of the model (--dataset images:FOLDER)");
}

std::string suites_text(const Json& suites) { return table_text(suites, {"name", "summary", "origin"}); }

std::string ops_text(const Json& ops) {
  return table_text(ops, {"name", "sizes", "published", "small", "summary"}) +
         "published, small: number of cases in these sets (ops --set)\n";
}

std::string devices_text(const Json& kinds) {
  TextTable table({{"device"}, {"model"}});
  for (const Json& kind : kinds) {
    for (const Json& device : kind.at("devices"))
      table.add_row({text_in(device, "name"), text_in(device, "model")});
    if (kind.contains("missing"))
      table.add_row({text_in(kind, "kind"), "none: " + text_in(kind.at("missing"), "devices")});
  }
  return table.to_string(output_width());
}

std::string meters_text(const Json& meters) {
  TextTable table({{"power meter"}, {"reads"}, {"on this machine"}});
  for (const Json& meter : meters) {
    std::string summary = text_in(meter, "summary");
    for (const Json& source : meter.at("sources")) {
      table.add_row({text_in(meter, "name"), std::exchange(summary, ""),
                     fmt::format("{}: {}, {}", text_in(source, "part"), text_in(source, "scope"),
                                 text_in(source, "quantity"))});
    }
    if (meter.contains("missing"))
      table.add_row({text_in(meter, "name"), summary, "none: " + text_in(meter.at("missing"), "sources")});
  }
  return table.to_string(output_width());
}

Json suites_json() {
  std::vector<std::string> faults;
  const std::vector<Suite> suites = all_suites(faults);
  for (const std::string& fault : faults) log_info(fault + "; skipped");
  return json_list(suites, [](const Suite& suite) {
    return Json{{"name", suite.name}, {"summary", suite.summary}, {"origin", suite.origin}};
  });
}

Json publication_json(const std::string& name) {
  const RunRecord run = published_run(name);
  const bool is_of_ops = run.has_operations();
  const std::vector<RowIdentity> rows =
      is_of_ops ? make_identities(run.operations) : make_identities(run.cases);
  std::vector<std::string> devices;
  std::vector<std::string> subjects;
  for (const RowIdentity& row : rows) {
    add_once(devices, row.at("device"));
    add_once(subjects, row.subject());
  }
  return {{"name", name},        {"title", run.published->title},          {"machine", run.environment.host},
          {"devices", devices},  {"workload", is_of_ops ? "op" : "train"}, {"subjects", subjects},
          {"cases", rows.size()}};
}

/// Lists publications and their devices; a machine with its backends is one entry.
Json publications_json() {
  std::vector<std::string> names = published_names();
  std::erase_if(names, [](const std::string& name) { return name.find('/') != name.npos; });
  return json_list(names, publication_json);
}

/// Returns the only name, or "3 devices".
std::string name_or_count(const Json& names, const std::string& what) {
  return names.size() == 1 ? names.front().get<std::string>() : fmt::format("{} {}", names.size(), what);
}

std::string publications_text(const Json& publications) {
  TextTable table({{"published"}, {"device"}, {"cases", Align::kRight}, {"measured"}});
  for (const Json& one : publications) {
    const std::string machine = text_in(one, "machine");
    const Json& devices = one.at("devices");
    table.add_row({text_in(one, "name"),
                   machine.empty() ? name_or_count(devices, "devices")
                                   : machine + ": " + join(devices.get<std::vector<std::string>>()),
                   cell(one.at("cases")),
                   name_or_count(one.at("subjects"), machine.empty() ? "models" : "operations")});
  }
  return table.to_string(output_width()) +
         "To list the commands that measure the same cases: gpubench list published:NAME\n"
         "To compare: gpubench compare run.json published:NAME\n"
         "One device of a machine: published:NAME/DEVICE, such as published:m3-max/mps\n";
}

/// Returns the commands that measure the cases with a published figure, each once.
std::vector<std::string> list_commands(const RunRecord& run) {
  std::vector<std::string> commands;
  for (const CaseRecord& row : run.cases) {
    if (row.status == RowStatus::kOk) add_once(commands, make_command(row));
  }
  for (const OpRecord& row : run.operations) {
    if (!row.call_seconds.empty()) add_once(commands, make_command(row));
  }
  return commands;
}

std::string publication_text(const Json& publication, const RunRecord& run) {
  const std::string name = text_in(publication, "name");
  const bool is_of_ops = run.has_operations();
  std::string text = text_in(publication, "title") + "\n\n";
  if (is_of_ops) text += "gpubench ops --protocol s4    # all of the following\n";
  std::vector<std::string> downloads;
  for (const CaseRecord& row : run.cases) {
    const DatasetEntry* const entry = datasets().find(row.dataset);
    if (entry != nullptr && !entry->files.empty()) add_once(downloads, row.dataset);
  }
  if (!downloads.empty()) text += "gpubench data fetch " + join(downloads, " ") + "\n";
  for (const Json& command : publication.at("commands")) text += command.get<std::string>() + "\n";
  text += "\nTo compare the result: gpubench compare " + std::string(is_of_ops ? "ops" : "run") + ".json " +
          std::string(kPublished) + name + "\n";
  return text;
}

Json log_formats_json() {
  Json formats = Json::array({{{"name", "gpubench"}, {"record_with", "gpubench --power-log log.csv"}}});
  for (const LogTool& tool : log_tools())
    if (tool.command[0] != '\0') formats.push_back({{"name", tool.name}, {"record_with", tool.command}});
  return formats;
}

std::string log_formats_text(const Json& formats) {
  return table_text(formats, {"name", "record_with"}) +
         note_text("Other logs: file import-power --log-format 'time=COLUMN power=COLUMN:W'");
}

struct Options {
  std::string part;  ///< Name of a part, or "published:NAME"; empty: all.
  bool is_json = false;
  std::string data_dir;
};

/// Parts of the list. The table shows the same entries as the JSON.
struct Part {
  std::string name;
  Json (*json)(const std::string& data_dir);
  std::string (*text)(const Json&);
};

const Catalog<Part>& all_parts() {
  using Folder = std::string;
  static const Catalog<Part> parts(
      "part", {{"models", [](const Folder&) { return json_list(model_catalog(), model_json); }, models_text},
               {"datasets", datasets_json, datasets_text},
               {"devices", [](const Folder&) { return json_list(load_engine().device_kinds(), device_json); },
                devices_text},
               {"meters", [](const Folder&) { return json_list(power_meters(), meter_json); }, meters_text},
               {"log-formats", [](const Folder&) { return log_formats_json(); }, log_formats_text},
               {"ops", [](const Folder&) { return json_list(op_catalog(), op_json); }, ops_text},
               {"suites", [](const Folder&) { return suites_json(); }, suites_text},
               {"published", [](const Folder&) { return publications_json(); }, publications_text}});
  return parts;
}

void print_json(const Json& document) {
  print(document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

void list_publication(const std::string& name, bool is_json) {
  const RunRecord run = published_run(name);
  Json publication = publication_json(name);
  publication["commands"] = list_commands(run);
  if (is_json)
    print_json({{"published", {publication}}});
  else
    print(publication_text(publication, run));
}

void list(const Options& options) {
  if (options.part.starts_with(kPublished))
    return list_publication(options.part.substr(kPublished.size()), options.is_json);
  std::vector<Part> parts(all_parts().begin(), all_parts().end());
  if (!options.part.empty()) parts = {all_parts().require(options.part, "list")};
  if (options.is_json) {
    Json document;
    for (const Part& part : parts) document[part.name] = part.json(options.data_dir);
    print_json(document);
  } else {
    print(
        join(mapped(parts, [&](const Part& part) { return part.text(part.json(options.data_dir)); }), "\n"));
  }
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  parser.option("part", "PART", "Part to list (default: all)", options->part).offers([] {
    std::vector<std::string> names = all_parts().names();
    append(names, published_inputs());
    return names;
  });
  parser.flag("--json", "Print JSON", options->is_json);
  add_data_dir(parser, options->data_dir);
  parser.footer("Parts: " + join(all_parts().names()) +
                "\nExamples:\n  gpubench list models\n  gpubench list --json\n"
                "  gpubench list published:rtx-2070-super");
  parser.on_parsed([options] { list(*options); });
}

}  // namespace

CommandEntry entry_list() {
  return {"list", "List models, datasets, devices, ..., published figures", add_options};
}

}  // namespace gpubench::list_plugin
