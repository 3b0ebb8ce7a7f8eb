#pragma once

#include <filesystem>
#include <string>

#include "base/process.h"
#include "postgres/cluster.h"
#include "postgres/on_error.h"

namespace sidegrade::postgres {

/// The real psql reading `script` from its standard input, as the cluster's
/// owner: whatever the script asks of the shell, it is not asked as root.
base::Command psql_command(const ClusterSpec& cluster, const Endpoint& endpoint,
                           const std::string& database,
                           const std::filesystem::path& script,
                           OnError on_error);

/// Runs it. Throws Error (or ServerLost) with psql's last words if it fails.
/// Returns what the kernel charged to it.
base::ResourceUsage run_psql(const base::Command& command,
                             const base::Interrupt& interrupt);

}  // namespace sidegrade::postgres
