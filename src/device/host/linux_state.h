#pragma once
// What Linux tells of the machine's state, out of files that a test can write.

#include "core/io/host_files.h"
#include "device/host/host.h"

namespace gpubench {

/// The state but for what comes from clocks: `at` and `asleep`.
HostState host_state_of(const HostFiles& files);

Reading<Bytes> available_memory_of(const HostFiles& files);

Reading<Bytes> last_level_cache_of(const HostFiles& files);

Reading<std::int64_t> out_of_memory_kills_of(const HostFiles& files);

}  // namespace gpubench
