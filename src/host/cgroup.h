#pragma once

#include <filesystem>
#include <string>

#include "host/counters.h"
#include "host/facts.h"

namespace sidegrade::host {

/// Where this process may make a control group (v2) of its own, or why not. The
/// hierarchy is found in mountinfo, so a v2 tree beside v1 is found too.
struct CgroupPlace {
  std::filesystem::path parent;  ///< empty: none
  std::string absent_because;
};
CgroupPlace find_cgroup_place(const Root& root);

/// CPU time of all processes that ever were in the group (cpu.stat); major
/// faults where its memory controller is on. Throws Error if it is not there.
ServerCounters read_cgroup(const std::filesystem::path& group);

/// Kills what is in the group and removes it; does nothing if it is not there.
/// Throws Error if it can't be removed within some seconds.
void remove_cgroup(const std::filesystem::path& group);

}  // namespace sidegrade::host
