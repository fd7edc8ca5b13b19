// Output of `nvidia-smi -q -d POWER -l 1`: a page each time, with a section for each GPU.

#include <algorithm>

#include <fmt/format.h>

#include "gpubench/core/text/fields.h"
#include "gpubench/core/text/quantities.h"
#include "power/log/power_log.h"
#include "power/log/text_lines.h"

namespace gpubench {
namespace {

constexpr std::string_view kPage = "NVSMI LOG";

/// The section of a GPU in one page.
struct Section {
  std::string bus;
  std::size_t line = 0;
  Measured<Watts> power = missing("not in the log");
  bool is_instant = false;
  std::string quantity = "power.draw";
};

/// "Power Draw    : 30.43 W" in parts.
struct Entry {
  std::string_view key;
  std::string_view value;
};

Entry parse_entry(std::string_view line) {
  const std::size_t colon = line.find(" : ");
  if (colon == std::string_view::npos) return {line, ""};
  return {trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 3))};
}

Measured<Watts> parse_watts(std::string_view value, std::size_t line) {
  if (!value.ends_with(" W")) return missing(std::string(value.substr(0, 40)));
  const std::optional<double> watts = parse_decimal(trimmed(value.substr(0, value.size() - 2)));
  if (watts && *watts >= 0) return Watts{*watts};
  refuse_line(line, "the power {} is not a number of watts; correct or remove the line", shown(value));
}

class QueryReader {
 public:
  QueryReader(const std::string& text, TraceCollector& collector) : lines_(text), collector_(collector) {}

  void read() {
    collector_.set_recording_hint("record with --query-gpu=timestamp,index,uuid,power.draw");
    while (lines_.next()) {
      const std::string_view line = lines_.line();
      if (lines_.is_last_and_open() && !line.ends_with('W')) {
        collector_.leave_out_end();
      } else if (line.find(kPage) != std::string_view::npos) {
        add_section();
        stamp_.reset();
      } else if (line.starts_with("GPU ") && line.find(':') != std::string_view::npos && !has_value(line)) {
        add_section();
        section_ = Section{.bus = std::string(line.substr(4)), .line = lines_.number()};
      } else {
        read_entry(parse_entry(line));
      }
    }
    add_section();
  }

 private:
  static bool has_value(std::string_view line) { return line.find(" : ") != std::string_view::npos; }

  void read_entry(const Entry& entry) {
    if (entry.key == "Timestamp") {
      const Measured<Stamp> stamp = parse_worded_stamp(entry.value);
      if (!stamp.has_value()) {
        refuse_line(lines_.number(), "{}: {}; correct or remove the line", shown(entry.value),
                    stamp.reason());
      }
      stamp_ = stamp.value();
    }
    if (entry.value.empty()) heading_ = entry.key;
    const bool is_of_board = heading_ == "GPU Power Readings" || heading_ == "Power Readings";
    if (!section_ || !is_of_board) return;
    const bool is_instant = entry.key == "Instantaneous Power Draw";
    const bool is_power = is_instant || entry.key == "Power Draw" || entry.key == "Average Power Draw";
    if (!is_power || section_->is_instant || (section_->power.has_value() && !is_instant)) return;
    section_->power = parse_watts(entry.value, lines_.number());
    section_->is_instant = is_instant && section_->power.has_value();
    if (section_->is_instant) section_->quantity = "instantaneous power";
  }

  void add_section() {
    if (!section_) return;
    if (!stamp_)
      refuse_line(section_->line, "is not below a Timestamp; record with nvidia-smi -q -d POWER -l 1");
    PowerReading reading = blank_reading();
    reading.power = section_->power;
    const auto facts = [&] {
      return PowerSourceFacts{.meter = "nvidia-smi",
                              .part = "GPU " + section_->bus,
                              .scope = PowerScope::kGpuBoard,
                              .power_quantity = section_->quantity,
                              .is_replayed = true,
                              .gpu = {.pci_address = section_->bus},
                              .resolution = Watts{0.01}};
    };
    collector_.add(section_->bus, facts, {collector_.to_utc(*stamp_), reading}, section_->line);
    section_.reset();
  }

  TextLines lines_;
  TraceCollector& collector_;
  std::optional<Stamp> stamp_;
  std::optional<Section> section_;
  std::string heading_;
};

void collect(const std::string& text, TraceCollector& collector) { QueryReader(text, collector).read(); }

bool is_like(const std::string& text) {
  constexpr std::size_t kBegin = 4096;
  return text.substr(0, kBegin).find(kPage) != std::string::npos;
}

}  // namespace

PowerLogFormat entry_nvidia_smi_query() { return {"nvidia-smi-q", false, is_like, collect}; }

}  // namespace gpubench
