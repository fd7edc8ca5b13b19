#include "profile_events.h"
#include "support/catch.h"

namespace gpubench::test::profile_work_test {

TEST_CASE("device work belongs to the phase and the operation that launched it") {
  const Events events =
      with(whole_step(), {operation("aten::cudnn_convolution", 1, 2, 7), launch(1, 1.5), kernel(1, 7, 5, 8),
                          // On autograd's thread, during the backward pass.
                          on_thread(2, operation("aten::convolution_backward", 5, 6, 8)), launch(2, 5.5),
                          kernel(2, 8, 8, 14), operation("aten::_fused_adam_", 8, 9, 9), launch(3, 8.5),
                          kernel(3, 9, 14, 15), operation("aten::add_", 9.5, 9.6, 10), launch(4, 9.5),
                          kernel(4, 10, 15, 16)});
  const StepProfile profile = on_device(events);
  CHECK(milliseconds(profile.phases, "forward") == approx(3));
  CHECK(milliseconds(profile.phases, "backward") == approx(6));
  CHECK(milliseconds(profile.phases, "optimizer") == approx(1));
  CHECK(milliseconds(profile.phases, "input") == approx(0));
  // The step ends with its last kernel. The device was idle for 5 ms of it.
  CHECK(milliseconds(profile.phases, "other") == approx(6));
  CHECK(total(profile.phases) == approx(16));
  CHECK(milliseconds(profile.layers, "convolution") == approx(9));
  CHECK(milliseconds(profile.layers, "optimizer") == approx(1));
  CHECK(milliseconds(profile.layers, "other") == approx(1));
  CHECK(total(profile.layers) == approx(11));
}

TEST_CASE("copies and kernels without a launch belong to phase 'other', and to layers by their name") {
  ProfileEvent copy = kernel(0, 0, 3, 4);
  copy.name = "Memcpy HtoD (Pinned -> Device)";
  const StepProfile profile = on_device(with(whole_step(), {copy, kernel(0, 0, 4, 6)}));
  CHECK(milliseconds(profile.phases, "forward") == approx(0));
  CHECK(milliseconds(profile.phases, "other") == approx(10));
  CHECK(milliseconds(profile.layers, "copy and layout") == approx(1));
  CHECK(milliseconds(profile.layers, "other") == approx(2));
}

TEST_CASE("device work that was launched or done before the steps is ignored") {
  const StepProfile profile = on_device({launch(1, 0), kernel(1, 0, 11, 12), kernel(0, 0, 1, 2),
                                         scope("step", 10, 20), launch(2, 15), kernel(2, 0, 16, 18)});
  CHECK(total(profile.layers) == approx(2));
  CHECK(total(profile.phases) == approx(10));
}

TEST_CASE("time in which device work overlaps is divided between the kernels") {
  const Events events =
      with(whole_step(), {launch(1, 0.5), launch(2, 1.5), kernel(1, 0, 1, 5), kernel(2, 0, 3, 7)});
  const StepProfile profile = on_device(events);
  CHECK(milliseconds(profile.phases, "input") == approx(3));
  CHECK(milliseconds(profile.phases, "forward") == approx(3));
  CHECK(milliseconds(profile.phases, "other") == approx(4));
  CHECK(total(profile.layers) == approx(6));
}

TEST_CASE("a profile without device work is missing, not idle") {
  const Measured<StepProfile> profile = make_profile(whole_step(), ProfileTarget::kDevice);
  CHECK_THAT(profile.reason(), contains_text("no device work"));
}

}  // namespace gpubench::test::profile_work_test
