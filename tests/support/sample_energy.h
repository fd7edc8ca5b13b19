#pragma once
// Constructed energies of cases.

#include "gpubench/record/run_record.h"

namespace gpubench::test {

/// What a meter of the case's device counted that drew so many watts all the time: known to within 1 %, 50 W
/// idle before, 60 W after.
EnergyRecord drawn(const CaseRecord& record, double watts, PowerScope scope);

/// The case with that as its one energy.
CaseRecord with_energy(CaseRecord record, double watts, PowerScope scope);

/// The energies of `fit_case` of sample_runs.h: a card of 100 W, of which everything is known, and a
/// processor of which little is.
std::vector<EnergyRecord> two_sources();

/// `cnn` on cuda:0 at batch 128: 24 epochs, of which the first and seven more take 10 s and the others 12.5
/// s, since the card gets hot. Power, temperature, clock and why it was held down are known.
CaseRecord soaked_case();

}  // namespace gpubench::test
