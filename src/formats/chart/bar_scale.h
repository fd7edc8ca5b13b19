#pragma once
// Bars made of block characters.

#include <string>

#include "gpubench/record/page.h"

namespace gpubench {

/// The common scale of a chart's bars. They begin at the baseline where the chart has one, else at 0, or, on
/// a logarithmic axis, at the power of ten below the least value. Smaller values extend to the left.
class BarScale {
 public:
  /// For bars of at most `width` characters.
  BarScale(const Chart& chart, std::size_t width);

  /// Where bars begin, in the unit of the axis.
  double origin() const;

  /// The bar of `value`, with a stroke at the origin where bars go both ways; empty where the scale has no
  /// place for it.
  std::string bar(double value) const;

 private:
  double position(double value) const;
  std::string left_bar(double characters) const;

  bool is_logarithmic_;
  bool is_two_sided_ = false;
  double origin_ = 0;
  double characters_per_unit_ = 0;
  std::size_t left_width_ = 0;
};

}  // namespace gpubench
