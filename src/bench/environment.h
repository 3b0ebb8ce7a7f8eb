#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/facts.h"
#include "postgres/installation.h"
#include "workload/spec.h"

namespace sidegrade::bench {

/// All that a run records of its environment: the machine's facts
/// (host::collect_facts), the PostgreSQL that it uses and the client libraries.
host::Facts read_environment(
    const std::vector<std::string>& block_devices,
    const std::optional<postgres::Installation>& installation);

/// Adds how the scripts are executed: two runs that do it differently differ in
/// more than the kernel.
void add_workload_facts(const workload::WorkloadSpec& workload,
                        host::Facts& facts);

}  // namespace sidegrade::bench
