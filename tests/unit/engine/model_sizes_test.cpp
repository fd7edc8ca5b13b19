#include "gpubench/core/error.h"
#include "gpubench/model_catalog.h"
#include "support/catch.h"

namespace gpubench::test::model_sizes_test {
namespace {

ModelEntry reader() {
  ModelEntry entry{"reader", "reads", "reader", {Task::kLanguage, {35}, 100}, "token", nullptr};
  entry.options = {{"layers", "encoder layers", 2, 1, 64}, {"bptt", "tokens a sequence", 35, 2, 512, 0}};
  return entry;
}

ModelEntry net() {
  return {"net", "a net", "net", {Task::kClassification, {1, 28, 28}, 10}, "image", nullptr};
}

std::string format_message(const ModelEntry& entry, const ModelSizes& chosen) {
  try {
    all_sizes(entry, chosen);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a size can set the shape of a sample") {
  CHECK(spec_at(reader(), {}).sample_shape == std::vector<std::int64_t>{35});
  CHECK(spec_at(reader(), {{"bptt", 70}}).sample_shape == std::vector<std::int64_t>{70});
  CHECK(spec_at(net(), {}) == net().spec);
}

TEST_CASE("sizes_text() lists sizes in the order of the model's options") {
  CHECK(sizes_text(reader(), all_sizes(reader(), {{"bptt", 10}})) == "layers=2,bptt=10");
  CHECK(sizes_text(net(), {}).empty());
}

TEST_CASE("an unknown or invalid size is refused with the valid ones") {
  CHECK_THAT(format_message(reader(), {{"layer", 2}}), contains_text("did you mean 'layers'"));
  CHECK(format_message(reader(), {{"layers", 65}}) == "--model-arg layers=65: give 1 to 64");
  CHECK(format_message(reader(), {{"layers", 0}}) == "--model-arg layers=0: give 1 to 64");
  CHECK(format_message(net(), {{"layers", 2}}) ==
        "--model-arg layers: net has a fixed size; remove the option");
}

}  // namespace gpubench::test::model_sizes_test
