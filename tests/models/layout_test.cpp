#include <cstdlib>

#include "engine/training/input/resident_split.h"
#include "engine/training/runner.h"
#include "engine/training/session.h"
#include "gpubench/model_catalog.h"
#include "support/catch.h"
#include "support/scoped_variable.h"
#include "support/temp_dir.h"
#include "tiny.h"

using namespace gpubench;
using namespace gpubench::test;

namespace {

CaseRecord run(const std::string& model, Layout layout) {
  CountingDevice device;
  return run_network(model, {.layout = layout}, 16, 48, device);
}

}  // namespace

TEST_CASE("channels-last images hold the same values, with strides that say so even for one channel") {
  const DataSpec spec{Task::kClassification, {GENERATE(1, 3), 4, 6}, 3};
  const Dataset data = make_synthetic(spec, {10, 0, 0}, 1);
  const ResidentSplit plain(data.train, 0, at::kCPU);
  const ResidentSplit last(data.train, 0, at::kCPU, {at::kFloat, true});
  const at::Tensor images = last.gather(at::arange(3, 7)).inputs;
  CHECK(images.equal(plain.gather(at::arange(3, 7)).inputs));
  CHECK(images.suggest_memory_format() == at::MemoryFormat::ChannelsLast);
  CHECK(images.stride(1) == 1);
}

TEST_CASE("every weight of a convolution gets channels-last strides, that of one input channel too") {
  const auto model = models().require("cnn", "").build({});
  to_device(*model, at::kCPU, {at::kFloat, true});
  int weights = 0;
  for (const at::Tensor& parameter : model->parameters()) {
    if (parameter.dim() != 4) continue;
    ++weights;
    CHECK(parameter.suggest_memory_format() == at::MemoryFormat::ChannelsLast);
  }
  CHECK(weights == 3);
}

TEST_CASE("both layouts learn the same") {
  const CaseRecord nchw = run("cnn", Layout::kNchw);
  const CaseRecord last = run("cnn", Layout::kChannelsLast);
  CHECK(nchw.layout_used.value() == "nchw");
  CHECK(last.layout_used.value() == "channels-last");
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(last.training.front().second[i] == approx(nchw.training.front().second[i]).epsilon(1e-3));
  }
}

TEST_CASE("auto tries both layouts once for a machine and says what it saw") {
  const TempDir cache;
  const ScopedVariable home("XDG_CACHE_HOME", cache.path().string());
  const CaseRecord first = run("cnn", Layout::kAuto);
  REQUIRE(first.status == RowStatus::kOk);
  CHECK_THAT(first.layout_note, contains_text("a trial took"));
  CHECK_THAT(first.layout_note, contains_text("tried in this process"));
  CHECK(first.timeline.front().name == "layout trial");
  const CaseRecord second = run("cnn", Layout::kAuto);
  CHECK(second.layout_used == first.layout_used);
  CHECK(first.layout_note.starts_with(second.layout_note + ";"));
  CHECK(second.timeline.front().name == "build");
}

TEST_CASE("where channels-last must not be tried auto is nchw and says why, whatever was found before") {
  struct WrongInChannelsLast : CountingDevice {
    std::string why_no_channels_last() const override { return "its gradients are wrong"; }
  };
  const TempDir cache;
  const ScopedVariable home("XDG_CACHE_HOME", cache.path().string());
  run("cnn", Layout::kAuto);
  WrongInChannelsLast device;
  const CaseRecord record = run_network("cnn", {.layout = Layout::kAuto}, 16, 48, device);
  CHECK(record.layout_used.value() == "nchw");
  CHECK(record.layout_note == "its gradients are wrong");
  CHECK(run_network("mlp", {.layout = Layout::kAuto}, 16, 48, device).layout_note.empty());
}

TEST_CASE("a network without convolutions needs no trial of layouts") {
  const TempDir cache;
  const ScopedVariable home("XDG_CACHE_HOME", cache.path().string());
  const CaseRecord record = run("mlp", Layout::kAuto);
  CHECK(record.layout_used.value() == "nchw");
  CHECK(record.layout_note.empty());
}
