#include "device/host/host.h"
#include "support/catch.h"

namespace gpubench::test::torch_variables_test {

TEST_CASE("MPS watermarks that exclude each other are named with the pair to set") {
  CHECK(mps_watermark_flaw(nullptr, nullptr).empty());
  CHECK(mps_watermark_flaw("0.0", nullptr).empty());
  CHECK(mps_watermark_flaw("1.7", nullptr).empty());
  CHECK(mps_watermark_flaw("0.7", "0.5").empty());
  CHECK_THAT(mps_watermark_flaw("0.7", nullptr),
             contains_text("PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.7 is below the low watermark of 1.4; set "
                           "PYTORCH_MPS_LOW_WATERMARK_RATIO to at most 0.7 too"));
}

}  // namespace gpubench::test::torch_variables_test
