#include "app/ab/variants.h"

#include "gpubench/core/error.h"
#include "support/catch.h"

namespace gpubench::test::external_test {
using gpubench::test::contains_text;

namespace {

Variant with_figure(const std::string& pointer) {
  Variant variant{"B", {}};
  variant.figure = pointer;
  return variant;
}

Variant with_seconds(const std::string& pointer) {
  Variant variant{"B", {}};
  variant.seconds = pointer;
  return variant;
}

/// Returns the rate in samples per second: the row has an epoch of one sample.
double rate(const std::string& printed, const Variant& variant = {}) {
  const CaseRecord row = read_external_row(printed, variant, Seconds{7});
  return static_cast<double>(row.train_samples) / row.epoch_seconds.at(0);
}

std::vector<double> epochs(const std::string& printed, const Variant& variant = {}) {
  const CaseRecord row = read_external_row(printed, variant, Seconds{7});
  CHECK(row.train_samples == 0);
  return row.epoch_seconds;
}

std::string refusal(const std::string& printed, const Variant& variant = {}) {
  try {
    read_external_row(printed, variant, Seconds{7});
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("the figure is read from the whole output, or from its last line that is an object") {
  CHECK(rate("{\n \"images_per_s\": 5\n}\n") == approx(5));
  CHECK(rate("epoch 1\n{\"images_per_s\": 1}\n7\n  {\"images_per_s\": 2.5}\nbye {\n") == approx(2.5));
  CHECK(rate("{\"images_per_s\": 4}") == approx(4));
}

TEST_CASE("without a pointer, known keys are searched, rates first") {
  CHECK(rate(R"({"epoch_seconds": [1, 2], "images_per_s": 3, "samples_per_second": 4})") == approx(4));
  CHECK(rate(R"({"epoch_seconds": [1, 2], "images_per_s": 3})") == approx(3));
  CHECK(epochs(R"({"epoch_seconds": [1, 2]})") == std::vector<double>{1, 2});
}

TEST_CASE("a pointer selects a rate or an epoch time, and wall the time of the process") {
  CHECK(rate(R"({"a": [{"b/c": 8}]})", with_figure("/a/0/b~1c")) == approx(8));
  CHECK(epochs(R"({"median": 0.25})", with_seconds("/median")) == std::vector<double>{0.25});
  CHECK(epochs("no JSON at all", with_seconds("wall")) == std::vector<double>{7});
}

TEST_CASE("the error for a missing or invalid figure names it") {
  CHECK_THAT(refusal("images_per_s: 12\n"), contains_text("printed no JSON object; output began: "));
  CHECK_THAT(refusal("7\n"), contains_text("printed no JSON object; output began: "));
  CHECK_THAT(refusal("{}"), contains_text("has no /samples_per_second or"));
  CHECK_THAT(refusal(R"({"images_per_s": 0})"), contains_text("not a number above 0"));
  CHECK_THAT(refusal(R"({"images_per_s": "5"})"), contains_text("images_per_s"));
  CHECK_THAT(refusal(R"({"epoch_seconds": [1, null]})"), contains_text("epoch_seconds"));
  CHECK_THAT(refusal(R"({"a": 1})", with_figure("/b")), contains_text("has no /b"));
  CHECK_THAT(refusal(R"({"a": 1})", with_figure("b")), contains_text("JSON pointer"));
}

}  // namespace gpubench::test::external_test
