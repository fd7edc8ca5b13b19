#include "engine/session.h"

#include <ATen/Context.h>

namespace gpubench {
namespace {

void transfer(const Case& c, const Dataset& dataset, c10::Device device, Session& session) {
  session.model->to(device);
  session.train.emplace(dataset.train, c.limit, device);
  const Split& validation = fit_validation_split(dataset);
  if (c.protocol == Protocol::kFit && validation.size() > 0) {
    session.validation.emplace(validation, c.limit, device);
  }
}

}  // namespace

const Split& fit_validation_split(const Dataset& dataset) {
  return dataset.validation.size() > 0 ? dataset.validation : dataset.test;
}

Session open_session(const Case& c, const Dataset& dataset, Device& device, Timeline& timeline) {
  at::manual_seed(static_cast<std::uint64_t>(c.seed));
  const c10::Device place(device.name());
  Session session;
  const Seconds build = timeline.time("build", [&] { session.model = c.model->build(); });
  const Seconds moved = timeline.time("transfer", [&] { transfer(c, dataset, place, session); });
  const Seconds optimizer = timeline.time("optimizer", [&] {
    session.trainer =
        std::make_unique<Trainer>(*session.model, c.batch_size, c.learning_rate.value_or(0), place);
  });
  session.setup = build + moved + optimizer;
  return session;
}

}  // namespace gpubench
