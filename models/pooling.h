#pragma once
// ReLU of the maximum of 2x2 windows, and its gradient, for kLanes channels.

#include <cstdint>

#include "kernels.h"

namespace gpubench {

constexpr int kPixels = 4;   // Upper left, upper right, lower left, lower right.
constexpr int kNowhere = 4;  // Place of a maximum that ReLU set to 0.

/// Writes the positive maxima of the pixels, and their places. As in LibTorch, NaN wins.
template <class Value>
GPUBENCH_KERNEL inline void pool_pixels(const Lanes (&pixels)[kPixels], Value* maxima, std::uint8_t* places) {
  Lanes maximum = pixels[0];
  LaneIntegers place = {};
  for (int i = 1; i < kPixels; ++i) {
    const LaneIntegers is_more = (pixels[i] > maximum) | (pixels[i] != pixels[i]);
    maximum = is_more ? pixels[i] : maximum;
    place = is_more ? LaneIntegers{} + i : place;
  }
  const LaneIntegers is_cut = maximum <= 0;
  store(maxima, is_cut ? Lanes{} : maximum);
  store(places, is_cut ? LaneIntegers{} + kNowhere : place);
}

/// Reads gradients of maxima, which are those of the pixels at their places. Others' are 0.
template <class Value>
GPUBENCH_KERNEL inline void unpool_pixels(const Value* gradients, const std::uint8_t* places,
                                          Lanes (&pixels)[kPixels]) {
  const Lanes gradient = load(gradients);
  const LaneIntegers place = load(places);
  for (int i = 0; i < kPixels; ++i) pixels[i] = place == i ? gradient : Lanes{};
}

}  // namespace gpubench
