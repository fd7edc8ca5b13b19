#include "engine/training/execution_trial.h"

#include <bit>
#include <string>

#include <ATen/Context.h>
#include <ATen/ops/cat.h>
#include <fmt/format.h>
#include <torch/version.h>

#include "engine/plan/describe.h"
#include "engine/torch/failure.h"
#include "engine/training/agreement.h"
#include "engine/training/kept_choice.h"
#include "engine/training/session.h"
#include "gpubench/core/collect.h"

namespace gpubench {
namespace {

constexpr int kEpochs =
    2;  // The second one finds random numbers and counters that a replay does not move on.

/// The case with one full batch an epoch, and with what follows the full ones in its own epochs.
Case shortened(Case c, const Dataset& dataset) {
  const std::int64_t samples = used_samples(dataset.train.size(), c.limit);
  const std::int64_t rest = samples % c.batch_size;
  c.limit = used_samples(samples, c.batch_size + (rest > 0 ? rest : c.batch_size));
  c.protocol = Protocol::kEpoch;
  return c;
}

at::Tensor flat_parameters(const Model& model) {
  return at::cat(
      mapped(model.parameters(), [](const at::Tensor& each) { return host_copy(each).flatten(); }));
}

struct Tried {
  Choice<Execution> execution;
  TrainingResult result;
};

/// With `is_perturbed` rounding moves the parameters first.
Tried train(Case c, Execution execution, const Dataset& dataset, Device& device, const Clock& clock,
            bool is_perturbed = false) {
  c.mode.execution = execution;
  std::vector<Phase> phases;
  Timeline timeline(device, clock, phases);
  const Session session = open_session(c, dataset, device, clock, timeline);
  Tried tried{session.execution, {}};
  if (is_perturbed) perturb(session.model->parameters(), c.mode.precision);
  const at::Tensor before = flat_parameters(*session.model);
  // From here on both draw the same: an order an epoch, then what the model draws.
  at::manual_seed(static_cast<std::uint64_t>(c.seed));
  CaseMonitor nobody;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    session.queue_epoch(nobody);
    tried.result.losses.push_back(session.trainer->epoch_metrics().front());
  }
  // As one: what a tensor changes by, Adam makes equally large for gradients that are nothing but rounding.
  tried.result.tensors = {{"the change of the parameters", flat_parameters(*session.model).sub(before)}};
  return tried;
}

MachineCache outcomes() { return MachineCache(cache_folder() / "executions"); }

/// All that the outcome depends on.
std::string key_of(const Case& c, const Device& device) {
  return fmt::format("recording that agrees but for rounding, LibTorch {}, {} ({}), {}, batch {}, {}, {}",
                     TORCH_VERSION, c.device, device.record().model, model_text(c),
                     std::bit_floor(static_cast<std::uint64_t>(c.batch_size)), to_string(c.mode.precision),
                     to_string(c.mode.layout));
}

Choice<Execution> compare(const Case& c, const Dataset& dataset, Device& device, const Clock& clock) {
  // One after the other: together they would take more memory than the case.
  const Case some = shortened(c, dataset);
  const Tried eager = train(some, Execution::kEager, dataset, device, clock);
  const Tried perturbed = train(some, Execution::kEager, dataset, device, clock, /*is_perturbed=*/true);
  const Tried recorded = train(some, Execution::kAuto, dataset, device, clock);
  // Not kept: what stood in the way may be gone another time.
  if (recorded.execution.used != Execution::kGraph) return recorded.execution;
  const std::string apart =
      disagreement(eager.result, perturbed.result, recorded.result, tolerance_of(c.mode.precision));
  const Choice<Execution> choice =
      apart.empty() ? Choice<Execution>{Execution::kGraph, {}}
                    : Choice<Execution>{Execution::kEager, "recorded steps train otherwise: " + apart};
  keep_choice(outcomes(), key_of(c, device), choice);
  return choice;
}

}  // namespace

std::optional<Choice<Execution>> known_execution(const Case& c, const Device& device) {
  const bool is_tried = c.mode.execution == Execution::kAuto && c.mode.loader == Loader::kResident &&
                        device.why_no_graph().empty();
  if (!is_tried) return Choice<Execution>{c.mode.execution, {}};
  return kept_choice<Execution>(outcomes(), key_of(c, device));
}

Choice<Execution> try_execution(const Case& c, const Dataset& dataset, Device& device, const Clock& clock) {
  try {
    return compare(c, dataset, device, clock);
  } catch (const std::exception& error) {
    return {Execution::kEager, "the trial ended with: " + classify(error).message};
  }
}

}  // namespace gpubench
