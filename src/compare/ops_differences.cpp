#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compare/field_words.h"
#include "compare/ops_contest.h"
#include "report/table_notes.h"

namespace gpubench {
namespace {

/// Peaks of one model that are further apart were measured on machines in unlike states.
constexpr double kUnlikePeaks = 0.1;

using Sentences = std::vector<std::string>;

const DeviceRecord* device_of(const OpsSide& side) {
  for (const DeviceRecord& device : side.ops->environment.devices) {
    if (device.name == side.device) return &device;
  }
  return nullptr;
}

void mind_side(Sentences& sentences, const OpsSide& side) {
  if (side.ops->published) {
    const PublishedRecord& published = *side.ops->published;
    sentences.push_back(fmt::format("{} was not measured by gpubench, but published: {}. {} {}", side.label,
                                    published.title, published.protocol, published.note));
  } else if (side.ops->settings.protocol == "s4") {
    sentences.push_back(side.label + " has single calls after one other (protocol s4): without intervals.");
  }
  const bool is_cold = std::any_of(side.rows.begin(), side.rows.end(),
                                   [](const OpRecord* row) { return row->cache == OpCache::kCold; });
  if (is_cold) {
    sentences.push_back(
        side.label + " has rows with caches full of other data (cold): they compare with such rows alone.");
  }
}

void add_unlike(Sentences& sentences, const std::string& what, const std::string& left,
                const std::string& right) {
  if (left == right) return;
  sentences.push_back(one_line(fmt::format("{}: {} against {}.", what, left.empty() ? "not told" : left,
                                           right.empty() ? "not told" : right)));
}

Reading<double> fp32_peak(const DeviceRecord& device) {
  if (!device.peak_flops_per_second.has_value()) return absent(device.peak_flops_per_second.reason());
  for (const auto& [name, peak] : device.peak_flops_per_second.value()) {
    if (name == "fp32") return peak;
  }
  return absent("has no fp32");
}

void add_peak(Sentences& sentences, const std::string& what, const std::string& unit,
              const Reading<double>& left, const Reading<double>& right) {
  if (!left.has_value() || !right.has_value() || left.value() <= 0 || right.value() <= 0) return;
  if (std::abs(std::log(right.value() / left.value())) < kUnlikePeaks) return;
  sentences.push_back(
      fmt::format("{} of the same model of device: {} against {}; one of the machines was busy "
                  "or held back.",
                  what, prefixed_text(left.value(), unit), prefixed_text(right.value(), unit)));
}

void compare_devices(Sentences& sentences, const OpsSide& base, const OpsSide& other) {
  const DeviceRecord* left = device_of(base);
  const DeviceRecord* right = device_of(other);
  if (left == nullptr || right == nullptr) return;
  // Unlike models are told where the sides are named.
  if (left->model != right->model) return;
  add_peak(sentences, "Peak in fp32", "FLOP/s", fp32_peak(*left), fp32_peak(*right));
  add_peak(sentences, "Bandwidth", "B/s", left->triad_bytes_per_second, right->triad_bytes_per_second);
}

void compare_machines(Sentences& sentences, const OpsSide& base, const OpsSide& other) {
  const Environment& left = base.ops->environment;
  const Environment& right = other.ops->environment;
  compare_devices(sentences, base, other);
  add_unlike(sentences, "Protocol", base.ops->settings.protocol, other.ops->settings.protocol);
  add_unlike(sentences, "LibTorch", left.libtorch_version, right.libtorch_version);
  if (base.device != "cpu" || other.device != "cpu") return;
  add_unlike(sentences, "CPU", left.cpu, right.cpu);
  add_unlike(sentences, "Threads", std::to_string(left.threads), std::to_string(right.threads));
}

}  // namespace

Sentences ops_differences(const OpsContest& contest, const OpsDuel& duel) {
  const OpsSide& base = contest.base_of(duel);
  const OpsSide& other = contest.other_of(duel);
  Sentences sentences;
  mind_side(sentences, base);
  mind_side(sentences, other);
  if (!base.ops->published && !other.ops->published) compare_machines(sentences, base, other);
  return sentences;
}

}  // namespace gpubench
