#include "workloads/profile/sums.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace gpubench {
namespace {

constexpr std::string_view kRecurrent = "recurrent";
constexpr std::string_view kAttention = "attention";
constexpr std::string_view kOther = "other";  // Name of a phase and of a kind.

/// Kinds of layers, in the order of results, with prefixes of their operations' names.
struct Kind {
  std::string_view name;
  std::string_view prefixes = {};
};

constexpr Kind kKinds[] = {
    {"convolution", "conv convolution depthwise_conv slow_conv"},
    {"matrix product", "mm addmm bmm baddbmm addbmm matmul linear mv addmv dot einsum"},
    {kRecurrent, "lstm gru rnn"},
    {kAttention, "scaled_dot_product sdp flash_attention efficient_attention multi_head_attention"},
    {"normalization", "batch_norm layer_norm group_norm instance_norm rms_norm local_response_norm"},
    {"activation",
     "relu threshold clamp_min leaky_relu hardtanh hardswish gelu silu elu sigmoid tanh softplus "
     "log_sigmoid softmax"},
    {"pooling", "max_pool avg_pool adaptive_max_pool adaptive_avg_pool"},
    {"dropout", "dropout feature_dropout random"},
    {"loss",
     "cross_entropy log_softmax nll_loss mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy "
     "kl_div"},
    {"embedding", "embedding"},
    {"input"},
    {"optimizer"},
    {"copy and layout",
     "copy to clone contiguous reorder view unsafe_view reshape reshape_alias flatten as_strided expand "
     "permute transpose t slice select narrow squeeze unsqueeze split chunk unbind cat stack constant_pad "
     "index_select memcpy"},
    {kOther}};

// Libraries and variants in front of operation names.
constexpr std::string_view kLibraries[] = {"cudnn", "fused", "miopen", "mkldnn", "mps", "native", "thnn"};

bool is_lower(char c) { return std::islower(static_cast<unsigned char>(c)) != 0; }

/// Converts "autograd::engine::evaluate_function: NativeBatchNormBackward0" to "native_batch_norm_backward0".
std::string to_snake_case(std::string_view name) {
  for (const std::string_view separator : {": ", "::"}) {
    const std::size_t last = name.rfind(separator);
    if (last != std::string_view::npos) name.remove_prefix(last + separator.size());
  }
  std::string words;
  for (const char c : name) {
    const auto lower = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (lower != c && !words.empty() && is_lower(words.back())) words += '_';
    words += lower;
  }
  return words;
}

bool starts_with_word(std::string_view words, std::string_view prefix) {
  return words.starts_with(prefix) && (words.size() == prefix.size() || !is_lower(words[prefix.size()]));
}

std::string_view remove_libraries(std::string_view words) {
  while (true) {
    words.remove_prefix(std::min(words.find_first_not_of('_'), words.size()));
    const auto* const library = std::ranges::find_if(
        kLibraries, [words](std::string_view each) { return starts_with_word(words, each); });
    if (library == std::end(kLibraries)) return words;
    words.remove_prefix(library->size());
  }
}

/// Returns the kind of "aten::mkldnn_convolution" or "ConvolutionBackward0" by the longest prefix, or "".
std::string_view find_kind(std::string_view operation) {
  const std::string all_words = to_snake_case(operation);
  const std::string_view words = remove_libraries(all_words);
  std::string_view found;
  std::size_t longest = 0;
  for (const Kind& kind : kKinds) {
    for (std::string_view rest = kind.prefixes; !rest.empty();) {
      const std::string_view prefix = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(rest.size(), prefix.size() + 1));
      if (prefix.size() <= longest || !starts_with_word(words, prefix)) continue;
      longest = prefix.size();
      found = kind.name;
    }
  }
  return found;
}

/// Phases of a step, in the order of results. Their scopes have the prefix "gpubench.".
constexpr std::string_view kPhases[] = {"input", "forward", "backward", "optimizer", kOther};

bool is_scope(const ProfileEvent& event) { return event.what == ProfileEvent::What::kScope; }

bool is_operation(const ProfileEvent& event) { return event.what == ProfileEvent::What::kOperation; }

bool is_step(const ProfileEvent& event) { return is_scope(event) && event.name == kStepScope; }

std::string_view find_phase(const ProfileEvent& event) {
  constexpr std::string_view kPrefix = "gpubench.";
  if (!is_scope(event) || !event.name.starts_with(kPrefix)) return {};
  const auto* const phase = std::ranges::find(kPhases, std::string_view(event.name).substr(kPrefix.size()));
  return phase == std::end(kPhases) ? std::string_view() : *phase;
}

bool is_phase(const ProfileEvent& event) { return !find_phase(event).empty(); }

/// Returns the phase for all work in "input" and "optimizer", otherwise the kind.
std::string_view kind_in_phase(std::string_view phase, std::string_view kind) {
  return phase == "input" || phase == "optimizer" ? phase : kind;
}

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// Trees of a profile's scopes and operations, one per thread. `all` must outlive it.
class ProfileStudy {
 public:
  explicit ProfileStudy(const std::vector<ProfileEvent>& all)
      : events(all), kinds(all.size(), kOther), parent_(all.size(), kNone), end_(all.size(), 0) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (is_scope(events[i]) || is_operation(events[i])) order_.push_back(i);
    }
    // If two events start together, the longer one encloses the other.
    std::ranges::stable_sort(order_, {}, [this](std::size_t event) {
      return std::pair(events[event].start_ns, -events[event].duration_ns);
    });
    for (const std::size_t event : order_) {
      nest(event);
      // Only the steps of the first thread count, since those of others overlap.
      if (is_step(events[event]) && (steps.empty() || events[event].thread == thread()))
        steps.push_back(event);
    }
  }

  const std::vector<ProfileEvent>& events;
  std::vector<std::size_t> steps;       ///< Steps of one thread, by start.
  std::vector<std::string_view> kinds;  ///< Kind of each event; inherited if unknown or within a composite.

  std::uint64_t thread() const { return events[steps.front()].thread; }

  /// Returns the duration, limited to the end of the parent.
  std::int64_t duration_ns(std::size_t event) const { return end_[event] - events[event].start_ns; }

  /// Returns the innermost event on the thread at a time, or kNone.
  std::size_t at(std::uint64_t thread, std::int64_t time_ns) const {
    const auto found = threads_.find(thread);
    if (found == threads_.end()) return kNone;
    const auto later = std::ranges::upper_bound(found->second, time_ns, {},
                                                [this](std::size_t event) { return events[event].start_ns; });
    std::size_t event = later == found->second.begin() ? kNone : *std::prev(later);
    while (event != kNone && end_[event] <= time_ns) event = parent_[event];
    return event;
  }

  /// Returns `event` or its nearest ancestor that fits, or kNone.
  template <class Predicate>
  std::size_t nearest(std::size_t event, Predicate fits) const {
    while (event != kNone && !fits(events[event])) event = parent_[event];
    return event;
  }

  /// Returns the durations of the events that fit, without nested events that fit.
  template <class Predicate>
  std::vector<std::int64_t> self_ns(Predicate fits) const {
    std::vector<std::int64_t> self(events.size(), 0);
    for (const std::size_t event : order_) {
      if (!fits(events[event])) continue;
      self[event] += duration_ns(event);
      const std::size_t outer = nearest(parent_[event], fits);
      if (outer != kNone) self[outer] -= duration_ns(event);
    }
    return self;
  }

  /// Returns the phase at a time; empty outside of steps. Needs at least one step.
  std::string_view phase_at(std::int64_t time_ns) const {
    const std::size_t inner = at(thread(), time_ns);
    if (nearest(inner, is_step) == kNone) return {};
    const std::size_t scope = nearest(inner, is_phase);
    return scope == kNone ? kOther : find_phase(events[scope]);
  }

 private:
  void nest(std::size_t event) {
    const ProfileEvent& e = events[event];
    const std::size_t around = at(e.thread, e.start_ns);
    parent_[event] = around;
    end_[event] = around == kNone ? e.end_ns() : std::min(e.end_ns(), end_[around]);
    threads_[e.thread].push_back(event);
    if (around != kNone) kinds[event] = kinds[around];
    // Operations of other kinds in these count as the same kind.
    const bool is_composite = kinds[event] == kRecurrent || kinds[event] == kAttention;
    if (is_composite || !is_operation(e)) return;
    const std::string_view own = find_kind(e.name);
    if (!own.empty()) kinds[event] = own;
  }

  std::vector<std::size_t> order_;  // Scopes and operations by start, outer ones first.
  std::vector<std::size_t> parent_;
  std::vector<std::int64_t> end_;
  std::map<std::uint64_t, std::vector<std::size_t>> threads_;  // Events per thread, in the order of order_.
};

struct DeviceWork {
  std::int64_t start_ns;
  std::int64_t end_ns;
  std::string_view phase;  ///< Phase of the launch, or "other".
  std::string_view kind;
};

/// Returns the time of each. Overlapping work shares its time equally.
std::vector<double> shares_ns(const std::vector<DeviceWork>& all) {
  std::multimap<std::int64_t, std::size_t> edges;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].end_ns > all[i].start_ns) edges.insert({{all[i].start_ns, i}, {all[i].end_ns, i}});
  }
  std::vector<double> shares(all.size(), 0);
  std::set<std::size_t> running;
  std::int64_t before = 0;
  for (const auto& [time_ns, work] : edges) {
    for (const std::size_t i : running) {
      shares[i] += static_cast<double>(time_ns - before) / static_cast<double>(running.size());
    }
    before = time_ns;
    // Each has two edges; the first is the start.
    if (running.erase(work) == 0) running.insert(work);
  }
  return shares;
}

DeviceWork describe(const ProfileStudy& study, const ProfileEvent& work, std::size_t launch,
                    std::size_t operation) {
  const std::size_t origin = launch == kNone ? operation : launch;
  std::string_view phase;
  if (origin != kNone)
    phase = study.phase_at(study.events[origin].start_ns);
  else if (work.start_ns >= study.events[study.steps.front()].start_ns)
    phase = kOther;
  // Only the first word is a name: "Memcpy HtoD (Pinned -> Device)".
  std::string_view kind =
      operation != kNone ? study.kinds[operation] : find_kind(work.name.substr(0, work.name.find(' ')));
  if (kind.empty()) kind = kOther;
  return {work.start_ns, work.end_ns(), phase, kind_in_phase(phase, kind)};
}

/// Returns work launched in the steps, and work without a launch after the first step began.
std::vector<DeviceWork> list_work(const ProfileStudy& study) {
  using Positions = std::unordered_map<std::uint64_t, std::size_t>;  // Positions of events by id.
  Positions launches;
  Positions operations;
  for (std::size_t i = 0; i < study.events.size(); ++i) {
    const ProfileEvent& event = study.events[i];
    if (event.what == ProfileEvent::What::kLaunch) launches[event.launch_id] = i;
    if (is_operation(event)) operations[event.id] = i;
  }
  const auto find = [](const Positions& positions, std::uint64_t id) {
    const auto found = positions.find(id);
    return id == 0 || found == positions.end() ? kNone : found->second;
  };
  std::vector<DeviceWork> all;
  for (const ProfileEvent& event : study.events) {
    if (event.what != ProfileEvent::What::kDeviceWork) continue;
    const DeviceWork work =
        describe(study, event, find(launches, event.launch_id), find(operations, event.operation_id));
    if (!work.phase.empty()) all.push_back(work);
  }
  return all;
}

struct Sums {
  std::map<std::string_view, double> phases;
  std::map<std::string_view, double> layers;
  double whole = 0;
};

void add_up_host(const ProfileStudy& study, Sums& sums) {
  const std::vector<std::int64_t> phase_ns = study.self_ns(is_phase);
  const std::vector<std::int64_t> operation_ns = study.self_ns(is_operation);
  for (std::size_t i = 0; i < study.events.size(); ++i) {
    const ProfileEvent& event = study.events[i];
    if (is_phase(event) && study.nearest(i, is_step) != kNone && event.thread == study.thread())
      sums.phases[find_phase(event)] += static_cast<double>(phase_ns[i]);
    if (!is_operation(event)) continue;
    const std::string_view phase = study.phase_at(event.start_ns);
    if (!phase.empty())
      sums.layers[kind_in_phase(phase, study.kinds[i])] += static_cast<double>(operation_ns[i]);
  }
  for (const std::size_t step : study.steps) sums.whole += static_cast<double>(study.duration_ns(step));
}

void add_up_device(const ProfileStudy& study, const std::vector<DeviceWork>& all, Sums& sums) {
  const std::vector<double> shares = shares_ns(all);
  // The device may finish long after the host.
  std::int64_t end_ns = study.events[study.steps.back()].end_ns();
  for (std::size_t i = 0; i < all.size(); ++i) {
    sums.phases[all[i].phase] += shares[i];
    sums.layers[all[i].kind] += shares[i];
    end_ns = std::max(end_ns, all[i].end_ns);
  }
  sums.whole = static_cast<double>(end_ns - study.events[study.steps.front()].start_ns);
}

StepProfile summarize_steps(std::size_t steps, Sums sums) {
  sums.phases[kOther] = 0;
  double known = 0;
  for (const auto& [phase, time] : sums.phases) known += time;
  // Rounding may make the sum exceed the whole.
  sums.phases[kOther] = std::max(0.0, sums.whole - known);
  StepProfile profile;
  const double to_seconds = 1e-9 / static_cast<double>(steps);
  for (const std::string_view phase : kPhases) {
    const auto sum = sums.phases.find(phase);
    if (sum != sums.phases.end()) profile.phases.emplace_back(phase, sum->second * to_seconds);
  }
  for (const Kind& kind : kKinds) {
    const auto sum = sums.layers.find(kind.name);
    if (sum != sums.layers.end()) profile.layers.emplace_back(kind.name, sum->second * to_seconds);
  }
  return profile;
}

}  // namespace

Measured<StepProfile> make_profile(const std::vector<ProfileEvent>& events, ProfileTarget target) {
  const ProfileStudy study(events);
  if (study.steps.empty()) return missing("the profiler recorded no step");
  Sums sums;
  for (const ProfileEvent& event : events) {
    if (is_phase(event)) sums.phases[find_phase(event)] = 0;  // Marked phases are listed even if empty.
  }
  if (target == ProfileTarget::kHost) {
    add_up_host(study, sums);
  } else {
    const std::vector<DeviceWork> work = list_work(study);
    if (work.empty())
      return missing(
          "the profiler recorded no device work; another profiler may be active, or CUPTI is missing");
    add_up_device(study, work, sums);
  }
  return summarize_steps(study.steps.size(), std::move(sums));
}

}  // namespace gpubench
