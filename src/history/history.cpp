#include "history/history.h"

#include <algorithm>
#include <set>
#include <utility>

#include "compare/rows.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/nearest.h"
#include "record/document/json.h"

namespace gpubench {
namespace {

/// Returns the identity without the index of its device: "cuda" for "cuda:1".
RowIdentity without_index(const RowIdentity& identity) {
  const std::string& device = identity.at("device");
  return identity.with("device", device.substr(0, device.find(':')));
}

/// Returns the full name, including the parts that make_name() omits.
std::string describe_work(const RowIdentity& identity) {
  std::string name = make_name(identity);
  for (const RowIdentity::Part& part : identity.parts()) {
    if (part.key->in_name == InName::kOnlyIfDifferent && !part.value.empty())
      name.append(part.key->before).append(part.value).append(part.key->after);
  }
  return name;
}

std::string describe_machine(const Candidate& candidate, const Environment& environment) {
  const std::string& model = candidate.device.model;
  if (model.empty() || model == environment.cpu) return environment.cpu;
  return environment.cpu.empty() ? model : model + ", " + environment.cpu;
}

std::vector<RunId> list_runs_to_index(Store& store) {
  std::vector<RunId> runs;
  Statement query = store.database().query(
      "SELECT id, finished_at = '' FROM run WHERE is_indexed = 0 ORDER BY finished_at = '', id");
  while (query.step()) {
    if (query.integer(1) == 0 || !store.is_claimed(query.integer(0))) runs.push_back(query.integer(0));
  }
  return runs;
}

/// Returns the series of the row. Adds it if it is new.
std::int64_t get_series(const Store& store, const ComparedRow& row, const Candidate& candidate,
                        const Environment& environment) {
  const std::string key = series_key(row, candidate);
  store.database().run("INSERT INTO series (key, name, machine) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", key,
                       describe_work(without_index(row.identity)), describe_machine(candidate, environment));
  return find_series(store, key).value();
}

void add_point(const Store& store, std::int64_t series, RunId run, const RunRecord& record,
               const MetricSamples& samples, const ComparedRow& row) {
  const Estimate& estimate = samples.estimate.value();
  const auto find_end = [&](double Interval::*end) {
    return estimate.interval.has_value() ? std::optional(estimate.interval.value().*end) : std::nullopt;
  };
  store.database().run(
      "INSERT INTO point (series, started_at, run, metric, value, low, high, processes, is_warned, host) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      series, record.tool.started_at, run, samples.metric->key, estimate.value, find_end(&Interval::low),
      find_end(&Interval::high), row.processes, find_condition(row, "disturbed") == "yes",
      record.environment.host);
}

void add_points(const Store& store, RunId id, const RunRecord& run) {
  std::set<std::int64_t> known;
  for (const Candidate& candidate : make_candidates(run, "")) {
    for (const ComparedRow& row : candidate.rows) {
      if (!row.is_ok) continue;
      const std::int64_t series = get_series(store, row, candidate, run.environment);
      if (!known.insert(series).second) continue;
      bool has_point = false;
      for (const MetricSamples& samples : row.metrics) {
        if (!samples.metric->use->is_series || !samples.estimate.has_value()) continue;
        add_point(store, series, id, run, samples, row);
        has_point = true;
      }
      if (has_point) store.database().run("UPDATE series SET runs = runs + 1 WHERE id = ?", series);
    }
  }
}

/// Returns the run; without rows if they cannot be read.
RunRecord load_readable(const Store& store, RunId run) {
  try {
    return store.load_run(run);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kData) throw;
    log_info("store {}: run {} is missing in the history: {}", store.path().string(), run, error.what());
    return {};
  }
}

void index_run(Store& store, RunId id) {
  const RunRecord run = load_readable(store, id);
  Transaction transaction(store.database());
  store.remove_points(id);
  if (!run.plan.interleaved_run.has_value()) add_points(store, id, run);
  store.database().run("UPDATE run SET is_indexed = 1 WHERE id = ?", id);
  transaction.commit();
}

}  // namespace

MetricChoice series_metrics() {
  MetricChoice metrics = all_metrics();
  std::erase_if(metrics, [](const Metric* metric) { return !metric->use->is_series; });
  std::ranges::stable_sort(metrics, {}, [](const Metric* metric) {
    return metric->use->main_rank > 0 ? metric->use->main_rank : kUnranked;
  });
  return metrics;
}

MetricChoice choose_metrics(const std::string& word, const std::string& option) {
  MetricChoice metrics = series_metrics();
  std::erase_if(metrics, [&](const Metric* metric) {
    return !word.empty() && metric->key != word && to_string(metric->use->metric_class) != word;
  });
  if (metrics.empty()) throw_unknown_name(option, "metric", word, metric_words());
  return metrics;
}

std::vector<std::string> metric_words() {
  std::vector<std::string> words;
  for (const Metric* metric : series_metrics()) add_once(words, to_string(metric->use->metric_class));
  append(words, mapped(series_metrics(), &Metric::key));
  return words;
}

void index_runs(Store& store) {
  for (const RunId run : list_runs_to_index(store)) index_run(store, run);
}

bool has_runs_to_index(const Store& store) {
  return store.database().query("SELECT 1 FROM run WHERE is_indexed = 0").step();
}

std::vector<HistorySeries> load_series(const Store& store) {
  std::vector<HistorySeries> all;
  Statement query = store.database().query(
      "SELECT id, name, machine, runs, (SELECT min(started_at) FROM point WHERE series = series.id), "
      "(SELECT max(started_at) FROM point WHERE series = series.id) FROM series WHERE runs > 0 ORDER BY id");
  while (query.step()) {
    all.push_back(
        {query.integer(0), query.text(1), query.text(2), query.integer(3), query.text(4), query.text(5)});
  }
  return all;
}

SeriesPoints load_points(const Store& store, std::int64_t series, const MetricChoice& metrics,
                         std::size_t most, const std::string& before) {
  for (const Metric* metric : metrics) {
    std::vector<SeriesPoint> points;
    Statement query = store.database().query(
        "SELECT run, started_at, value, low, high, processes, is_warned, host FROM point "
        "WHERE series = ? AND metric = ? AND (? = '' OR started_at < ?) "
        "ORDER BY started_at DESC, run DESC LIMIT ?",
        series, metric->key, before, before, most);
    while (query.step()) {
      SeriesPoint point{{query.number(2)}, query.integer(0),      query.text(1),
                        query.integer(5),  query.integer(6) != 0, query.text(7)};
      if (!query.is_null(3)) point.interval = Interval{query.number(3), query.number(4)};
      points.push_back(std::move(point));
    }
    std::ranges::reverse(points);
    if (!points.empty()) return {metric, std::move(points)};
  }
  return {};
}

std::string series_key(const ComparedRow& row, const Candidate& candidate) {
  const RowIdentity identity = without_index(row.identity);
  Json key = Json::object();
  for (const RowIdentity::Part& part : identity.parts()) key[std::string(part.key->key)] = part.value;
  for (const Conditions& conditions : {candidate.conditions, row.conditions}) {
    for (const Condition& condition : conditions) {
      if (condition.is_setting && condition.name != kChangedFile)
        key[std::string(condition.name)] = condition.value;
    }
  }
  return json_text(key);
}

std::optional<std::int64_t> find_series(const Store& store, const std::string& key) {
  Statement query = store.database().query("SELECT id FROM series WHERE key = ?", key);
  return query.step() ? std::optional(query.integer(0)) : std::nullopt;
}

const SeriesRun* SeriesRuns::find(RunId run, std::int64_t series) {
  auto known = runs_.find(run);
  if (known == runs_.end()) known = runs_.emplace(run, load(run)).first;
  const auto row = known->second.find(series);
  return row == known->second.end() ? nullptr : &row->second;
}

SeriesRuns::Rows SeriesRuns::load(RunId id) const {
  const RunRecord run = store_.load_run(id);
  Rows rows;
  for (Candidate& candidate : make_candidates(run, "")) {
    for (const ComparedRow& row : std::exchange(candidate.rows, {})) {
      if (const auto series = find_series(store_, series_key(row, candidate)))
        rows.emplace(*series, SeriesRun{candidate, row});
    }
  }
  return rows;
}

std::vector<Difference> list_changes(const SeriesRun& before, const SeriesRun& after) {
  std::vector<Difference> changes =
      compare_conditions(before.candidate.conditions, after.candidate.conditions);
  append(changes, compare_conditions(before.row.conditions, after.row.conditions));
  // Doubtful conditions describe the quality of a measurement, not a change of the machine.
  const auto is_doubtful = [](const auto& side, const Difference& change) {
    const auto found = std::ranges::find(side.conditions, change.what, &Condition::name);
    return found != side.conditions.end() && found->is_doubtful;
  };
  std::erase_if(changes, [&](const Difference& change) {
    return change.left == change.right || is_doubtful(before.candidate, change) ||
           is_doubtful(after.candidate, change) || is_doubtful(before.row, change) ||
           is_doubtful(after.row, change);
  });
  return changes;
}

}  // namespace gpubench
