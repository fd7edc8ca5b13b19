#include "gpubench/core/error.h"
#include "gpubench/model_catalog.h"
#include "support/catch.h"

namespace gpubench::test::model_sizes_test {
namespace {

ModelEntry reader() {
  ModelEntry entry{"reader", "reads", "reader", {Task::kLanguage, {35}, 100}, "token", nullptr};
  entry.options = {{"layers", "encoder layers", 2, 1, 64},
                   {"bptt", "tokens a sequence", 35, 2, 512, DataEffect::kLength},
                   {"vocabulary", "tokens", 100, 2, 1000, DataEffect::kClasses}};
  entry.presets = {{"long", {{"layers", 6}, {"bptt", 70}}}};
  return entry;
}

ModelEntry net() {
  return {"net", "a net", "net", {Task::kClassification, {1, 28, 28}, 10}, "image", nullptr};
}

std::string format_message(const ModelEntry& entry, const std::string& text) {
  try {
    all_sizes(entry, parse_sizes(entry, text));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a size can set the shape of a sample and the number of classes") {
  CHECK(spec_at(reader(), {}).sample_shape == std::vector<std::int64_t>{35});
  CHECK(spec_at(reader(), {{"bptt", 70}}).sample_shape == std::vector<std::int64_t>{70});
  CHECK(spec_at(reader(), {{"vocabulary", 50}}).classes == 50);
  CHECK(spec_at(net(), {}) == net().spec);
  ModelEntry viewer = net();
  viewer.options = {{"image", "side of an image", 28, 8, 512, DataEffect::kSide}};
  CHECK(spec_at(viewer, {{"image", 64}}).sample_shape == std::vector<std::int64_t>{1, 64, 64});
}

TEST_CASE("sizes_text() lists the sizes that differ from their defaults, in the order of the options") {
  CHECK(sizes_text(reader(), all_sizes(reader(), {{"bptt", 10}, {"layers", 3}})) == "layers=3,bptt=10");
  CHECK(sizes_text(reader(), all_sizes(reader(), {{"layers", 2}})).empty());
  CHECK(sizes_text(net(), {}).empty());
}

TEST_CASE("a preset sets several sizes, and later words override it") {
  const auto text = [](const char* words) {
    return sizes_text(reader(), all_sizes(reader(), parse_sizes(reader(), words)));
  };
  CHECK(text("long") == "layers=6,bptt=70");
  CHECK(text("long,layers=3") == "layers=3,bptt=70");
}

TEST_CASE("an unknown or invalid size is refused with the valid ones") {
  CHECK_THAT(format_message(reader(), "layer=2"), contains_text("did you mean 'layers'"));
  CHECK(format_message(reader(), "layers=65") == "--model-arg layers=65: give 1 to 64");
  CHECK(format_message(reader(), "layers=0") == "--model-arg layers=0: give 1 to 64");
  CHECK(format_message(net(), "layers=2") == "--model-arg layers: net has a fixed size; remove the option");
  CHECK(format_message(reader(), "short") ==
        "--model-arg short: give a name and a whole number, such as layers=4, or one of long");
}

}  // namespace gpubench::test::model_sizes_test
