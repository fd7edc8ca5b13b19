// Output of `nvidia-smi -q -d POWER -l 1`: a page each time, with a section for each GPU.

#include <optional>

#include "gpubench/core/text/quantities.h"
#include "power/log/columns.h"
#include "power/log/trace_collector.h"

namespace gpubench::nvidia_smi_query_plugin {
namespace {

constexpr std::string_view kPage = "NVSMI LOG";
constexpr std::string_view kInstant = "Instantaneous Power Draw";

struct Section {
  std::string bus;
  std::size_t line = 0;
  Measured<Watts> power = missing("not in the log");
  std::string quantity = "power.draw";
};

Measured<Watts> read_watts(std::string_view value, std::size_t line) {
  if (!value.ends_with(" W")) return missing(std::string(value.substr(0, 40)));
  if (const std::optional<Watts> watts = parse_watts(value)) return *watts;
  refuse_line(line, "the power {} is not a number of watts; correct or remove the line", shown(value));
}

class QueryReader {
 public:
  QueryReader(const std::string& text, TraceCollector& collector)
      : lines_(text, &collector), collector_(collector) {}

  void read() {
    while (lines_.next()) read_line(lines_.line());
    add_section();
  }

 private:
  void read_line(std::string_view line) {
    const std::size_t colon = line.find(" : ");
    const bool has_value = colon != std::string_view::npos;
    const std::string_view key = trimmed(line.substr(0, colon));
    const std::string_view value = has_value ? trimmed(line.substr(colon + 3)) : "";
    if (line.find(kPage) != std::string_view::npos) {
      add_section();
      stamp_.reset();
    } else if (line.starts_with("GPU ") && line.find(':') != std::string_view::npos && !has_value) {
      add_section();
      section_ = Section{.bus = std::string(line.substr(4)), .line = lines_.number()};
    } else if (!has_value) {
      is_board_ = key == "GPU Power Readings" || key == "Power Readings";
    } else if (key == "Timestamp") {
      stamp_ = require_stamp(value, lines_.number());
    } else if (section_ && is_board_) {
      read_power(key, value);
    }
  }

  /// Prefers instantaneous power to an average.
  void read_power(std::string_view key, std::string_view value) {
    const bool is_average = key == "Power Draw" || key == "Average Power Draw";
    if (key != kInstant && (!is_average || section_->power.has_value())) return;
    const Measured<Watts> power = read_watts(value, lines_.number());
    if (key == kInstant && !power.has_value()) return;
    section_->power = power;
    if (key == kInstant) section_->quantity = "instantaneous power";
  }

  void add_section() {
    if (!section_) return;
    if (!stamp_) {
      refuse_line(section_->line, "is not below a Timestamp; record with nvidia-smi -q -d POWER -l 1");
    }
    PowerReading reading = blank_reading();
    reading.power = section_->power;
    const auto facts = [&] {
      return PowerSourceFacts{.meter = "nvidia-smi",
                              .part = "GPU " + section_->bus,
                              .scope = PowerScope::kGpuBoard,
                              .power_quantity = section_->quantity,
                              .is_replayed = true,
                              .gpu = {.pci_address = section_->bus}};
    };
    collector_.add(section_->bus, facts, {collector_.to_utc(*stamp_), reading}, section_->line);
    section_.reset();
  }

  TextLines lines_;
  TraceCollector& collector_;
  std::optional<Stamp> stamp_;
  std::optional<Section> section_;
  bool is_board_ = false;
};

void collect(const std::string& text, TraceCollector& collector) { QueryReader(text, collector).read(); }

bool is_like(const std::string& text) {
  constexpr std::size_t kBegin = 4096;
  return text.substr(0, kBegin).find(kPage) != std::string::npos;
}

}  // namespace

PowerLogFormat entry_nvidia_smi_query() { return {"nvidia-smi-q", false, is_like, collect}; }

}  // namespace gpubench::nvidia_smi_query_plugin
