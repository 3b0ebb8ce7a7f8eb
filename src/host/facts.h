#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace sidegrade::host {

/// One thing known about the machine, or why it is not known.
struct Fact {
  std::string value;
  std::string absent_because;  ///< not empty: there is no value
};

/// Facts by dotted name (`kernel.release`, `sysctl.vm.dirty_ratio`,
/// `block.sda.scheduler`), in the order of their names.
using Facts = std::map<std::string, Fact>;

/// Where the kernel's trees are: "/" on a machine, a recorded tree in a test.
struct Root {
  std::filesystem::path path = "/";

  std::filesystem::path operator/(const std::filesystem::path& absolute) const {
    return path / absolute.relative_path();
  }
};

/// What machine and kernel this is: kernel (release, version, boot id, command
/// line, config hash, preemption, mitigations), CPU, memory, NUMA, huge pages,
/// PCI devices, sysctls vm.* and kernel.sched*, virtualisation, clock source,
/// and of each block device in `block_devices` (kernel names) what block.h
/// says.
Facts collect_facts(const Root& root,
                    const std::vector<std::string>& block_devices);

/// The names whose values differ, but for those that change by themselves
/// (uptime, free memory, CPU frequency now): what must hold still during a run.
std::vector<std::string> changed_facts(const Facts& before, const Facts& after);

/// `uname -n`, -r.
std::string host_name();
std::string kernel_release();
/// A UUID that is new at every boot.
std::string boot_id(const Root& root);

}  // namespace sidegrade::host
