#include "gpubench/engine/runner.h"

#include <cmath>
#include <map>

#include <ATen/Context.h>

#include "engine/convergence.h"
#include "engine/failure.h"
#include "engine/trainer.h"
#include "gpubench/engine/model_cost.h"
#include "gpubench/engine/window.h"

namespace gpubench {
namespace {

/// What a case works with. The members are made in the order in which a user's own script would make them.
struct Session {
  Session(const Case& c, const Dataset& data, c10::Device device)
      : model(on_device(c, device)),
        train(data.train, c.limit, device),
        trainer(*model, c.batch_size, c.learning_rate.value_or(0), device) {}

  static std::shared_ptr<Model> on_device(const Case& c, c10::Device device) {
    auto model = c.model->build();
    model->to(device);
    return model;
  }

  std::shared_ptr<Model> model;
  ResidentSplit train;
  Trainer trainer;
};

/// The part of a row that is known before anything runs.
CaseRecord describe(const Case& c, const Dataset& data) {
  CaseRecord record;
  record.model = c.model->name;
  record.dataset = c.dataset->name;
  record.device = c.device;
  record.batch_size = c.batch_size;
  record.epochs = c.epochs;
  record.warmup_epochs = c.warmup_epochs;
  record.seed = c.seed;
  record.is_synthetic = data.record.is_synthetic;
  record.item = c.model->item;
  record.precision = "fp32";
  record.train_samples = used_samples(data.train.size(), c.limit);
  record.validation_samples = used_samples(data.validation.size(), c.limit);
  record.test_samples = used_samples(data.test.size(), c.limit);
  record.steps_per_epoch = (record.train_samples + c.batch_size - 1) / c.batch_size;
  record.last_batch_size = record.train_samples - (record.steps_per_epoch - 1) * c.batch_size;
  return record;
}

std::unique_ptr<Session> open_session(const Case& c, const Dataset& data, Device& device, const Clock& clock,
                                      CaseRecord& record) {
  at::manual_seed(static_cast<std::uint64_t>(c.seed));
  TimedWindow window(device, clock);
  auto session = std::make_unique<Session>(c, data, c10::Device(c.device));
  record.setup = window.close();
  record.parameters = count_parameters(*session->model);
  record.optimizer = session->trainer.optimizer_description();
  record.learning_rate =
      c.learning_rate.value_or(session->model->parameter_groups().front().recipe.learning_rate);
  for (const std::string& name : session->model->metrics()) record.training.push_back({name, {}});
  return session;
}

/// Trains until the epochs are through or the loss is no longer finite.
void measure_epochs(Session& session, Device& device, const Clock& clock, Progress& progress,
                    CaseRecord& record) {
  std::vector<double>& losses = record.training.front().second;
  for (std::int64_t epoch = 0; epoch < record.epochs; ++epoch) {
    TimedWindow window(device, clock);
    session.trainer.queue_epoch(session.train, progress);
    record.epoch_seconds.push_back(window.close().value);
    const std::vector<double> metrics = session.trainer.epoch_metrics();
    for (std::size_t i = 0; i < metrics.size(); ++i) record.training[i].second.push_back(metrics[i]);
    if (!std::isfinite(losses.back())) return;
  }
}

Reading<NamedValues> evaluate_split(Session& session, const Split& split, const Case& c) {
  if (split.size() == 0) return absent("the dataset has no such split");
  const ResidentSplit resident(split, c.limit, session.train.device());
  const std::vector<double> means = session.trainer.evaluate(resident);
  NamedValues values;
  for (const std::string& name : session.model->metrics()) values.emplace_back(name, means[values.size()]);
  return values;
}

void evaluate(Session& session, const Case& c, const Dataset& data, CaseRecord& record) {
  record.forward_macs = count_forward_macs(*session.model, c.model->spec);
  if (record.status == CaseStatus::kDiverged) {
    record.validation = record.test = absent("the training diverged");
    return;
  }
  record.validation = evaluate_split(session, data.validation, c);
  record.test = evaluate_split(session, data.test, c);
}

void judge(CaseRecord& record) {
  record.status_reason = divergence(record.training.front().second, record.steps_per_epoch);
  record.status = record.status_reason.empty() ? CaseStatus::kOk : CaseStatus::kDiverged;
}

void mark_failed(const Failure& failure, CaseRecord& record) {
  record.status = failure.status;
  record.status_reason = failure.message;
}

}  // namespace

CaseRecord run_case(const Case& c, const Dataset& dataset, Device& device, const Clock& clock,
                    Progress& progress) {
  CaseRecord record = describe(c, dataset);
  try {
    const auto session = open_session(c, dataset, device, clock, record);
    measure_epochs(*session, device, clock, progress, record);
    judge(record);
    evaluate(*session, c, dataset, record);
  } catch (const std::exception& error) {
    mark_failed(classify(error), record);
  }
  return record;
}

void run_plan(const std::vector<Case>& cases, const RunServices& services, RunRecord& run) {
  std::map<std::string, std::unique_ptr<Device>> devices;
  for (const Case& c : cases) {
    auto& device = devices[c.device];
    if (!device) device = open_device(c.device);
    const Dataset& dataset = services.dataset_of(c);
    services.progress.case_started(describe(c, dataset), run.cases.size(), cases.size());
    run.cases.push_back(run_case(c, dataset, *device, services.clock, services.progress));
    services.progress.case_finished(run.cases.back());
    services.keep(run);
  }
}

}  // namespace gpubench
