#include "gpubench/core/stats/student.h"

namespace gpubench {

double student_factor(double freedom) {
  const double z = kNormalScore;
  const double z2 = z * z;
  const double first = (z2 + 1) / 4;
  const double second = ((5 * z2 + 16) * z2 + 3) / 96;
  const double third = (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  return 1 + (first + (second + third / freedom) / freedom) / freedom;
}

}  // namespace gpubench
