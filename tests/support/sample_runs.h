#pragma once
// Constructed runs with fixed values, as input for all readers of records.

#include <string>

#include "gpubench/record/run_record.h"

namespace gpubench::test {

/// Returns `mlp` on Fashion-MNIST, batch size 128, with five epochs of 0.8, 0.5, 0.52, 0.48, 0.51 s.
CaseRecord finished_case();

/// Returns `resnet50` on CIFAR-10, batch size 1024, out of memory in the first epoch.
CaseRecord failed_case();

/// Returns `cnn` with a NaN loss in the third epoch.
CaseRecord diverged_case();

/// Returns `mlp` on CIFAR-10 with protocol fit: nine epochs to a target, warnings, and all raw fields.
CaseRecord fit_case();

/// Returns `cnn` on CIFAR-10, batch size 256, without samples.
CaseRecord unfinished_case(RowStatus status, const std::string& reason);

/// Returns a run without cases, of a machine with all fields.
RunRecord empty_run();

/// Returns all of the above cases, a fast one with a four-digit batch size, and one without warm-up.
RunRecord mixed_run();

/// Returns a suite with repeats, a complete fit, and rows of every status that mixed_run lacks.
RunRecord eventful_run();

/// Returns a run in which all optional values are missing.
RunRecord reticent_run();

/// Returns a run whose names and messages have quotes, markup, control characters and invalid UTF-8.
RunRecord hostile_run();

}  // namespace gpubench::test
