#include "gpubench/record/op_case.h"

#include "gpubench/core/error.h"
#include "support/catch.h"

namespace gpubench::test::op_case_test {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_op_case(text, "--shape");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("sizes survive formatting and parsing") {
  for (const char* text : {"64x1024x128 axis=0", "64x256 1000", "1000000", "100x256x256x3 8x3x3x3",
                           "8x2x2 8x2x2 8x2x2", "4x4 axis=-1"}) {
    INFO(text);
    CHECK(to_string(parse_op_case(text, "--shape")) == text);
  }
}

TEST_CASE("sizes are parsed in order of tensors, with an optional axis") {
  const OpCase with = parse_op_case("  64x256   1000  axis=1 ", "--shape");
  CHECK(with.tensors == std::vector<std::vector<std::int64_t>>{{64, 256}, {1000}});
  CHECK(with.axis == 1);
  CHECK_FALSE(parse_op_case("64x256", "--shape").axis.has_value());
}

TEST_CASE("invalid sizes are refused with the option, the text and an example") {
  for (const char* text :
       {"", " ", "axis=0", "64x", "x64", "64xx2", "64X2", "0x3", "-4", "4x-4", "3.5", "64x1e3",
        "4 axis=", "4 axis=x", "4 axis=0 axis=1", "axis=0 4", "4 axis=-9", "4,4", "99999999999999999999"}) {
    INFO(text);
    CHECK_THAT(refusal(text), contains_text(std::string("--shape \"") + text + "\""));
    CHECK_THAT(refusal(text), contains_text("64x1024x128"));
  }
}

TEST_CASE("the number of elements of a tensor is the product of its sizes") {
  const OpCase sizes = parse_op_case("64x1024x128 10", "--shape");
  CHECK(get_count(sizes, 0) == 64.0 * 1024 * 128);
  CHECK(get_count(sizes, 1) == 10);
}

}  // namespace gpubench::test::op_case_test
