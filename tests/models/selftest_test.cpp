// Every check of selftest passes on a sound device, and finds the faults that are planted in fakes.

#include <algorithm>
#include <cmath>

#include <ATen/ops/mm.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros_like.h>

#include "selftest_bench.h"
#include "support/catch.h"
#include "torch_blocks.h"

using namespace gpubench;
using namespace gpubench::test;

namespace {

CheckRows rows_of(const std::string& check, Bench& bench) {
  return run_check(checks().require(check, ""), bench.subject);
}

std::string text_of(const CheckRow& row) {
  return row.check + " " + row.subject + ": " + to_string(row.status) + ": " + row.message;
}

/// Losses in a mode that one field of it decides.
template <class Is>
auto losses_off(Is is_off) {
  return [is_off](const Case& c) {
    const bool is_other = c.mode.precision != Precision::kFp32;
    return Training{.loss_factor = is_off(c) ? 1.3 : is_other ? 1.001 : 1};
  };
}

/// A fault, and the row that finds it.
struct Fault {
  const char* name;
  const char* check;
  const char* subject;
  void (*plant)(Bench& bench);
};

const Fault kFaults[] = {
    {"a clock that runs 10 % fast", "clock", "rate", [](Bench& b) { b.clock.rate = 1.1; }},
    {"a clock that ticks in 1/100 s", "clock", "resolution", [](Bench& b) { b.clock.grain = 0.01; }},
    {"a clock that goes back", "clock", "resolution", [](Bench& b) { b.clock.goes_back = true; }},
    {"a device that does not wait", "waiting", "results", [](Bench& b) { b.device.waits = false; }},
    {"events in another unit", "waiting", "events", [](Bench& b) { b.device.event_factor = 1000; }},
    {"work that is done once for all", "window", "",
     [](Bench& b) { b.subject.make_work = [&b] { return work_in(b.world, true); }; }},
    {"fp32 that is rounded as TF32", "products", "fp32",
     [](Bench& b) {
       b.subject.product = [](const at::Tensor& x, const at::Tensor& y, bool) {
         return x.scalar_type() == at::kFloat ? at::mm(x.to(at::kHalf).to(at::kFloat), y) : at::mm(x, y);
       };
     }},
    {"bf16 whose results are fp32", "products", "bf16",
     [](Bench& b) {
       b.subject.product = [](const at::Tensor& x, const at::Tensor& y, bool) {
         return x.scalar_type() == at::kBFloat16 ? at::mm(x.to(at::kFloat), y.to(at::kFloat)) : at::mm(x, y);
       };
     }},
    {"a learning rate that is 5 % off", "losses", "mlp",
     [](Bench& b) {
       b.subject.models = one_model("mlp", [](const ModelSizes&) {
         return faulty("mlp", [](FaultyModel& m) { m.rate_factor = 1.05; });
       });
     }},
    {"inputs that are rounded to bf16", "losses", "mlp",
     [](Bench& b) {
       b.subject.models = one_model(
           "mlp", [](const ModelSizes&) { return faulty("mlp", [](FaultyModel& m) { m.rounds = true; }); });
     }},
    {"another network under the same name", "losses", "",
     [](Bench& b) {
       b.subject.models =
           one_model("mlp", [](const ModelSizes&) { return models().require("cnn", "").build({}); });
     }},
    {"a precision that is not in force", "precisions", "cnn bf16",
     [](Bench& b) { b.training = [](const Case&) { return Training{}; }; }},
    {"a precision that trains wrongly", "precisions", "lstm amp-fp16",
     [](Bench& b) {
       b.training = losses_off([](const Case& c) { return c.mode.precision == Precision::kAmpFp16; });
     }},
    {"a loss that is no number in fp16", "precisions", "cnn fp16",
     [](Bench& b) {
       b.training = [](const Case& c) {
         return Training{.loss_factor = c.mode.precision == Precision::kFp16 ? NAN : 1};
       };
     }},
    {"graphs that learn something else", "execution", "cnn",
     [](Bench& b) {
       b.training = losses_off([](const Case& c) { return c.mode.execution == Execution::kGraph; });
     }},
    {"a layout that mixes channels up", "layouts", "cnn1",
     [](Bench& b) {
       b.training = losses_off([](const Case& c) { return c.mode.layout == Layout::kChannelsLast; });
     }},
    {"a loader that repeats samples", "loaders", "lstm",
     [](Bench& b) { b.training = losses_off([](const Case& c) { return c.mode.loader == Loader::kHost; }); }},
    {"trainings that chance decides", "seeds", "the same",
     [](Bench& b) {
       b.training = [runs = 0](const Case&) mutable { return Training{.loss_factor = 1 + 1e-5 * ++runs}; };
     }},
    {"a seed that is not used", "seeds", "another",
     [](Bench& b) {
       b.training = [](const Case& c) {
         return Training{.loss_factor = 1 / (1 + 0.01 * static_cast<double>(c.seed))};
       };
     }},
    {"an optimiser that skips a parameter", "updates", "mlp",
     [](Bench& b) {
       b.subject.models = one_model("mlp", [](const ModelSizes&) {
         return faulty("mlp", [](FaultyModel& m) { m.skips_parameter = true; });
       });
     }},
    {"dropout of another rate", "dropout", "rate 0.1",
     [](Bench& b) {
       b.subject.dropout = [](const at::Tensor& x, double p) { return gpubench::dropout(x, p + 0.01, true); };
     }},
    {"dropout that does not scale", "dropout", "scale 0.5",
     [](Bench& b) {
       b.subject.dropout = [](const at::Tensor& x, double p) {
         return gpubench::dropout(x, p, true) * (1 - p);
       };
     }},
    {"dropout that drops the same in each step", "dropout", "from step to step 0.5",
     [](Bench& b) {
       b.subject.dropout = [](const at::Tensor& x, double p) {
         at::manual_seed(1);
         return gpubench::dropout(x, p, true);
       };
     }},
    {"graphs that replay the same dropout", "replay", "dropout",
     [](Bench& b) { b.device.repeats_numbers = true; }},
    {"graphs that replay the same noise", "replay", "noise",
     [](Bench& b) { b.device.repeats_numbers = true; }},
    {"noise that is uniform", "noise", "variance",
     [](Bench& b) { b.subject.noise = [](std::int64_t count) { return at::rand({count}) - 0.5; }; }},
    {"an epsilon that is the same in each step", "noise", "vae",
     [](Bench& b) {
       b.subject.models = one_model("vae", [](const ModelSizes&) {
         return faulty("vae", [](FaultyModel& m) { m.repeats_noise = true; });
       });
     }},
    {"blocks that are half as long as their epoch", "blocks", "graph",
     [](Bench& b) { b.training = [](const Case&) { return Training{.block_share = 0.05}; }; }},
    {"a peak in another unit", "memory", "device peak", [](Bench& b) { b.device.memory_unit = 1024; }},
    {"memory that stays held", "memory", "device held", [](Bench& b) { b.leaks = true; }},
    {"host memory in another unit", "memory", "host", [](Bench& b) { b.resident_unit = 1024; }},
    {"memory without end", "out-of-memory", "refusal",
     [](Bench& b) { b.subject.allocate = [](Bytes) { return std::shared_ptr<void>(); }; }},
    {"a refusal that is told as something else", "out-of-memory", "refusal",
     [](Bench& b) {
       b.subject.allocate = [](Bytes) -> std::shared_ptr<void> { throw std::runtime_error("bad luck"); };
     }},
    {"a device that is broken after a refusal", "out-of-memory", "afterwards",
     [](Bench& b) {
       b.subject.product = [](const at::Tensor& x, const at::Tensor&, bool) { return at::zeros_like(x); };
     }},
    {"a largest batch that does not train", "largest-batch", "training",
     [](Bench& b) { b.most_in_training = 3000; }},
    {"a search that is ended by something else", "largest-batch", "search",
     [](Bench& b) { b.refusal = "illegal memory access"; }},
    {"a search that nothing ends", "largest-batch", "search",
     [](Bench& b) { b.most_in_trial = std::int64_t{1} << 20; }},
    {"a case that ends where recording fails", "recovery", "fall-back",
     [](Bench& b) { b.training = [](const Case&) { return Training{.ends_without_graph = true}; }; }},
    {"a failed recording that harms the next case", "recovery", "next case",
     [](Bench& b) {
       b.training = [&b](const Case& c) {
         const bool is_harmed = b.device.has_failed_recording && c.mode.execution == Execution::kGraph;
         return Training{.loss_factor = is_harmed ? 1.3 : 1};
       };
     }},
    {"a failed recording after which no random number is drawn", "recovery", "",
     [](Bench& b) {
       b.subject.noise = [&b](std::int64_t count) {
         if (b.device.has_failed_recording)
           throw std::runtime_error("offset increment outside graph capture");
         return at::randn({count});
       };
     }},
    {"steps faster than the device can be", "throughput", "cnn eager fp32",
     [](Bench& b) { b.training = [](const Case&) { return Training{.step_seconds = 1e-6}; }; }},
    {"steps that take a hundred times as long", "throughput", "mlp graph bf16",
     [](Bench& b) { b.training = [](const Case&) { return Training{.step_seconds = 0.1}; }; }},
    {"a meter in milliwatts", "energy", "fake source",
     [](Bench& b) { b.sources = {power_source("cpu", 20e3, 80e3, 482e3)}; }},
    {"a meter that shows nothing", "energy", "fake source",
     [](Bench& b) { b.sources = {power_source("cpu", 0, 0, 0)}; }},
    {"a meter that is stuck", "energy", "fake source",
     [](Bench& b) { b.sources = {power_source("cpu", 50, 50, 300)}; }},
    {"a meter of something else", "energy", "fake source",
     [](Bench& b) { b.sources = {power_source("cpu", 50, 51, 306)}; }},
    {"a counter in another unit", "energy", "fake source, two ways",
     [](Bench& b) { b.sources = {power_source("cpu", 20, 80, 0.482)}; }},
    {"a meter of the wrong GPU", "energy", "fake source",
     [](Bench& b) { b.sources = {power_source("cuda:1", 60, 300, 1800)}; }},
};

}  // namespace

TEST_CASE("a sound device fails no check") {
  for (const CheckEntry& check : checks()) {
    Bench bench;
    const CheckRows rows = rows_of(check.name, bench);
    CHECK_FALSE(rows.empty());
    for (const CheckRow& row : rows) {
      INFO(text_of(row));
      CHECK(row.status != CheckStatus::kFail);
      CHECK_FALSE(row.message.empty());
      CHECK(row.device == "cpu");
      CHECK(row.claim == check.claim);
    }
  }
}

TEST_CASE("each planted fault is found by the row that should find it") {
  for (const Fault& fault : kFaults) {
    Bench bench;
    fault.plant(bench);
    const CheckRows rows = rows_of(fault.check, bench);
    const auto row = std::ranges::find(rows, std::string(fault.subject), &CheckRow::subject);
    INFO(fault.name);
    for (const CheckRow& each : rows) UNSCOPED_INFO(text_of(each));
    REQUIRE(row != rows.end());
    CHECK(row->status == CheckStatus::kFail);
  }
}

TEST_CASE("every check of selftest has a fault that it finds") {
  for (const CheckEntry& check : checks()) {
    INFO(check.name);
    CHECK(std::ranges::any_of(kFaults, [&](const Fault& fault) { return fault.check == check.name; }));
  }
}

TEST_CASE("what does not exist on a device cannot be checked, and says why") {
  const auto cpu = open_device("cpu");
  Bench bench;
  const Subject& fake = bench.subject;
  Subject subject{*cpu,           fake.clock,     fake.means,    fake.models,      fake.wait,
                  fake.run_case,  fake.run_pilot, fake.product,  fake.dropout,     fake.noise,
                  fake.make_work, fake.allocate,  fake.resident, fake.measure_roof};
  for (const auto& [check, why] : {std::pair{"replay", "graphs need an NVIDIA GPU"},
                                   {"execution", "graphs need an NVIDIA GPU"},
                                   {"largest-batch", "within a process"},
                                   {"memory", "peak_host_bytes"}}) {
    const CheckRows rows = run_check(checks().require(check, ""), subject);
    CHECK(rows.front().status == CheckStatus::kUnchecked);
    CHECK_THAT(rows.front().message, contains_text(why));
  }
}

TEST_CASE("a check that throws is a row that failed") {
  Bench bench;
  bench.subject.make_work = []() -> KnownWork { throw std::runtime_error("device-side assert triggered"); };
  const CheckRows rows = rows_of("waiting", bench);
  REQUIRE(rows.size() == 1);
  CHECK(rows.front().status == CheckStatus::kFail);
  CHECK_THAT(rows.front().message, contains_text("device-side assert"));
}

TEST_CASE("the CPU fails no check that does not rest on time") {
  const auto cpu = open_device("cpu");
  const SteadyClock clock;
  const SelftestMeans means{
      clock, [](const DataSpec& spec, const SplitSizes& sizes) { return make_synthetic(spec, sizes, 1); },
      [](const std::function<void()>&) {
        return PowerTrial{{}, "no meter"};
      }};
  Subject subject = real_subject(*cpu, clock, means);
  const auto& all = models();
  subject.models = Catalog<ModelEntry>("model", {all.require("mlp", ""), all.require("cnn", ""),
                                                 all.require("lstm", ""), all.require("vae", "")});
  for (const char* check : {"products", "losses", "precisions", "execution", "layouts", "loaders", "seeds",
                            "updates", "dropout", "noise", "replay", "out-of-memory", "recovery", "energy"}) {
    for (const CheckRow& row : run_check(checks().require(check, ""), subject)) {
      INFO(text_of(row));
      CHECK(row.status != CheckStatus::kFail);
    }
  }
}
