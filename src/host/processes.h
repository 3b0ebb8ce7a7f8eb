#pragma once

#include <sys/types.h>

#include <filesystem>
#include <vector>

#include "host/facts.h"

namespace sidegrade::host {

/// The processes whose working directory is `folder` or below it, this one left
/// out: all that a trial starts works in its own folder, so this finds what is
/// left of a trial even where no process id was ever written down.
std::vector<pid_t> processes_in(const Root& root,
                                const std::filesystem::path& folder);

/// Ends them: SIGQUIT, which PostgreSQL takes as immediate shutdown, then
/// SIGKILL after some seconds. Throws Error if one still lives after that.
void end_processes_in(const std::filesystem::path& folder);

}  // namespace sidegrade::host
