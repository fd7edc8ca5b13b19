#pragma once
// What another program prints of its own speed.

#include <string>
#include <string_view>
#include <vector>

#include "app/ab/sides.h"
#include "gpubench/core/units.h"

namespace gpubench {

/// How fast it is: one of these.
struct PeerFigure {
  double samples_per_second = 0;        ///< Above 0, or else
  std::vector<double> epoch_seconds{};  ///< the time of each epoch after the warm-up, above 0.
};

/// The figure in what a peer printed: in all of it where it is one JSON value, else in the last line that is
/// a JSON object. It is where Side::figure or Side::seconds point (RFC 6901); with neither the first of
/// `samples_per_second`, `images_per_s` (rates) and `epoch_seconds` (a list). `wall` is the time of the whole
/// process. Throws a data Error that says what is missing.
PeerFigure peer_figure(std::string_view printed, const Side& side, Seconds wall);

/// Times of epochs of so many samples.
std::vector<double> epochs_of(const PeerFigure& figure, std::int64_t samples);

}  // namespace gpubench
