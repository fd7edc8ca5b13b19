#pragma once
// From values to places on an axis, and the values that an axis names.

#include <string>
#include <vector>

namespace gpubench {

/// Both ends finite, `low` below `high`.
struct Range {
  double low = 0;
  double high = 1;
};

/// Whether an axis can show `value`: finite, above 0 on a logarithmic one, and of a size that can be computed
/// with.
bool can_show(double value, bool is_logarithmic);

/// What an axis spans: all of `values` that it can show with a little room around them, never crossing 0 for
/// it. Equal values are widened; no value gives a range all the same.
Range range_of(const std::vector<double>& values, bool is_logarithmic);

/// Where on an axis from pixel `from` to pixel `to` a value is.
class Scale {
 public:
  Scale(Range range, bool is_logarithmic, double from, double to);

  /// Values outside the range are at the nearer end.
  double at(double value) const;

  Range range() const { return range_; }

 private:
  Range range_;
  bool is_logarithmic_;
  double from_;
  double to_;
};

/// Round values inside the range, ascending: about `most` or fewer, 2 at least where the range has them.
std::vector<double> linear_ticks(Range range, int most);

/// The same for a logarithmic axis: powers of ten, with 2 and 5 between where there is room.
std::vector<double> logarithmic_ticks(Range range, int most);

/// Powers of two, as batch sizes are; every second, third ... one where there are many.
std::vector<double> binary_ticks(Range range, int most);

/// `value` with `unit` where that takes a prefix or belongs to the number: "20 ms", "1.5×", "50 %"; else the
/// number.
std::string tick_label(double value, const std::string& unit);

/// Whether tick_label writes the unit, so that the axis' own label need not.
bool is_unit_on_ticks(const std::string& unit);

}  // namespace gpubench
