#pragma once
// Constructed energies of cases.

#include "gpubench/record/run_record.h"

namespace gpubench::test {

/// Returns the energy at constant power: uncertainty 1 %, idle power 50 W before and 60 W after the case.
EnergyRecord drawn(const CaseRecord& record, double watts, PowerScope scope);

/// Returns the case with drawn() as its only energy.
CaseRecord with_energy(CaseRecord record, double watts, PowerScope scope);

/// Returns energies for `fit_case` of sample_runs.h: a 100 W card with all fields and a processor with few.
std::vector<EnergyRecord> two_sources();

/// Returns a `cnn` case on cuda:0, batch size 128, that slows down because of heat: of 24 epochs, the first
/// eight take 10 s and the others 12.5 s. Power, temperature, clock and throttle reasons are known.
CaseRecord soaked_case();

}  // namespace gpubench::test
