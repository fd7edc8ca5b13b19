#pragma once
// The subcommands. Each prints its data to stdout and all else to stderr, and throws an Error for what ends
// it.

#include "app/options.h"
#include "gpubench/core/error.h"

namespace gpubench {

ExitCode run_train(const TrainOptions& options, const std::vector<std::string>& arguments);
/// `gpubench calibrate`: runs the cases in fresh processes and keeps how far these are apart.
ExitCode run_calibrate(const TrainOptions& options, const std::vector<std::string>& arguments);
/// `gpubench worker [--allocator system]`: the process of one case; speaks on its standard input and on
/// descriptor 3. `words` follow "worker".
ExitCode run_worker(const std::vector<std::string>& words);

ExitCode run_suite_list();
ExitCode run_suite_show(const SuiteOptions& options);
ExitCode run_list(const ListOptions& options);
ExitCode run_doctor(const DoctorOptions& options);
/// Loads a device for ten seconds and tells what each source of power shows of it.
ExitCode run_power_doctor(const DoctorOptions& options, const std::vector<std::string>& arguments);
ExitCode run_peak(const PeakOptions& options, const std::vector<std::string>& arguments);
/// `gpubench ops`: times operations by themselves.
ExitCode run_ops(const OpsOptions& options, const std::vector<std::string>& arguments);
/// Exits with 3 (data) where a file has a fault.
ExitCode run_validate(const DocumentOptions& options);
ExitCode run_migrate(const DocumentOptions& options);
ExitCode run_merge(const DocumentOptions& options, const std::vector<std::string>& arguments);
ExitCode run_redact(const DocumentOptions& options);
ExitCode run_data_fetch(const DataCommandOptions& options);
ExitCode run_data_verify(const DataCommandOptions& options);

}  // namespace gpubench
