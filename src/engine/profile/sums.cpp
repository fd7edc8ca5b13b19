#include "engine/profile/sums.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gpubench {
namespace {

constexpr std::string_view kRecurrent = "recurrent";
constexpr std::string_view kAttention = "attention";

constexpr std::string_view kKinds[] = {
    "convolution", "matrix product", kRecurrent,  kAttention, "normalization", "activation",      "pooling",
    "dropout",     "loss",           "embedding", kInputKind, kOptimizerKind,  "copy and layout", kOtherKind};

/// What the names of operations of each kind begin with. Whole words: "mm" is the start of "mm_backward0",
/// but not of "mmap".
struct Rule {
  std::string_view kind;
  std::vector<std::string_view> prefixes;
};

const Rule kRules[] = {
    {"convolution", {"conv", "convolution", "depthwise_conv", "slow_conv"}},
    {"matrix product",
     {"mm", "addmm", "bmm", "baddbmm", "addbmm", "matmul", "linear", "mv", "addmv", "dot", "einsum"}},
    {kRecurrent, {"lstm", "gru", "rnn"}},
    {kAttention,
     {"scaled_dot_product", "sdp", "flash_attention", "efficient_attention", "multi_head_attention"}},
    {"normalization",
     {"batch_norm", "layer_norm", "group_norm", "instance_norm", "rms_norm", "local_response_norm"}},
    {"activation",
     {"relu", "threshold", "clamp_min", "leaky_relu", "hardtanh", "hardswish", "gelu", "silu", "elu",
      "sigmoid", "tanh", "softplus", "log_sigmoid", "softmax"}},
    {"pooling", {"max_pool", "avg_pool", "adaptive_max_pool", "adaptive_avg_pool"}},
    {"dropout", {"dropout", "feature_dropout", "random"}},
    {"loss",
     {"cross_entropy", "log_softmax", "nll_loss", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss",
      "binary_cross_entropy", "kl_div"}},
    {"embedding", {"embedding"}},
    {"copy and layout", {"copy",         "to",           "clone",   "contiguous",    "reorder",
                         "view",         "unsafe_view",  "reshape", "reshape_alias", "flatten",
                         "as_strided",   "expand",       "permute", "transpose",     "t",
                         "slice",        "select",       "narrow",  "squeeze",       "unsqueeze",
                         "split",        "chunk",        "unbind",  "cat",           "stack",
                         "constant_pad", "index_select", "memcpy"}},
};

// Who made the kernel, which says nothing about what it computes.
constexpr std::string_view kMakers[] = {"cudnn", "fused", "miopen", "mkldnn", "mps", "native", "thnn"};

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool is_lower(char c) { return std::islower(static_cast<unsigned char>(c)) != 0; }

/// "autograd::engine::evaluate_function: NativeBatchNormBackward0" to "native_batch_norm_backward0".
std::string format_words(std::string_view name) {
  for (const std::string_view separator : {": ", "::"}) {
    const std::size_t last = name.rfind(separator);
    if (last != std::string_view::npos) name.remove_prefix(last + separator.size());
  }
  std::string words;
  for (const char c : name) {
    if (is_upper(c) && !words.empty() && is_lower(words.back())) words += '_';
    words += lower(c);
  }
  return words;
}

bool starts_with_word(std::string_view words, std::string_view prefix) {
  return words.starts_with(prefix) && (words.size() == prefix.size() || !is_lower(words[prefix.size()]));
}

std::string_view without_makers(std::string_view words) {
  const auto strip = [&words] {
    words.remove_prefix(std::min(words.find_first_not_of('_'), words.size()));
    const auto is_first = [&words](std::string_view maker) { return starts_with_word(words, maker); };
    const auto* const maker = std::ranges::find_if(kMakers, is_first);
    if (maker == std::end(kMakers)) return false;
    words.remove_prefix(maker->size());
    return true;
  };
  while (strip()) continue;
  return words;
}

}  // namespace

std::span<const std::string_view> layer_kinds() { return kKinds; }

std::string_view layer_kind(std::string_view operation) {
  const std::string all_words = format_words(operation);
  const std::string_view words = without_makers(all_words);
  std::string_view kind;
  std::size_t longest = 0;  // The longest prefix that fits decides.
  for (const Rule& rule : kRules) {
    for (const std::string_view prefix : rule.prefixes) {
      if (prefix.size() <= longest || !starts_with_word(words, prefix)) continue;
      longest = prefix.size();
      kind = rule.kind;
    }
  }
  return kind;
}

bool is_composite(std::string_view kind) { return kind == kRecurrent || kind == kAttention; }

namespace {

/// The phases of a step in the order in which results list them; what is in none of the others is the last.
constexpr std::string_view kOtherPhase = "other";
constexpr std::array<std::string_view, 5> kPhases{"input", "forward", "backward", "optimizer", kOtherPhase};

bool is_operation(const ProfileEvent& event) { return event.what == ProfileEvent::What::kOperation; }

bool is_step(const ProfileEvent& event) {
  return event.what == ProfileEvent::What::kScope && event.name == kStepScope;
}

/// The phase that the event marks; empty where it marks none.
std::string_view find_phase(const ProfileEvent& event) {
  std::string_view name = event.name;
  if (event.what != ProfileEvent::What::kScope || !name.starts_with(kScopePrefix)) return {};
  name.remove_prefix(kScopePrefix.size());
  const auto* const phase = std::ranges::find(kPhases, name);
  return phase == kPhases.end() ? std::string_view() : *phase;
}

bool is_phase(const ProfileEvent& event) { return !find_phase(event).empty(); }

/// The kind of an operation that is `kind` by itself: what is done for input and optimiser is theirs.
std::string_view kind_in_phase(std::string_view phase, std::string_view kind) {
  if (phase == "input") return kInputKind;
  return phase == "optimizer" ? kOptimizerKind : kind;
}

/// No event.
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// The scopes and operations of a profile as trees, thread by thread, with the kinds of operations and with
/// the steps. Looks at `events`, which must outlive it; they are told by their positions in it.
class ProfileStudy {
 public:
  explicit ProfileStudy(const std::vector<ProfileEvent>& all)
      : events(all), parent_(all.size(), kNone), end_(all.size(), 0), kinds_(all.size(), kOtherKind) {
    sort();
    for (const std::size_t event : order_) {
      nest(event);
      find_kind(event);
      const bool is_of_steps = is_step(events[event]) && (steps.empty() || events[event].thread == thread());
      if (is_of_steps) steps.push_back(event);
    }
  }

  const std::vector<ProfileEvent>& events;
  std::vector<std::size_t> steps;  ///< By their start, those of one thread.

  /// The thread of the steps. Parts that another thread marks would overlap with theirs. There must be steps.
  std::uint64_t thread() const { return events[steps.front()].thread; }

  /// All scopes and operations by their start; what surrounds comes before what is inside.
  const std::vector<std::size_t>& in_order() const { return order_; }

  /// Its duration within its parent's: clocks that are read one after the other may disagree by a little.
  std::int64_t duration_ns(std::size_t event) const { return end_[event] - events[event].start_ns; }

  /// One of layer_kinds(). What has no kind by its name has that of what it lies in. Inside of composite
  /// layers everything is theirs, as is the backward pass of it.
  std::string_view kind(std::size_t event) const { return kinds_[event]; }

  /// The innermost one on the thread at that time; kNone where there is none.
  std::size_t at(std::uint64_t thread, std::int64_t time_ns) const {
    const auto found = threads_.find(thread);
    if (found == threads_.end()) return kNone;
    const auto find_start = [this](std::size_t event) { return events[event].start_ns; };
    const auto later = std::ranges::upper_bound(found->second, time_ns, {}, find_start);
    std::size_t event = later == found->second.begin() ? kNone : *std::prev(later);
    while (event != kNone && end_[event] <= time_ns) event = parent_[event];
    return event;
  }

  /// The innermost one, `event` or around it, that fits; kNone where none does or `event` is kNone.
  template <class Predicate>
  std::size_t nearest(std::size_t event, Predicate fits) const {
    while (event != kNone && !fits(events[event])) event = parent_[event];
    return event;
  }

  /// Durations of those that fit without those inside of them; 0 for others.
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

  /// The phase in which a step was at that time; empty outside of steps. There must be steps.
  std::string_view phase_at(std::int64_t time_ns) const {
    const std::size_t inner = at(thread(), time_ns);
    if (nearest(inner, is_step) == kNone) return {};
    const std::size_t scope = nearest(inner, is_phase);
    return scope == kNone ? kOtherPhase : find_phase(events[scope]);
  }

 private:
  void sort() {
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events[i].what == ProfileEvent::What::kScope || is_operation(events[i])) order_.push_back(i);
    }
    // Of two that start together the longer one is outside.
    std::ranges::stable_sort(order_, {}, [this](std::size_t event) {
      return std::pair(events[event].start_ns, -events[event].duration_ns);
    });
  }

  void nest(std::size_t event) {
    const ProfileEvent& e = events[event];
    const std::size_t around = at(e.thread, e.start_ns);
    parent_[event] = around;
    end_[event] = around == kNone ? e.end_ns() : std::min(e.end_ns(), end_[around]);
    threads_[e.thread].push_back(event);
  }

  void find_kind(std::size_t event) {
    const ProfileEvent& e = events[event];
    const std::string_view own = is_operation(e) ? layer_kind(e.name) : std::string_view();
    std::string_view& kind = kinds_[event];
    if (parent_[event] != kNone) kind = kinds_[parent_[event]];
    if (!is_composite(kind) && !own.empty()) kind = own;
    const auto maker = makers_.find({e.forward_thread, e.sequence});
    const bool is_of_maker = e.is_backward_node() && maker != makers_.end() && is_composite(maker->second);
    if (is_of_maker && !is_composite(kind)) kind = maker->second;
    // In the order of their starts, so that the last one to start stays.
    if (is_operation(e) && !e.is_backward_node() && e.sequence >= 0) makers_[{e.thread, e.sequence}] = kind;
  }

  std::vector<std::size_t> order_;
  std::vector<std::size_t> parent_;
  std::vector<std::int64_t> end_;
  std::vector<std::string_view> kinds_;
  std::map<std::uint64_t, std::vector<std::size_t>> threads_;  // As order_.
  // The kinds of operations of the forward pass by thread and sequence of what they made.
  std::map<std::pair<std::uint64_t, std::int64_t>, std::string_view> makers_;
};

/// A kernel, copy or fill.
struct DeviceWork {
  std::int64_t start_ns;
  std::int64_t end_ns;     ///< At least `start_ns`.
  std::string_view phase;  ///< In which it was launched, or kOtherPhase.
  std::string_view kind;   ///< Of the operation that launched it, as of kind_in_phase.
};

/// How much of the time belongs to each: moments that several share are divided equally among them.
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
    // The first of its two edges is the start.
    if (running.erase(work) == 0) running.insert(work);
  }
  return shares;
}

/// Positions of events by what identifies them; 0 identifies none.
using Positions = std::unordered_map<std::uint64_t, std::size_t>;

std::size_t find(const Positions& positions, std::uint64_t id) {
  const auto found = positions.find(id);
  return id == 0 || found == positions.end() ? kNone : found->second;
}

/// Of work that shows no launch: empty where it was done before the steps.
std::string_view phase_of_work(const ProfileStudy& study, const ProfileEvent& work, std::size_t origin) {
  if (origin != kNone) return study.phase_at(study.events[origin].start_ns);
  const std::int64_t begin_ns = study.events[study.steps.front()].start_ns;
  return work.start_ns < begin_ns ? std::string_view() : kOtherPhase;
}

// "Memcpy HtoD (Pinned -> Device)": only the first word is a name.
std::string_view kind_by_name(const ProfileEvent& work) {
  const std::string_view kind = layer_kind(work.name.substr(0, work.name.find(' ')));
  return kind.empty() ? kOtherKind : kind;
}

DeviceWork describe(const ProfileStudy& study, const ProfileEvent& work, std::size_t launch,
                    std::size_t operation) {
  if (operation == kNone && launch != kNone) {
    const ProfileEvent& launched = study.events[launch];
    operation = study.nearest(study.at(launched.thread, launched.start_ns), is_operation);
  }
  const std::string_view phase = phase_of_work(study, work, launch == kNone ? operation : launch);
  const std::string_view kind = operation == kNone ? kind_by_name(work) : study.kind(operation);
  return {work.start_ns, work.end_ns(), phase, kind_in_phase(phase, kind)};
}

/// All work that was launched in the steps, or that shows no launch and was done after they began. Its phase
/// is that of the launch, whatever the thread and whenever the device came to it.
std::vector<DeviceWork> work_of_steps(const ProfileStudy& study) {
  Positions launches;
  Positions operations;
  for (std::size_t i = 0; i < study.events.size(); ++i) {
    const ProfileEvent& event = study.events[i];
    if (event.what == ProfileEvent::What::kLaunch) launches[event.launch_id] = i;
    if (is_operation(event)) operations[event.id] = i;
  }
  std::vector<DeviceWork> all;
  for (const ProfileEvent& event : study.events) {
    if (event.what != ProfileEvent::What::kDeviceWork) continue;
    const DeviceWork work =
        describe(study, event, find(launches, event.launch_id), find(operations, event.operation_id));
    if (!work.phase.empty()) all.push_back(work);
  }
  return all;
}

using Sums = std::map<std::string_view, double>;  // In nanoseconds, over all steps.

/// Sums with a zero for each phase that the steps mark.
Sums marked_phases(const ProfileStudy& study) {
  Sums phases;
  for (const ProfileEvent& event : study.events) {
    if (is_phase(event)) phases[find_phase(event)] = 0;
  }
  return phases;
}

StepProfile summary(const ProfileStudy& study, Sums phases, const Sums& layers, double whole_ns) {
  phases[kOtherPhase] = 0;
  double known = 0;
  for (const std::string_view phase : kPhases) known += phases.contains(phase) ? phases[phase] : 0;
  // Shares are fractions, whose sum may be above the whole by a rounding.
  phases[kOtherPhase] = std::max(0.0, whole_ns - known);
  const auto steps = static_cast<std::int64_t>(study.steps.size());
  const auto seconds_of_a_step = [steps](const Sums& sums, std::span<const std::string_view> names) {
    NamedValues values;
    for (const std::string_view name : names) {
      const auto sum = sums.find(name);
      if (sum != sums.end()) values.emplace_back(name, sum->second * 1e-9 / static_cast<double>(steps));
    }
    return values;
  };
  return {steps, seconds_of_a_step(phases, kPhases), seconds_of_a_step(layers, layer_kinds())};
}

// A phase inside of another is no part of it.
Sums host_phases(const ProfileStudy& study) {
  Sums phases = marked_phases(study);
  const std::vector<std::int64_t> self = study.self_ns(is_phase);
  for (const std::size_t event : study.in_order()) {
    const ProfileEvent& e = study.events[event];
    const bool is_in_step = study.nearest(event, is_step) != kNone;
    if (is_phase(e) && is_in_step && e.thread == study.thread()) {
      phases[find_phase(e)] += static_cast<double>(self[event]);
    }
  }
  return phases;
}

Sums host_layers(const ProfileStudy& study) {
  Sums layers;
  const std::vector<std::int64_t> self = study.self_ns(is_operation);
  for (std::size_t i = 0; i < study.events.size(); ++i) {
    if (!is_operation(study.events[i])) continue;
    const std::string_view phase = study.phase_at(study.events[i].start_ns);
    if (!phase.empty()) layers[kind_in_phase(phase, study.kind(i))] += static_cast<double>(self[i]);
  }
  return layers;
}

StepProfile host_profile(const ProfileStudy& study) {
  double whole_ns = 0;
  for (const std::size_t step : study.steps) whole_ns += static_cast<double>(study.duration_ns(step));
  return summary(study, host_phases(study), host_layers(study), whole_ns);
}

StepProfile device_profile(const ProfileStudy& study, const std::vector<DeviceWork>& all) {
  const std::vector<double> shares = shares_ns(all);
  Sums phases = marked_phases(study);
  Sums layers;
  // The host may be done with a step long before the device is.
  std::int64_t end_ns = study.events[study.steps.back()].end_ns();
  for (std::size_t i = 0; i < all.size(); ++i) {
    phases[all[i].phase] += shares[i];
    layers[all[i].kind] += shares[i];
    end_ns = std::max(end_ns, all[i].end_ns);
  }
  const std::int64_t start_ns = study.events[study.steps.front()].start_ns;
  return summary(study, std::move(phases), layers, static_cast<double>(end_ns - start_ns));
}

}  // namespace

Measured<StepProfile> make_profile(const std::vector<ProfileEvent>& events, ProfileTarget target) {
  const ProfileStudy study(events);
  if (study.steps.empty()) return missing("the profiler saw no step");
  if (target == ProfileTarget::kHost) return host_profile(study);
  const std::vector<DeviceWork> work = work_of_steps(study);
  if (work.empty()) {
    return missing(
        "the profiler saw no work of the device: another one may be using it, or CUPTI is missing");
  }
  return device_profile(study, work);
}

}  // namespace gpubench
