// Time against energy: which cases are worth their joules.

#include <algorithm>

#include <fmt/format.h>

#include "compare/sections.h"
#include "compare/words.h"

namespace gpubench {
namespace {

struct Place {
  const Contender* contender;
  const CaseFigures* figures;
};

double seconds_of(const Place& place) { return place.figures->epoch_seconds.value().value; }
double joules_of(const Place& place) { return place.figures->epoch_joules.value().value; }

/// From fast to slow.
std::vector<Place> places_of(const Comparison& comparison) {
  std::vector<Place> places;
  for (const Contender& contender : comparison.contenders) {
    for (const CaseFigures& figures : contender.cases) {
      const bool has_both = figures.epoch_seconds.has_value() && figures.epoch_joules.has_value();
      if (has_both && figures.epoch_joules.value().value > 0) places.push_back({&contender, &figures});
    }
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return seconds_of(a) < seconds_of(b); });
  return places;
}

/// Whether times and energies of both are of the same work.
bool are_comparable(const Comparison& comparison, const CaseFigures& a, const CaseFigures& b) {
  if (a.model != b.model || a.sizes != b.sizes || a.dataset != b.dataset) return false;
  if (comparison.is_forced) return true;
  const std::vector<Difference> all = differences(a, b);
  return judgement_on(Metric::kTime, all) != Judgement::kRefused &&
         judgement_on(Metric::kEnergy, all) != Judgement::kRefused;
}

bool is_beaten(const Comparison& comparison, const Place& place, const std::vector<Place>& places) {
  return std::any_of(places.begin(), places.end(), [&](const Place& other) {
    return other.contender != place.contender && seconds_of(other) < seconds_of(place) &&
           joules_of(other) < joules_of(place) && are_comparable(comparison, *other.figures, *place.figures);
  });
}

Series& series_of(const std::string& name, Chart& chart) {
  const auto found = std::find_if(chart.series.begin(), chart.series.end(),
                                  [&](const Series& series) { return series.name == name; });
  if (found != chart.series.end()) return *found;
  chart.series.push_back({name, {}});
  return chart.series.back();
}

Point point_of(const Place& place) {
  Point point{seconds_of(place), joules_of(place), {}, {}, case_name(*place.figures)};
  const Reading<Interval>& interval = place.figures->epoch_joules.value().interval;
  if (!interval.has_value()) return point;
  point.low = interval.value().low;
  point.high = interval.value().high;
  return point;
}

Chart front_chart(const Comparison& comparison, const std::vector<Place>& places) {
  Chart chart{"Time and energy of an epoch",
              ChartKind::kPoints,
              {"median epoch", "s", true},
              {"energy of an epoch", "J", true},
              {}};
  for (const Contender& contender : comparison.contenders) {
    for (const Place& place : places) {
      if (place.contender != &contender) continue;
      const char* where = is_beaten(comparison, place, places) ? "beaten" : "on the front";
      series_of(fmt::format("{}, {}", contender.label, where), chart).points.push_back(point_of(place));
    }
  }
  chart.notes = {
      "On the Pareto front: no comparable case of the same model by another contender is both faster and "
      "needs less energy."};
  return chart;
}

}  // namespace

std::vector<Chart> energy_charts(const Comparison& comparison) {
  const std::vector<Place> places = places_of(comparison);
  const bool has_several = std::any_of(places.begin(), places.end(), [&](const Place& place) {
    return place.contender != places.front().contender;
  });
  if (!has_several) return {};
  return {front_chart(comparison, places)};
}

}  // namespace gpubench
