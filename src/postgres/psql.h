#pragma once

#include <filesystem>
#include <string>

#include "base/deadline.h"
#include "base/process.h"
#include "postgres/cluster.h"
#include "postgres/on_error.h"

namespace sidegrade::postgres {

struct PsqlOptions {
  std::string database;
  std::filesystem::path script;
  OnError on_error = OnError::kStop;
  bool single_transaction = false;
};

/// The real psql reading the script from its standard input, as the cluster's
/// owner: whatever the script asks of the shell, it is not asked as root.
base::Command psql_command(const ClusterSpec& cluster, const Endpoint& endpoint,
                           const PsqlOptions& options);

/// Runs it. Throws Error (or ServerLost) with psql's last words if it fails.
/// Returns what the kernel charged to it.
base::ResourceUsage run_psql(const base::Command& command,
                             const base::Interrupt& interrupt,
                             base::Deadline deadline = {});

}  // namespace sidegrade::postgres
