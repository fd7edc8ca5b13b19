#include "workloads/profile/sums.h"

#include "profile_events.h"
#include "support/catch.h"

namespace gpubench::test::profile_sums_test {

TEST_CASE("host phases are the times of their scopes, and the rest of the step is 'other'") {
  const StepProfile profile = on_host(whole_step());
  CHECK(names(profile.phases) ==
        std::vector<std::string>{"input", "forward", "backward", "optimizer", "other"});
  CHECK(milliseconds(profile.phases, "input") == approx(1));
  CHECK(milliseconds(profile.phases, "forward") == approx(3));
  CHECK(milliseconds(profile.phases, "backward") == approx(4));
  CHECK(milliseconds(profile.phases, "optimizer") == approx(1));
  CHECK(milliseconds(profile.phases, "other") == approx(1));
}

TEST_CASE("figures are means over the steps") {
  const Events events{scope("step", 0, 4),          scope("forward", 0, 2),
                      operation("aten::mm", 0, 1),  scope("step", 100, 108),
                      scope("forward", 101, 105),   operation("aten::mm", 102, 105),
                      operation("aten::mm", 50, 60)};  // Between the steps.
  const StepProfile profile = on_host(events);
  CHECK(milliseconds(profile.phases, "forward") == approx(3));
  CHECK(milliseconds(profile.phases, "other") == approx(3));
  CHECK(milliseconds(profile.layers, "matrix product") == approx(2));
  CHECK(total(profile.layers) == approx(2));
}

TEST_CASE("the time of an operation excludes nested operations") {
  const StepProfile profile = on_host(
      with(whole_step(), {operation("aten::conv2d", 1, 3), operation("aten::mkldnn_convolution", 1.25, 2.75),
                          operation("aten::copy_", 1.5, 2), operation("aten::relu", 3, 3.5)}));
  CHECK(milliseconds(profile.layers, "convolution") == approx(1.5));
  CHECK(milliseconds(profile.layers, "copy and layout") == approx(0.5));
  CHECK(milliseconds(profile.layers, "activation") == approx(0.5));
  CHECK(total(profile.layers) == approx(2.5));
}

TEST_CASE("operations on another thread belong to the phase in which they start") {
  const StepProfile profile = on_host(with(
      whole_step(), {on_thread(2, operation("aten::mm", 4, 5)), on_thread(2, operation("aten::sum", 8, 9)),
                     on_thread(2, operation("aten::mm", 11, 12))}));
  CHECK(milliseconds(profile.layers, "matrix product") == approx(1));
  CHECK(milliseconds(profile.layers, "optimizer") == approx(1));
  CHECK(total(profile.layers) == approx(2));
}

TEST_CASE("operations inside of a recurrent layer count as 'recurrent'") {
  const StepProfile profile = on_host(with(
      whole_step(),
      {operation("aten::lstm", 1, 3), operation("aten::addmm", 1, 2), operation("aten::addmm", 3, 4),
       on_thread(2, operation("MkldnnRnnLayerBackward0", 5, 7)), on_thread(2, operation("aten::mm", 5, 6))}));
  CHECK(milliseconds(profile.layers, "recurrent") == approx(4));
  CHECK(milliseconds(profile.layers, "matrix product") == approx(1));
}

TEST_CASE("a profile without a step is missing with the reason") {
  CHECK_THAT(make_profile({}, ProfileTarget::kHost).reason(), contains_text("no step"));
  CHECK_THAT(make_profile({}, ProfileTarget::kDevice).reason(), contains_text("no step"));
  CHECK_FALSE(make_profile({operation("aten::mm", 0, 1)}, ProfileTarget::kHost).has_value());
}

}  // namespace gpubench::test::profile_sums_test
