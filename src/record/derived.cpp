#include "gpubench/record/derived.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "record/field_value.h"

namespace gpubench {
namespace {

using C = CaseRecord;
using enum MetricClass;

Missing why_absent(const CaseRecord& record, const std::string& otherwise) {
  return missing(record.status == RowStatus::kOk ? otherwise
                                                 : "the case ended as " + to_string(record.status));
}

constexpr std::size_t kLeastEpochs = 2;  // Minimum number of epochs for a trend of blocks.

/// Returns the blocks of the steady epochs; empty if they do not fill whole epochs, as in an edited file.
std::span<const double> steady_blocks(const CaseRecord& record) {
  const std::span<const double> all(record.block_seconds);
  const std::size_t each = record.block_steps.size();
  if (each == 0 || all.size() % each != 0) return {};
  return all.last(each * std::min(all.size() / each, steady_epochs(record).size()));
}

/// Series of times for the trend, with `period` values per epoch.
struct Course {
  std::vector<double> values;
  std::size_t period = 1;
};

Measured<Course> make_course(const CaseRecord& record) {
  const std::size_t each = record.block_steps.size();
  const Measured<std::vector<double>> steps = steady_step_seconds(record);
  if (steps.has_value() && steps.value().size() >= std::max(kLeastEpochs * each, kLeastForTrend))
    return Course{steps.value(), each};
  const std::span<const double> epochs = steady_epochs(record);
  if (epochs.size() >= kLeastForTrend) return Course{{epochs.begin(), epochs.end()}, 1};
  return why_absent(record, fmt::format("fewer than {} epochs after the warm-up",
                                        steps.has_value() ? kLeastEpochs : kLeastForTrend));
}

Measured<std::span<const double>> some_steady_epochs(const CaseRecord& record) {
  const auto steady = steady_epochs(record);
  if (steady.empty()) return why_absent(record, "no epoch after the warm-up");
  return steady;
}

Measured<double> median_epoch(const CaseRecord& record) {
  return epoch_summary(record).then(&Summary::median);
}

double total(const std::vector<double>& seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

/// Checks numbers from files: NaN cannot be sorted, and squares of huge numbers overflow.
bool is_time(double seconds) { return std::isfinite(seconds) && std::abs(seconds) < 1e100; }

Missing no_sequences() { return missing("the samples are not token sequences"); }

Access<C> test_metric(const std::string& name) {
  return derived<C>([name](const C& record) { return find_value(record.test, name); }).in("evaluation");
}

std::vector<std::int64_t> list_outliers(const C& record) {
  return mapped(outliers(steady_epochs(record)), [&](std::size_t position) {
    return record.warmup_epochs + static_cast<std::int64_t>(position) + 1;
  });
}

Measured<double> tokens_per_second(const C& record) {
  if (record.tokens_per_sample == 0) return no_sequences();
  return samples_per_second(record).then(
      [&](double samples) { return samples * static_cast<double>(record.tokens_per_sample); });
}

/// Returns access to a quantile of the latencies of single samples.
Access<C> latency(double part) {
  return derived<C>([part](const C& record) -> Measured<double> {
           if (record.protocol != "single-stream")
             return missing("only protocol single-stream times single samples");
           return step_quantile(record, part);
         })
      .in("latency")
      .optional();
}

Access<C> step_time(double part) {
  return derived<C>([part](const C& record) { return step_quantile(record, part); }).in("blocks").optional();
}

Measured<double> perplexity(const C& record) {
  if (record.tokens_per_sample == 0) return no_sequences();
  return find_value(record.test, "loss").then([](double loss) {
    const double value = std::exp(loss);
    return std::isfinite(value) ? Measured<double>(value) : missing("the loss is too large");
  });
}

Measured<double> elbo(const C& record) {
  return find_value(record.test, "divergence").then([&](double divergence) {
    return find_value(record.test, "reconstruction").then([=](double loss) { return -(loss + divergence); });
  });
}

Measured<double> last_loss(const C& record) {
  // Models with several losses have no metric "loss": use the first metric.
  auto series = std::ranges::find(record.training, "loss", &NamedSeries::value_type::first);
  if (series == record.training.end()) series = record.training.begin();
  if (series == record.training.end() || series->second.empty())
    return why_absent(record, "no epoch finished");
  const double loss = series->second.back();
  if (!std::isfinite(loss)) return missing("the loss of the last epoch is not finite");
  return loss;
}

}  // namespace

std::span<const double> steady_epochs(const CaseRecord& record) {
  const std::span<const double> all(record.epoch_seconds);
  const auto dropped = static_cast<std::size_t>(record.warmup_epochs);
  if (all.size() <= dropped) return {};
  const std::span<const double> steady = all.subspan(dropped);
  return std::ranges::all_of(steady, is_time) ? steady : std::span<const double>();
}

Measured<Summary> epoch_summary(const CaseRecord& record) {
  return some_steady_epochs(record).then(summarize);
}

Measured<Interval> epoch_interval(const CaseRecord& record) {
  return some_steady_epochs(record).then([&](std::span<const double> epochs) {
    const Measured<std::vector<double>> steps = steady_step_seconds(record);
    const bool has_all =
        steps.has_value() && steps.value().size() == epochs.size() * record.block_steps.size();
    return median_interval_by_parts(epochs, has_all ? steps.value() : std::vector<double>());
  });
}

Measured<double> halfwidth(const Measured<Interval>& interval, double median) {
  if (interval.has_value() && median <= 0) return missing("the median is zero");
  return interval.then([=](const Interval& known) { return (known.high - known.low) / 2 / median; });
}

Measured<double> halfwidth_between_runs(std::span<const double> process_medians) {
  if (process_medians.empty()) return missing("no process succeeded");
  const Measured<Interval> interval = median_interval_of_independent(process_medians);
  if (interval.has_value()) return halfwidth(interval, compute_median(process_medians));
  return missing("{}; use --repeat 5", process_medians.size() == 1 ? "only one run" : "only two runs");
}

Measured<double> epoch_cv(const CaseRecord& record) {
  return epoch_summary(record).then([](const Summary& summary) -> Measured<double> {
    if (summary.mean <= 0) return missing("the mean is zero");
    return summary.stddev.then([&](double deviation) { return deviation / summary.mean; });
  });
}

Measured<std::vector<double>> steady_step_seconds(const CaseRecord& record) {
  if (!record.blocks_per_epoch.has_value()) return missing(record.blocks_per_epoch.reason());
  std::vector<double> seconds;
  for (const double block : steady_blocks(record)) {
    const std::int64_t steps = record.block_steps[seconds.size() % record.block_steps.size()];
    seconds.push_back(block / static_cast<double>(steps));
  }
  if (!std::ranges::all_of(seconds, is_time)) return missing("a block has an invalid time");
  if (seconds.empty()) return missing("no epoch after the warm-up has block times");
  return seconds;
}

Measured<double> step_quantile(const CaseRecord& record, double part) {
  return steady_step_seconds(record).then(
      [=](const std::vector<double>& seconds) { return compute_quantile(seconds, part); });
}

Measured<bool> is_steady(const CaseRecord& record) {
  return make_course(record).then(
      [](const Course& course) { return is_level(course.values, course.period); });
}

Measured<double> epoch_slope(const CaseRecord& record) {
  return make_course(record).then([](const Course& course) {
    return compute_trend(course.values, course.period).slope * static_cast<double>(course.period);
  });
}

Measured<double> samples_per_second(const CaseRecord& record) {
  return median_epoch(record).then([&](double median) -> Measured<double> {
    if (median <= 0) return missing("an epoch took no measurable time");
    if (record.train_samples <= 0) return missing("the number of samples per epoch is unknown");
    return static_cast<double>(record.train_samples) / median;
  });
}

Measured<Seconds> startup(const CaseRecord& record) {
  if (record.warmup_epochs == 0) return missing("no warm-up epoch");
  return median_epoch(record).then([&](double median) {
    const double beyond = std::max(0.0, record.epoch_seconds.front() - median);
    return record.setup.then([=](Seconds setup) { return setup + Seconds{beyond}; });
  });
}

Measured<double> find_value(const Measured<NamedValues>& values, const std::string& name) {
  return values.then([&](const NamedValues& all) -> Measured<double> {
    for (const auto& [key, value] : all) {
      if (key == name) return value;
    }
    return missing("the model has no metric called " + name);
  });
}

std::vector<Field<C>> training_figures() {
  return std::vector<Field<C>>({
      {"startup_seconds", "s", "start-up", kInTable, "Start-up time: set-up plus extra time of epoch 1.",
       derived<C>(startup)
           .in("statistics")
           .rank(13)
           .metric({.metric_class = kStartup, .is_series = true, .noun = "start-up time"})},
      {"first_epoch_seconds", "s", "epoch 1", "Time of the first epoch.",
       derived<C>([](const C& record) -> Measured<Seconds> {
         if (record.epoch_seconds.empty()) return why_absent(record, "no epoch finished");
         return Seconds{record.epoch_seconds.front()};
       }).in("statistics")},
      {"median_epoch_seconds", "s", "epoch", kInTable, "Median epoch after the warm-up.",
       derived<C>(median_epoch)
           .in("statistics")
           .rank(6)
           .metric({.is_per_epoch = true, .is_series = true, .main_rank = 5, .noun = "epoch time"})},
      {"epoch_cv", "fraction", "sd", kInTable, "Standard deviation of epochs, as a fraction of the mean.",
       derived<C>(epoch_cv).in("statistics")},
      {"median_epoch_rel_ci95", "fraction", "±", kInTable,
       "Relative half-width of the median's 95 % interval, this process.",
       derived<C>([](const C& record) {
         return median_epoch(record).then(
             [&](double median) { return halfwidth(epoch_interval(record), median); });
       })
           .in("statistics")
           .rank(7)},
      {"outlier_epochs", "", "outliers", "Numbers of outlier epochs, from 1; statistics include them.",
       derived<C>(list_outliers).at_least(1).optional()},
      {"is_stationary", "", "steady", "True if epochs have no trend; null if too few.",
       derived<C>(is_steady)},
      {"p50_step_seconds", "s", "step p50", "Median step time over the blocks after the warm-up.",
       step_time(0.5)},
      {"p99_step_seconds", "s", "step p99", "99th percentile of step time over these blocks.",
       step_time(0.99)},
      {"p50_latency_seconds", "s", "latency p50", kIfUnusual, "Median latency of one sample; single-stream.",
       latency(0.5).rank(3).metric({.metric_class = kLatency, .is_series = true, .main_rank = 2})},
      {"p90_latency_seconds", "s", "latency p90", kIfUnusual, "90th percentile of latency; single-stream.",
       latency(0.9).rank(4).metric({.metric_class = kLatency, .is_series = true})},
      {"p99_latency_seconds", "s", "latency p99", kIfUnusual, "99th percentile of latency; single-stream.",
       latency(0.99).rank(5).metric({.metric_class = kLatency, .is_series = true})},
      {"fit_seconds", "s", "fit", kIfUnusual, "Time of set-up, epochs and validations; protocol `fit`.",
       derived<C>([](const C& record) -> Measured<Seconds> {
         if (record.protocol != "fit") return missing("only protocol fit times a whole fit");
         if (record.status != RowStatus::kOk || record.epoch_seconds.empty())
           return why_absent(record, "no epoch finished");
         const double epochs = total(record.epoch_seconds) + total(record.validation_seconds);
         return record.setup.then([=](Seconds setup) { return setup + Seconds{epochs}; });
       })
           .optional()
           .rank(0)
           .metric({.is_per_epoch = true, .is_series = true, .main_rank = 1, .noun = "fit time"})},
      {"samples_per_second", "samples/s", "samples/s", kInTable,
       "Throughput in samples, from the median epoch.",
       derived<C>(samples_per_second)
           .rank(1)
           .metric({.is_higher_better = true, .main_rank = 3, .noun = "throughput"})},
      {"tokens_per_second", "tokens/s", "tokens/s", kIfUnusual,
       "Throughput in tokens, from the median epoch.",
       derived<C>(tokens_per_second).in("sequences").optional().rank(2).metric({.is_higher_better = true})},
      {"flop_per_token", "FLOP", "FLOP per token", "FLOP of a step per token.",
       derived<C>([](const C& record) -> Measured<double> {
         if (record.tokens_per_sample == 0) return no_sequences();
         return record.train_flop_per_sample.then(
             [&](double flop) { return flop / static_cast<double>(record.tokens_per_sample); });
       })
           .in("sequences")
           .optional()},
      {"peak_bytes", "B", "peak memory", "Peak memory: of the device, or of the process on a CPU.",
       derived<C>(
           [](const C& record) { return record.device == "cpu" ? record.peak_host : record.peak_device; })
           .in("memory")
           .metric({.metric_class = kMemory, .is_series = true})},
      {"accuracy", "fraction", "accuracy", kInTable, "Test accuracy after the last epoch.",
       test_metric("accuracy")
           .at_most(1)
           .rank(9)
           .metric({.metric_class = kQuality, .is_higher_better = true})},
      {"perplexity", "", "perplexity", kIfUnusual, "Test perplexity: exp of the mean loss per token.",
       derived<C>(perplexity)
           .at_least(1)
           .in("sequences")
           .optional()
           .rank(10)
           .metric({.metric_class = kQuality})},
      {"elbo", "", "ELBO", kIfUnusual, "Test evidence lower bound of a VAE, nats per sample.",
       derived<C>(elbo).in("evaluation").optional()},
      {"discriminator_loss", "", "D loss", kIfUnusual, "Test loss of a GAN's discriminator.",
       test_metric("discriminator_loss").optional()},
      {"generator_loss", "", "G loss", kIfUnusual, "Test loss of a GAN's generator.",
       test_metric("generator_loss").optional()},
      {"final_loss", "", "final loss", "Training loss of the last epoch.",
       derived<C>(last_loss).metric({.metric_class = kQuality, .is_series = true})},
  });
}

}  // namespace gpubench
