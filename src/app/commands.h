#pragma once
// The subcommands. Each prints its data to stdout and all else to stderr, and throws an Error for what ends
// it.

#include "app/options.h"
#include "gpubench/core/error.h"

namespace gpubench {

ExitCode run_train(const TrainOptions& options, const std::vector<std::string>& arguments);
/// `gpubench worker [--allocator system]`: the process of one case; speaks on its standard input and on
/// descriptor 3. `words` follow "worker".
ExitCode run_worker(const std::vector<std::string>& words);

ExitCode run_suite_list();
ExitCode run_suite_show(const SuiteOptions& options);
ExitCode run_list(const ListOptions& options);
ExitCode run_doctor(const DoctorOptions& options);
ExitCode run_peak(const PeakOptions& options, const std::vector<std::string>& arguments);
ExitCode run_data_fetch(const DataCommandOptions& options);
ExitCode run_data_verify(const DataCommandOptions& options);

}  // namespace gpubench
