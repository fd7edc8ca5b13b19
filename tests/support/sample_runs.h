#pragma once
// Constructed runs with fixed values, as input for everything that reads a record.

#include <string>

#include "gpubench/record/run_record.h"

namespace gpubench::test {

/// `mlp` on Fashion-MNIST at batch 128: five epochs of 0.8, 0.5, 0.52, 0.48, 0.51 s.
CaseRecord finished_case();

/// `resnet50` on CIFAR-10 at batch 1024, out of memory before the first epoch ended.
CaseRecord failed_case();

/// `cnn` whose loss became NaN in the third epoch.
CaseRecord diverged_case();

/// `mlp` on CIFAR-10 with protocol fit: nine epochs to a target, warnings, and every raw field known.
CaseRecord fit_case();

/// `cnn` on CIFAR-10 at batch 256, of which nothing was measured.
CaseRecord unfinished_case(RowStatus status, const std::string& reason);

/// A machine whose every figure is known, no case yet.
RunRecord empty_run();

/// All of the above cases, plus a fast one of four-digit batch and one without warm-up.
RunRecord mixed_run();

/// A suite with repeats, a whole fit, and rows of every status that mixed_run has not.
RunRecord eventful_run();

/// A machine that tells little: what can be absent is.
RunRecord reticent_run();

/// Names and messages with quotes, markup, control characters and bytes that are not UTF-8.
RunRecord hostile_run();

}  // namespace gpubench::test
